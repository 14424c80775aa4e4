"""A policy that is read again because a call has an unknown token."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from unittest import mock

import pytest
from tests.wait import WAIT_S_MAX

from memoryd_server.domain.error import Overloaded, Unauthenticated
from memoryd_server.ops.auth import live_policy
from memoryd_server.ops.auth.authenticator import PolicyAuthenticator
from memoryd_server.ops.auth.live_policy import LivePolicy
from memoryd_server.ops.auth.policy_file import Policy, hash_token, read_policy
from memoryd_server.ports.auth import Caller


def write(file: Path, *names: str) -> None:
    file.touch(0o600)
    file.write_text("".join(f'[tokens.{name}]\nsha256 = "{hash_token(name)}"\nagents = ["a"]\n' for name in names))


class Live:
    """A policy that is followed, and what it has last been asked to enforce."""

    def __init__(self, file: Path) -> None:
        write(file, "first")
        self.file = file
        self.authenticator = PolicyAuthenticator(read_policy(file))
        self.policy = LivePolicy(file, self.authenticator, mock.Mock(), mock.Mock())

    def call(self, token: str) -> Caller:
        return self.authenticator.authenticate(f"Bearer {token}", ())

    async def accepted(self, token: str) -> Caller:
        """Call until the token is known."""
        async with asyncio.timeout(WAIT_S_MAX):
            while True:
                try:
                    return self.call(token)
                except Overloaded:
                    await asyncio.to_thread(lambda: None)


@pytest.fixture
async def live(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Live]:
    monkeypatch.setattr(live_policy, "POLICY_SETTLED_S", 0.01)  # time: how long a file must stay the same
    live = Live(tmp_path / "tokens.toml")
    async with live.policy.running():
        yield live


async def test_a_token_of_a_changed_file_is_soon_accepted(live: Live) -> None:
    write(live.file, "first", "second")
    with pytest.raises(Overloaded) as raised:
        live.call("second")
    assert raised.value.metadata == {"limit": "token_file_reads_per_second", "value": "5"}
    assert raised.value.delay_ms is not None
    assert (await live.accepted("second")).name == "second"
    with pytest.raises(Unauthenticated):
        live.call("unknown")


async def test_a_certificate_of_a_changed_file_is_waited_for_as_well(live: Live) -> None:
    write(live.file, "first", "second")
    with pytest.raises(Overloaded):
        live.authenticator.authenticate(None, ("planner",))
    with pytest.raises(Unauthenticated):
        live.authenticator.authenticate(None, ())


async def test_an_unknown_token_is_refused_while_the_file_is_the_same(live: Live) -> None:
    for _ in range(3):
        with pytest.raises(Unauthenticated):
            live.call("second")


async def test_a_bad_file_is_read_once_and_keeps_the_policy(live: Live, caplog: pytest.LogCaptureFixture) -> None:
    live.file.write_text("[")
    with pytest.raises(Unauthenticated):
        await live.accepted("second")
    with pytest.raises(Unauthenticated):
        live.call("second")
    assert live.call("first").name == "first"
    assert caplog.text.count("keeping the old one") == 1


async def test_a_file_that_changes_meanwhile_is_read_once_it_stays_the_same(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    marks = [{live.file: (size, 0, 0)} for size in (1, 2, 3, 3)]
    left = []

    def read(path: Path) -> Policy:
        left.append(len(marks))
        return read_policy(path)

    monkeypatch.setattr(live_policy, "marks_of", lambda _: marks.pop(0) if len(marks) > 1 else marks[0])
    monkeypatch.setattr(live_policy, "read_policy", read)
    write(live.file, "first", "second")
    await live.accepted("second")
    assert left == [1]
