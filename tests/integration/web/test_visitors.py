"""Web pages that call: those of named origins may, those of others may not, and cookies mean nothing."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.daemon import Daemon
from tests.integration.credential import write_tokens
from tests.integration.web.conftest import APP, daemon_of
from tests.wait import WAIT_S_MAX

INFO = "/memoryd.v1.ServerService/GetServerInfo"


def test_a_browser_that_asks_first_gets_leave_for_a_named_origin(web: httpx.Client) -> None:
    asked = {"access-control-request-method": "POST", "access-control-request-headers": "authorization,content-type"}
    answer = web.options(INFO, headers={"origin": APP, **asked})
    assert answer.status_code == 204
    assert answer.headers["access-control-allow-origin"] == APP
    assert answer.headers["access-control-allow-headers"] == asked["access-control-request-headers"]
    assert "POST" in answer.headers["access-control-allow-methods"]
    assert "access-control-allow-credentials" not in answer.headers
    assert web.options(INFO, headers={"origin": "https://other.example", **asked}).status_code == 403


def test_a_page_of_a_named_origin_may_read_answers_and_errors(web: httpx.Client) -> None:
    for body, status in (({}, 200), ({"nothing": 1}, 400)):
        answer = web.post(INFO, json=body, headers={"origin": APP})
        assert answer.status_code == status
        assert answer.headers["access-control-allow-origin"] == APP
        assert "origin" in answer.headers["vary"]


@pytest.mark.parametrize("origin", ["https://other.example", "null", "https://app.example.evil", "http://app.example"])
def test_pages_of_other_origins_may_not_call(web: httpx.Client, origin: str) -> None:
    for answer in (
        web.post(INFO, json={}, headers={"origin": origin}),
        web.post(INFO, content="{}", headers={"origin": origin, "content-type": "application/x-www-form-urlencoded"}),
        web.get(INFO, headers={"origin": origin}),
    ):
        assert answer.status_code == 403
        assert "access-control-allow-origin" not in answer.headers


def test_a_page_whose_own_name_leads_here_may_not_call(served: Daemon, web: httpx.Client) -> None:
    port = served.address.rpartition(":")[2]
    for host, status in (
        (f"127.0.0.1:{port}", 200),
        (f"localhost:{port}", 200),
        ("memoryd", 200),
        (f"evil.example:{port}", 403),
    ):
        assert web.post(INFO, json={}, headers={"host": host}).status_code == status, host


@pytest.fixture(scope="module")
def guarded(door: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[httpx.Client, str]]:
    """A client of a daemon that requires tokens, and a token."""
    directory: Path = tmp_path_factory.mktemp("guarded")
    (token,) = write_tokens(directory / "tokens.toml", {"admin": 'agents = ["*"]'}).values()
    daemon = daemon_of(door, directory, "--token-file", str(directory / "tokens.toml"))
    daemon.start()
    with httpx.Client(base_url=f"http://{daemon.address}", timeout=WAIT_S_MAX, trust_env=False) as client:
        yield client, token
    daemon.close()


def test_a_token_is_needed_where_one_is_configured(guarded: tuple[httpx.Client, str]) -> None:
    client, token = guarded
    refused = client.post(INFO, json={})
    assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")
    assert refused.json()["code"] == "unauthenticated"
    assert client.post(INFO, json={}, headers={"authorization": f"Bearer {token}"}).status_code == 200


def test_cookies_and_queries_never_authenticate(guarded: tuple[httpx.Client, str]) -> None:
    client, token = guarded
    for cookie in (f"authorization=Bearer {token}", f"token={token}", f"access_token={token}"):
        assert client.post(INFO, json={}, headers={"cookie": cookie}).status_code == 401
    assert client.get(INFO, params={"message": "{}", "access_token": token, "token": token}).status_code == 401


def test_any_name_may_call_where_callers_are_known(guarded: tuple[httpx.Client, str]) -> None:
    client, token = guarded
    headers = {"host": "memory.example", "authorization": f"Bearer {token}"}
    assert client.post(INFO, json={}, headers=headers).status_code == 200
