"""A real HTTP server for tests: routes, faults on demand, pages by Link, and a log of what it was asked."""

from __future__ import annotations

import json
import re
import ssl
import threading
import urllib.parse
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]  # names in lower case
    body: Any


@dataclass(frozen=True)
class Reply:
    status: int
    value: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Fault:
    """The next `times` requests of that method and path get this answer; `after` the effect, or instead of it."""

    method: str
    path: str  # regular expression
    status: int  # 0: the connection breaks
    headers: Mapping[str, str] = field(default_factory=dict)
    value: Any = None
    after: bool = False
    times: int = 1


class FakeServer:
    """What a host is: subclasses fill `routes` with (method, regular expression, handler)."""

    def __init__(self) -> None:
        self.log: list[Request] = []
        self.faults: list[Fault] = []
        self.routes: list[tuple[str, str, Callable[..., Reply]]] = []
        self.hooks: list[tuple[str, str, Callable[[], None]]] = []  # done before a request is answered, once
        self.base = ""
        self._lock = threading.Lock()

    def reply(self, request: Request) -> Reply:
        """Raises ConnectionError where the connection is to break."""
        with self._lock:
            self.log.append(request)
            for hook in list(self.hooks):
                if hook[0] == request.method and re.fullmatch(hook[1], request.path):
                    self.hooks.remove(hook)
                    hook[2]()
            fault = self._fault(request)
            if fault and not fault.after:
                return self._faulty(fault)
            answer = self.checked(request) or self._routed(request)
            return self._faulty(fault) if fault else answer

    def _fault(self, request: Request) -> Fault | None:
        for fault in self.faults:
            if fault.times > 0 and fault.method == request.method and re.fullmatch(fault.path, request.path):
                fault.times -= 1
                return fault
        return None

    @staticmethod
    def _faulty(fault: Fault) -> Reply:
        if not fault.status:
            raise ConnectionError
        return Reply(fault.status, fault.value, fault.headers)

    def checked(self, request: Request) -> Reply | None:
        """A refusal that holds for every route."""
        raise NotImplementedError

    def _routed(self, request: Request) -> Reply:
        known = False
        for method, pattern, handler in self.routes:
            match = re.fullmatch(pattern, request.path)
            if match and method == request.method:
                return handler(request, *match.groups())
            known = known or match is not None
        return Reply(405 if known else 404, {"message": "Not Found"})

    def paged(self, request: Request, items: list[Any]) -> Reply:
        """At most 100 a page, the next one's address in the header Link."""
        size, page = int(request.query.get("per_page", "30")), int(request.query.get("page", "1"))
        size = min(size, 100)
        part = items[(page - 1) * size : page * size]
        headers = {}
        if page * size < len(items):
            query = urllib.parse.urlencode({**request.query, "page": page + 1})
            last = urllib.parse.urlencode({**request.query, "page": -(-len(items) // size)})
            origin = self.base.split("/", 3)
            address = "/".join(origin[:3]) + request.path
            headers["Link"] = f'<{address}?{query}>; rel="next", <{address}?{last}>; rel="last"'
        return Reply(200, part, headers)

    def asked(self, method: str, pattern: str = ".*") -> list[Request]:
        return [r for r in self.log if r.method == method and re.fullmatch(pattern, r.path)]

    def writes(self) -> list[str]:
        """What changed something, or tried to. GraphQL's reads are POSTs, too."""
        return [
            f"{r.method} {r.path}"
            for r in self.log
            if r.method != "GET" and not (r.path.endswith("/graphql") and "mutation" not in str(r.body))
        ]


@contextmanager
def serving(server: FakeServer, prefix: str = "", tls: ssl.SSLContext | None = None) -> Iterator[str]:
    """The address of the API, while it is served."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # headers and body are two packets
        wbufsize = -1

        def answer(self) -> None:
            split = urllib.parse.urlsplit(self.path)
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            request = Request(
                self.command,
                split.path.removeprefix(prefix),
                dict(urllib.parse.parse_qsl(split.query)),
                {name.lower(): value for name, value in self.headers.items()},
                json.loads(raw) if raw else None,
            )
            try:
                reply = server.reply(request)
            except ConnectionError:
                self.close_connection = True
                return
            content = b"" if reply.value is None else json.dumps(reply.value).encode()
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Type", "application/json; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_CONNECT = answer  # noqa: N815

        def log_message(self, format: str, *args: object) -> None:
            del format, args

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    httpd.daemon_threads = True
    httpd.handle_error = lambda *_: None  # type: ignore[method-assign]  # clients that break off
    if tls:
        httpd.socket = tls.wrap_socket(httpd.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    server.base = f"{'https' if tls else 'http'}://127.0.0.1:{httpd.server_port}{prefix}"
    try:
        yield server.base
    finally:
        httpd.shutdown()
        httpd.server_close()
        thread.join()


@dataclass
class Clock:
    """Time that only passes by sleeping."""

    time: float = 1_800_000_000.0
    slept: list[float] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds

    def now(self) -> float:
        return self.time
