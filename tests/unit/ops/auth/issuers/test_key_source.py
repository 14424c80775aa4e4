import gzip
from pathlib import Path
from typing import Any

import pytest
from tests.issuer import AUDIENCE, ISSUER, KeyServer, TokenIssuer

from memoryd_server.ops.auth.issuers import key_source
from memoryd_server.ops.auth.issuers.issuer_row import IssuerRow, RuleRow
from memoryd_server.ops.auth.issuers.key_source import KeysUnavailable, read_keys
from memoryd_server.ops.limit import KEYS_BYTES_MAX

KEYS = TokenIssuer().key_set()


def row(keys: str, **fields: Any) -> IssuerRow:
    return IssuerRow(issuer=ISSUER, audience=AUDIENCE, keys=keys, rules=(RuleRow(agents=("a",)),), **fields)


async def refused(row: IssuerRow) -> str:
    with pytest.raises(KeysUnavailable) as raised:
        await read_keys(row)
    return str(raised.value)


async def test_keys_are_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    assert await refused(row(str(path))) == "cannot be read: No such file or directory"
    path.write_bytes(KEYS)
    assert len((await read_keys(row(str(path)))).keys) == 2
    path.write_bytes(b" " * (KEYS_BYTES_MAX + 1))
    assert "larger than" in await refused(row(str(path)))


async def test_keys_are_read_from_a_url_with_a_token(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("secret\n")
    with KeyServer(KEYS) as server:
        assert len((await read_keys(row(server.url))).keys) == 2
        await read_keys(row(server.url, keys_token_file=str(tmp_path / "token")))
    assert [each.get("authorization") for each in server.requests] == [None, "Bearer secret"]
    assert {each["accept-encoding"] for each in server.requests} == {"identity"}


@pytest.mark.parametrize("status", [201, 204, 301, 302, 307, 404, 500])
async def test_another_status_is_refused_and_no_redirection_followed(status: int) -> None:
    with KeyServer(KEYS) as other, KeyServer(KEYS) as server:
        server.status, server.headers = status, {"location": other.url}
        assert await refused(row(server.url)) == f"the server returned HTTP status {status}"
    assert other.requests == []


async def test_a_huge_response_is_refused() -> None:
    with KeyServer(b" " * (KEYS_BYTES_MAX + 1)) as server:
        assert await refused(row(server.url)) == f"larger than {KEYS_BYTES_MAX} bytes"


async def test_a_compressed_response_is_refused() -> None:
    with KeyServer(gzip.compress(KEYS)) as server:
        server.headers = {"content-encoding": "gzip"}
        assert "no JSON Web Key Set" in await refused(row(server.url))


async def test_a_server_that_does_not_respond_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_source, "KEYS_RESPONSE_S_MAX", 0.05)  # time: must expire
    with KeyServer(KEYS) as server:
        server.gate.clear()
        assert await refused(row(server.url)) == "no response within 0.05 s"


async def test_a_server_that_is_not_there_is_reported() -> None:
    with KeyServer(KEYS) as server:
        url = server.url
    assert "cannot be reached: Connect" in await refused(row(url))


@pytest.mark.parametrize("host", ["\N{SNOWMAN}.example", "sso.example/\x01", "sso.example/" + "a" * 70_000])
async def test_a_url_that_cannot_be_requested_is_reported(host: str) -> None:
    assert await refused(row(f"https://{host}")) == "cannot be reached: InvalidURL"


async def test_bad_authorities_and_tokens_are_reported(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    (tmp_path / "binary").write_bytes(b"\xff")
    url = "https://127.0.0.1:1/keys"
    assert "cannot be" in await refused(row(url, keys_ca_file=str(tmp_path / "empty")))
    assert "cannot be read" in await refused(row(url, keys_ca_file=str(tmp_path / "missing")))
    assert await refused(row(url, keys_token_file=str(tmp_path / "binary")))
