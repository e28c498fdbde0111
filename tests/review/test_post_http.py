"""The client: where the token goes, what is tried again, what is believed."""

from __future__ import annotations

import json
import ssl
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from fake_http import Clock, FakeServer, Fault, Reply, Request, serving

from stridewise.errors import Failure
from stridewise.review.http import Ambiguous, Answer, Client, HttpFailure, check_address, next_page

TOKEN = "token-of-some-account"


class Echo(FakeServer):
    """Answers everything with what `answers` holds."""

    def __init__(self) -> None:
        super().__init__()
        self.answers: dict[str, Reply] = {}

    def checked(self, request: Request) -> Reply | None:
        return self.answers.get(request.path, Reply(200, {"path": request.path}))


@pytest.fixture
def echo() -> Iterator[Echo]:
    server = Echo()
    with serving(server):
        yield server


@pytest.fixture
def other() -> Iterator[Echo]:
    server = Echo()
    with serving(server):
        yield server


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def client(echo: Echo, clock: Clock) -> Client:
    return made(echo.base, clock)


def made(base: str, clock: Clock) -> Client:
    return Client(base, {"Authorization": f"Bearer {TOKEN}"}, "The host", sleep=clock.sleep, now=clock.now)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("http://api.example.com", "must be https"),
        ("http://127.0.0.1.example.com", "must be https"),
        ("ftp://api.example.com", "no address"),
        ("api.example.com", "no address"),
        ("https://", "no address"),
        ("https://host:99999", "no address"),
        ("https://user:secret@host", "must hold no user"),
        ("https://host/?token=secret", "must hold no user"),
        ("", "no address"),
    ],
)
def test_wrong_addresses(address: str, message: str) -> None:
    with pytest.raises(Failure, match=message) as raised:
        check_address(address)
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    "address", ["https://api.github.com", "http://localhost:80/api", "http://[::1]:80", "https://h:8443/x/"]
)
def test_right_addresses(address: str) -> None:
    assert check_address(address) == address.rstrip("/")


def test_the_token_is_sent_and_never_shown(echo: Echo, client: Client) -> None:
    client.get("/x", a="1 2")
    assert echo.log[0].headers["authorization"] == f"Bearer {TOKEN}"
    assert echo.log[0].query == {"a": "1 2"}
    assert TOKEN not in repr(client)
    echo.answers["/x"] = Reply(400, {"message": f"bad token {TOKEN} there"})
    with pytest.raises(HttpFailure) as raised:
        client.get("/x")
    assert TOKEN not in str(raised.value) + raised.value.said


def test_a_redirect_to_another_host_gets_no_token(echo: Echo, other: Echo, client: Client) -> None:
    """Another port of this machine is another host; plain http to others is refused."""
    echo.answers["/x"] = Reply(302, None, {"Location": f"{other.base}/y"})
    with pytest.raises(HttpFailure, match="which does not get it"):
        client.get("/x")
    assert other.log == []


def test_a_read_that_is_sent_on_to_another_host_goes_without_the_token(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[str, bool]] = []

    def exchange(_client: Client, _method: str, address: str, _data: bytes | None, token: Mapping[str, str]) -> Answer:
        seen.append((address, bool(token)))
        return Answer(302, {"location": "https://files.example/y"}, None) if len(seen) == 1 else Answer(200, {}, "ok")

    monkeypatch.setattr(Client, "_exchange", exchange)
    assert made("https://api.example", clock).get("/x") == "ok"
    assert seen == [("https://api.example/x", True), ("https://files.example/y", False)]
    seen.clear()
    with pytest.raises(HttpFailure, match="which does not get it"):
        made("https://api.example", clock).post("/x", {})


def test_a_redirect_on_the_same_host_is_followed(echo: Echo, client: Client) -> None:
    """GitHub answers so for a repository that was renamed."""
    for status in (301, 307, 308):
        echo.answers["/x"] = Reply(status, None, {"Location": "/y"})
        assert client.post("/x", {"body": "b"}) == {"path": "/y"}
        assert (echo.log[-1].method, echo.log[-1].body) == ("POST", {"body": "b"})
        assert echo.log[-1].headers["authorization"] == f"Bearer {TOKEN}"
    echo.answers["/x"] = Reply(302, None, {"Location": "/y"})
    assert client.get("/x") == {"path": "/y"}
    with pytest.raises(HttpFailure, match="answered PATCH with a redirect"):
        client.patch("/x", {})


def test_redirects_without_end(echo: Echo, client: Client) -> None:
    echo.answers["/x"] = Reply(302, None, {"Location": "/x"})
    with pytest.raises(HttpFailure, match="without end"):
        client.get("/x")


def test_pages_stay_on_the_host(echo: Echo, other: Echo, client: Client) -> None:
    echo.answers["/x"] = Reply(200, [1], {"Link": f'<{other.base}/x?page=2>; rel="next"'})
    with pytest.raises(HttpFailure, match="next page on another host"):
        list(client.pages("/x"))
    assert other.log == []


def test_a_list_that_is_none(echo: Echo, client: Client) -> None:
    with pytest.raises(HttpFailure, match="no list"):
        list(client.pages("/x"))
    del echo


@pytest.mark.parametrize(
    ("link", "following"),
    [
        ('<https://h/x?page=2>; rel="next", <https://h/x?page=9>; rel="last"', "https://h/x?page=2"),
        ('<https://h/x?page=1>; rel="prev", <https://h/x?page=3>; rel="next"', "https://h/x?page=3"),
        ("<https://h/x>; rel=next", "https://h/x"),
        ('<https://h/x?page=1>; rel="first"', ""),
        ("", ""),
        ("nonsense", ""),
    ],
)
def test_links(link: str, following: str) -> None:
    assert next_page(link) == following


@pytest.mark.parametrize("status", [0, 500, 503])
def test_a_post_is_not_repeated_after_a_fault(echo: Echo, client: Client, status: int) -> None:
    echo.faults.append(Fault("POST", "/x", status, times=9))
    with pytest.raises(Ambiguous):
        client.post("/x", {})
    assert len(echo.log) == 1


@pytest.mark.parametrize("status", [0, 500, 503])
@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE"])
def test_the_others_are(echo: Echo, client: Client, clock: Clock, method: str, status: int) -> None:
    echo.faults.append(Fault(method, "/x", status, times=3))
    assert client.request(method, "/x").status == 200
    assert clock.slept == [1.0, 2.0, 4.0]


def test_nobody_listens(clock: Clock) -> None:
    """A request that was never sent can be repeated, a POST too; the error says where to."""
    client = made("http://127.0.0.1:1", clock)
    with pytest.raises(HttpFailure, match=r"cannot be reached at http://127.0.0.1:1.*try again later") as raised:
        client.post("/x", {})
    assert not isinstance(raised.value, Ambiguous)
    assert len(clock.slept) == 4


def test_what_is_gone_is_deleted(echo: Echo, client: Client) -> None:
    echo.answers["/x"] = Reply(404, {"message": "Not Found"})
    client.delete("/x")
    echo.answers["/x"] = Reply(403, {"message": "no"})
    with pytest.raises(HttpFailure, match="refused DELETE /x"):
        client.delete("/x")


def test_the_first_limit_waits_until_it_is_over(echo: Echo, client: Client, clock: Clock) -> None:
    headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(clock.now()) + 120)}
    echo.faults.append(Fault("POST", "/x", 403, headers, {"message": "API rate limit exceeded"}))
    client.post("/x", {})
    assert clock.slept == [121.0]
    assert len(echo.log) == 2


def test_retry_after_as_a_date(echo: Echo, client: Client, clock: Clock) -> None:
    echo.faults.append(Fault("GET", "/x", 429, {"Retry-After": "Fri, 15 Jan 2027 08:00:30 GMT"}))
    client.get("/x")
    assert clock.slept == [30.0]


def test_all_waiting_together_is_bounded(echo: Echo, client: Client, clock: Clock) -> None:
    echo.faults.append(Fault("GET", "/.*", 429, {"Retry-After": "400"}, times=9))
    with pytest.raises(HttpFailure, match="takes no more requests until"):
        client.get("/x")
    assert sum(clock.slept) == 800


def test_a_refusal_is_no_limit(echo: Echo, client: Client, clock: Clock) -> None:
    echo.answers["/x"] = Reply(403, {"message": "Resource not accessible"}, {"X-RateLimit-Remaining": "4999"})
    with pytest.raises(HttpFailure, match="403"):
        client.get("/x")
    assert clock.slept == []


@pytest.mark.parametrize("value", [[], "text", None, {"message": 3, "errors": [{"a": "x" * 9000}]}])
def test_any_answer_makes_an_error_of_bounded_length(echo: Echo, client: Client, value: Any) -> None:
    echo.answers["/x"] = Reply(400, value)
    with pytest.raises(HttpFailure) as raised:
        client.get("/x")
    assert len(str(raised.value)) < 1000


def test_the_proxy_of_the_environment(echo: Echo, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """It gets the request for another host, with its own credentials; this machine is spoken to directly."""
    proxy = echo.base.replace("http://", "http://me:pass%20word@")
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("https_proxy", proxy)
    client = made("https://api.example.invalid", clock)
    with pytest.raises(HttpFailure) as raised:
        client.get("/x")
    assert [r.method for r in echo.log] == ["CONNECT"] * len(echo.log)
    assert echo.log
    assert echo.log[0].headers["proxy-authorization"] == "Basic bWU6cGFzcyB3b3Jk"
    assert "authorization" not in echo.log[0].headers
    assert "pass" not in str(raised.value)
    echo.log.clear()
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    made(echo.base, clock).get("/x")
    assert len(echo.log) == 1
    monkeypatch.setenv("no_proxy", "example.invalid")
    with pytest.raises(HttpFailure, match="cannot be reached"):
        made("https://api.example.invalid", clock).get("/x")
    assert len(echo.log) == 1


def test_certificates_are_checked(tmp_path: Path, clock: Clock) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-days", "1",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
        check=True,
        capture_output=True,
    )  # fmt: skip
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = Echo()
    with serving(server, tls=context) as base, pytest.raises(HttpFailure, match="no safe connection"):
        made(base.replace("127.0.0.1", "localhost"), clock).get("/x")
    assert server.log == []


def test_a_huge_answer_is_refused(echo: Echo, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stridewise.review.http._MAX_ANSWER_BYTES", 1000)
    echo.answers["/x"] = Reply(200, ["x" * 2000])
    with pytest.raises(HttpFailure, match="an answer of more than"):
        client.get("/x")


def test_requests_are_json(echo: Echo, client: Client) -> None:
    client.post("/x", {"body": "ä\n`"})
    assert echo.log[0].headers["content-type"] == "application/json"
    assert json.dumps(echo.log[0].body) == json.dumps({"body": "ä\n`"})
    assert echo.log[0].headers["user-agent"].startswith("stridewise/")


def test_writes_are_kept_apart_and_reads_are_not(client: Client, clock: Clock) -> None:
    begin = clock.now()
    for _ in range(3):
        client.request("GET", "/a")
    assert clock.now() == begin
    client.put("/a", {})
    assert clock.now() == begin
    client.put("/a", {})
    assert clock.now() > begin
