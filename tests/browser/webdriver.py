"""A browser without a screen: the few commands of the W3C's WebDriver protocol that the tests of pages need."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the protocol's own name


class Browser:
    """Chromium, driven by its own chromedriver. Use as a context manager."""

    def __init__(self, driver: str, chromium: str, profile: Path, size: tuple[int, int] = (1400, 1000)) -> None:
        self._driver = subprocess.Popen(
            [driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, bufsize=1
        )
        assert self._driver.stdout is not None
        port = next(int(m[1]) for line in self._driver.stdout if (m := re.search(r"successfully on port (\d+)", line)))
        self._address = f"http://127.0.0.1:{port}"
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]
        arguments += [f"--user-data-dir={profile}", f"--window-size={size[0]},{size[1]}"]
        wanted = {
            "browserName": "chrome",
            "goog:chromeOptions": {"binary": chromium, "args": arguments},
            "goog:loggingPrefs": {"browser": "ALL"},
        }
        self._session = ""
        answer = self._call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self._session = f"/session/{answer['sessionId']}"

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._call("DELETE", "", None)
        finally:
            self._driver.terminate()
            self._driver.wait(20)

    def open(self, page: Path) -> None:
        self._call("POST", "/url", {"url": page.as_uri()})

    def run(self, script: str, *arguments: Any) -> Any:
        """What a function body returns in the page."""
        return self._call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def click(self, selector: str) -> None:
        """As a person does it: where the element is, and only if nothing lies above it."""
        self._call("POST", f"/element/{self._find(selector)}/click", {})

    def type(self, selector: str, text: str) -> None:
        self._call("POST", f"/element/{self._find(selector)}/value", {"text": text})

    def press(self, key: str) -> None:
        actions = [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self._call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def messages(self) -> list[str]:
        """What the console has said since the last time."""
        return [f"{m['level']}: {m['message']}" for m in self._call("POST", "/se/log", {"type": "browser"})]

    def picture(self, target: Path, selector: str = "") -> None:
        """A PNG file of what is in view, or of one element."""
        path = f"/element/{self._find(selector)}/screenshot" if selector else "/screenshot"
        target.write_bytes(base64.b64decode(self._call("GET", path, None)))

    def _find(self, selector: str) -> str:
        found: dict[str, str] = self._call("POST", "/element", {"using": "css selector", "value": selector})
        return found[_ELEMENT]

    def _call(self, method: str, path: str, body: dict[str, Any] | None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self._address + self._session + path, data, headers, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{path}: {json.load(error)['value']['message'].splitlines()[0]}") from error
