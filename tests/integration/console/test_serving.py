"""The console's files: where they are, by which headers a browser is bound, and who gets them."""

import re
from pathlib import Path

import httpx
import pytest
from tests.daemon import Daemon

FILES = ("/console/", "/console/console.js", "/console/console.css", "/console/console.svg")


@pytest.mark.parametrize("path", FILES)
def test_every_file_is_bound_to_its_own_origin(web: httpx.Client, path: str) -> None:
    response = web.get(path)
    assert response.status_code == httpx.codes.OK
    policy = dict(each.split(" ", 1) for each in response.headers["content-security-policy"].split("; "))
    assert policy == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "connect-src": "'self'",
        "img-src": "'self' data:",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
    }
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["referrer-policy"] == "no-referrer"
    assert response.headers["cross-origin-opener-policy"] == "same-origin"
    assert "access-control-allow-origin" not in response.headers


@pytest.mark.parametrize("path", FILES)
def test_a_file_names_no_other_machine(web: httpx.Client, path: str) -> None:
    # Names of namespaces are no addresses.
    text = web.get(path).text.replace("http://www.w3.org/", "")
    assert re.findall(r"\b(?:https?|wss?):|[\"'(]//\w", text) == []


@pytest.mark.parametrize("path", ["/", "/console"])
def test_the_console_is_found(web: httpx.Client, path: str) -> None:
    response = web.get(path)
    assert (response.status_code, response.headers["location"]) == (httpx.codes.TEMPORARY_REDIRECT, "/console/")


def test_a_file_that_has_not_changed_is_not_sent_again(web: httpx.Client) -> None:
    first = web.get("/console/console.js")
    assert first.headers["cache-control"] == "no-cache"
    again = web.get("/console/console.js", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (httpx.codes.NOT_MODIFIED, b"")
    assert again.headers["etag"] == first.headers["etag"]


@pytest.mark.parametrize(
    "path",
    ["/console/../console/console.py", "/console/index.html", "/console//console.js", "/console/%2e%2e/pages.py"],
)
def test_no_other_path_has_a_file(served: Daemon, path: str) -> None:
    # As it stands: httpx would resolve the dots.
    with httpx.Client(trust_env=False) as client:
        url = httpx.URL(f"http://{served.address}").copy_with(raw_path=path.encode())
        assert client.get(url).status_code == httpx.codes.NOT_FOUND


def test_a_page_of_another_origin_gets_no_file(web: httpx.Client) -> None:
    assert web.get("/console/", headers={"origin": "https://evil.example"}).status_code == httpx.codes.FORBIDDEN
    assert web.get("/console/", headers={"host": "evil.example"}).status_code == httpx.codes.FORBIDDEN


def test_a_write_to_a_file_is_no_read_of_it(web: httpx.Client) -> None:
    assert web.put("/console/", content=b"").status_code == httpx.codes.METHOD_NOT_ALLOWED


def test_there_is_no_console_unless_it_is_asked_for(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path, "--embedder", "none")
    daemon.start()
    try:
        for path in ("/", "/console", *FILES):
            response = httpx.get(f"http://{daemon.address}{path}", trust_env=False)
            assert response.status_code == httpx.codes.NOT_FOUND, path
    finally:
        daemon.close()


def test_a_server_without_pages_refuses_the_console(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path, "--console", "--transport", "grpc", "--embedder", "none")
    with pytest.raises(AssertionError, match="console: requires the front end"):
        daemon.start()
