"""HTTP to a code host's API: patient with limits, safe to repeat, and silent about the token.

Reads and idempotent writes are tried again after a fault. A POST is not: where it may have had its effect, `Ambiguous`
is raised, and the caller looks before it posts again.
"""

from __future__ import annotations

import base64
import email.utils
import importlib.util
import json
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stridewise import __version__
from stridewise.console import remark
from stridewise.errors import Failure

if TYPE_CHECKING:
    import urllib3

LOCAL = ("localhost", "127.0.0.1", "::1")
_TRIES = 5
_PATIENCE_SECONDS = 900.0  # for limits, in all
_PAUSE_SECONDS = 1.0  # between writes, as GitHub asks for
_MAX_ANSWER_BYTES = 64 << 20
_MAX_PAGES = 1000
_REDIRECTS = 5
_SAFE = {"GET", "HEAD"}


class HttpFailure(Failure):
    """An answer that is no success; `status` is 0 where there was none."""

    def __init__(self, text: str, status: int = 0, said: str = "") -> None:
        super().__init__(text)
        self.status = status
        self.said = said  # the host's own words


class Ambiguous(HttpFailure):
    """A POST that may or may not have had its effect."""


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: Mapping[str, str]  # names in lower case
    value: Any

    @property
    def said(self) -> str:
        """The host's own words about an error."""
        if not isinstance(self.value, dict):
            return ""
        parts = [self.value.get("message"), self.value.get("error"), self.value.get("errors")]
        text = "; ".join(part if isinstance(part, str) else json.dumps(part) for part in parts if part)
        return text[:500]


def check_address(address: str) -> str:
    """The address of an API without a slash at its end. Raises Failure unless it is https or this machine's."""
    try:
        parts = urllib.parse.urlsplit(address)
        port = parts.port
    except ValueError as error:
        raise Failure(f"'{_bare(address)}' is no address of an API: {error}") from error
    local = parts.hostname in LOCAL
    if parts.username or parts.password or parts.query or parts.fragment:
        raise Failure("the API's address must hold no user, password, query or fragment; tokens are in the environment")
    if not parts.hostname or parts.scheme not in ("https", "http") or port == 0:
        raise Failure(f"'{_bare(address)}' is no address of an API; write it as https://host/path")
    if parts.scheme == "http" and not local:
        raise Failure(f"the API's address must be https, so that nobody reads the token: '{_bare(address)}'")
    return address.rstrip("/")


def _bare(address: str) -> str:
    """An address for an error: without a user and what may hold a secret."""
    return address.rsplit("@", 1)[-1].split("?", 1)[0][:200]


def _origin(address: str) -> tuple[str, str, int]:
    parts = urllib.parse.urlsplit(address)
    return parts.scheme, parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)


class Client:
    """Requests below one API address. `token` are the headers that carry the secret; they go to that origin alone."""

    def __init__(
        self,
        base: str,
        token: Mapping[str, str],
        service: str,
        headers: Mapping[str, str] | None = None,
        hints: Mapping[int, str] | None = None,
        sleep: Callable[[float], None] = time.sleep,
        now: Callable[[], float] = time.time,
    ) -> None:
        if importlib.util.find_spec("urllib3") is None:
            raise Failure("posting needs the Python package urllib3: pip install 'urllib3>=2,<3'")
        self.base = check_address(base)
        self.service = service
        self.sleep = sleep
        self._token = dict(token)
        self._headers = {"User-Agent": f"stridewise/{__version__}", "Accept": "application/json", **(headers or {})}
        self._hints = dict(hints or {})
        self._now = now
        self._patience = _PATIENCE_SECONDS
        self._last_write: float | None = None
        self._pools: dict[str, urllib3.PoolManager] = {}

    def __repr__(self) -> str:
        return f"Client({self.base})"

    def get(self, path: str, **query: str | int) -> Any:
        return self.request("GET", path, query=query).value

    def post(self, path: str, body: Mapping[str, Any], *, repeatable: bool = False) -> Any:
        return self.request("POST", path, body, repeatable=repeatable).value

    def patch(self, path: str, body: Mapping[str, Any]) -> Any:
        return self.request("PATCH", path, body).value

    def put(self, path: str, body: Mapping[str, Any]) -> Any:
        return self.request("PUT", path, body).value

    def delete(self, path: str) -> None:
        """What is gone already is deleted, too."""
        try:
            self.request("DELETE", path)
        except HttpFailure as error:
            if error.status not in (404, 410):
                raise

    def pages(self, path: str, **query: str | int) -> Iterator[list[Any]]:
        """The pages of a list, by the header Link."""
        address, parameters = path, dict(query)
        for _ in range(_MAX_PAGES):
            answer = self.request("GET", address, query=parameters)
            if not isinstance(answer.value, list):
                raise HttpFailure(f"{self.service} answered {path} with something that is no list", answer.status)
            yield answer.value
            following = next_page(answer.headers.get("link", ""))
            if not following:
                return
            address, parameters = urllib.parse.urljoin(self._address(address), following), {}
            if _origin(address) != _origin(self.base):
                raise HttpFailure(f"{self.service} names a next page on another host: {_bare(address)}")
        raise HttpFailure(f"{self.service} has more than {_MAX_PAGES} pages of {path}")

    def items(self, path: str, **query: str | int) -> Iterator[dict[str, Any]]:
        """The objects of a list, over all of its pages."""
        for page in self.pages(path, **query):
            yield from (item for item in page if isinstance(item, dict))

    def request(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        query: Mapping[str, str | int] | None = None,
        repeatable: bool = False,
    ) -> Answer:
        """One answer of success. Raises HttpFailure, or Ambiguous for a POST that may have had its effect."""
        address = self._address(path)
        if query:
            address += ("&" if "?" in address else "?") + urllib.parse.urlencode(query)
        data = None if body is None else json.dumps(body).encode()
        once = method == "POST" and not repeatable
        if method not in _SAFE and not repeatable:
            self.pace()
        problem = ""
        for attempt in range(_TRIES):
            try:
                answer = self._send(method, address, data)
            except _Unreached as error:
                problem = str(error)
            except _Broken as error:
                problem = str(error)
                if once:
                    raise Ambiguous(
                        self._clean(f"{self.service} broke off while a comment was posted: {problem}")
                    ) from None
            else:
                if answer.status < 300:
                    return answer
                wait = self._limited(answer, attempt)
                if wait is not None:
                    self._wait(wait)
                    continue
                if answer.status < 500:
                    raise self._refusal(method, path, answer)
                problem = f"status {answer.status}"
                if once:
                    raise Ambiguous(f"{self.service} failed while a comment was posted: {problem}", answer.status)
            if attempt < _TRIES - 1:
                self.sleep(2.0**attempt)
        raise HttpFailure(self._clean(f"{self.service} cannot be reached at {self.base}: {problem}; try again later"))

    def _address(self, path: str) -> str:
        return path if path.startswith(("https://", "http://")) else f"{self.base}{path}"

    def pace(self) -> None:
        """Keeps writes apart."""
        if self._last_write is not None:
            left = self._last_write + _PAUSE_SECONDS - self._now()
            if left > 0:
                self.sleep(left)
        self._last_write = self._now()

    def _limited(self, answer: Answer, attempt: int) -> float | None:
        """Seconds to wait where the answer is a limit of requests."""
        left = answer.headers.get("x-ratelimit-remaining", answer.headers.get("ratelimit-remaining"))
        after = answer.headers.get("retry-after")
        if answer.status != 429 and not (
            answer.status == 403 and (after is not None or left == "0" or "rate limit" in answer.said.lower())
        ):
            return None
        if after is not None:
            seconds = _seconds(after, self._now())
            if seconds is not None:
                return seconds
        reset = answer.headers.get("x-ratelimit-reset", answer.headers.get("ratelimit-reset", ""))
        if left == "0" and reset.isdigit():
            return max(1.0, float(reset) - self._now() + 1.0)
        return 60.0 * 2.0**attempt

    def _wait(self, seconds: float) -> None:
        if seconds > self._patience:
            until = time.strftime("%H:%M:%S UTC", time.gmtime(self._now() + min(seconds, 1e9)))
            raise HttpFailure(f"{self.service} takes no more requests until {until}; run it again then", 429)
        self._patience -= seconds
        if seconds >= 5:
            remark(f"{self.service} limits requests; waiting {seconds:.0f} s")
        self.sleep(seconds)

    def _refusal(self, method: str, path: str, answer: Answer) -> HttpFailure:
        said = self._clean(answer.said)
        text = f"{self.service} refused {method} {_bare(path)} ({answer.status}{f': {said}' if said else ''})"
        hint = self._hints.get(answer.status)
        return HttpFailure(text + (f"; {hint}" if hint else ""), answer.status, said)

    def _clean(self, text: str) -> str:
        """Text without the secret, whoever repeated it."""
        for value in self._token.values():
            for secret in (value, value.removeprefix("Bearer ")):
                if len(secret) > 3:
                    text = text.replace(secret, "***")
        return text

    def _send(self, method: str, address: str, data: bytes | None) -> Answer:
        """One request with the redirects that it leads to."""
        for _ in range(_REDIRECTS + 1):
            own = _origin(address) == _origin(self.base)
            answer = self._exchange(method, address, data, self._token if own else {})
            target = answer.headers.get("location")
            if answer.status not in (301, 302, 303, 307, 308) or not target:
                return answer
            following = urllib.parse.urljoin(address, target)
            same = _origin(following) == _origin(self.base)
            if not same and (method not in _SAFE or not following.startswith("https://")):
                raise HttpFailure(f"{self.service} sends {method} on to {_bare(following)}, which does not get it")
            if answer.status in (302, 303) and method not in _SAFE:
                raise HttpFailure(f"{self.service} answered {method} with a redirect ({answer.status})", answer.status)
            address = following
        raise HttpFailure(f"{self.service} redirects without end")

    def _exchange(self, method: str, address: str, data: bytes | None, token: Mapping[str, str]) -> Answer:
        import urllib3
        from urllib3 import exceptions

        headers = {**self._headers, **token, **({"Content-Type": "application/json"} if data is not None else {})}
        try:
            response = self._pool(address).request(
                method,
                address,
                body=data,
                headers=headers,
                retries=False,
                redirect=False,
                preload_content=False,
                timeout=urllib3.Timeout(connect=15, read=60),
            )
            try:
                raw = _read(response)
            except BaseException:
                response.close()  # the rest of it must not begin the next answer
                raise
            response.release_conn()
        except exceptions.SSLError as error:
            raise HttpFailure(f"no safe connection to {self.service} at {self.base}: {error}") from None
        except (exceptions.NewConnectionError, exceptions.ConnectTimeoutError, exceptions.ProxyError) as error:
            raise _Unreached(_reason(error)) from None
        except exceptions.HTTPError as error:
            raise _Broken(_reason(error)) from None
        names = {name.lower(): value for name, value in response.headers.items()}
        return Answer(response.status, names, _value(raw))

    def _pool(self, address: str) -> urllib3.PoolManager:
        """By the proxies of the environment: https_proxy, http_proxy, no_proxy."""
        scheme, host, port = _origin(address)
        proxies = {} if host in LOCAL or urllib.request.proxy_bypass(f"{host}:{port}") else urllib.request.getproxies()
        proxy = proxies.get(scheme) or proxies.get("all") or ""
        if proxy not in self._pools:
            self._pools[proxy] = _manager(proxy)
        return self._pools[proxy]


class _Unreached(Exception):
    """The request was never sent."""


class _Broken(Exception):
    """It may have been."""


def _manager(proxy: str) -> urllib3.PoolManager:
    import urllib3

    if not proxy:
        return urllib3.PoolManager(num_pools=2)
    parts = urllib.parse.urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise Failure("the proxy of the environment must be an http or https address")
    headers = {}
    if parts.username is not None:
        who = f"{urllib.parse.unquote(parts.username)}:{urllib.parse.unquote(parts.password or '')}"
        headers["Proxy-Authorization"] = "Basic " + base64.b64encode(who.encode()).decode()
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    where = f"{parts.scheme}://{host}{f':{parts.port}' if parts.port else ''}"
    return urllib3.ProxyManager(where, num_pools=2, proxy_headers=headers)


def _read(response: urllib3.BaseHTTPResponse) -> bytes:
    out = bytearray()
    for chunk in response.stream(1 << 16, decode_content=True):
        out += chunk
        if len(out) > _MAX_ANSWER_BYTES:
            raise HttpFailure(f"an answer of more than {_MAX_ANSWER_BYTES >> 20} MiB")
    return bytes(out)


def _value(raw: bytes) -> Any:
    try:
        return json.loads(raw) if raw.strip() else None
    except (ValueError, RecursionError):
        return None


def _reason(error: Exception) -> str:
    """What broke, without the address that it broke at."""
    return type(error).__name__.removesuffix("Error") + ": " + str(error).rsplit(": ", 1)[-1][:200]


def _seconds(after: str, now: float) -> float | None:
    """The header Retry-After: seconds or a date."""
    if after.strip().isdigit():
        return float(after)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(after).timestamp() - now)
    except (ValueError, TypeError):
        return None


def next_page(link: str) -> str:
    """The address with rel="next" in a header Link (RFC 8288); empty on the last page."""
    for part in link.split(","):
        target, *parameters = part.split(";")
        if any(p.strip().replace('"', "") == "rel=next" for p in parameters):
            return target.strip().removeprefix("<").removesuffix(">")
    return ""
