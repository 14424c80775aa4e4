import asyncio
from collections.abc import Iterator

import pytest
from tests.issuer import AUDIENCE, ISSUER, TokenIssuer

from memoryd_server.ops.auth.issuers import live_keys
from memoryd_server.ops.auth.issuers.issuer_row import IssuerRow, RuleRow
from memoryd_server.ops.auth.issuers.key_set import KeySet
from memoryd_server.ops.auth.issuers.key_source import KeysUnavailable
from memoryd_server.ops.auth.issuers.live_keys import FollowedKeys, KeysPending, LiveKeys
from memoryd_server.ops.limit import KEYS_ASKED_S, KEYS_READ_S, KEYS_RETRY_S, UNKNOWN_KEYS_MAX
from memoryd_server.ports.instrument import Counter

pytestmark = pytest.mark.hurried

ROW = IssuerRow(issuer=ISSUER, audience=AUDIENCE, keys="/keys", rules=(RuleRow(agents=("a",)),))


class Source:
    """The source of the keys, with the times at which they were read."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.issuer = TokenIssuer()
        self.key_ids = ["ec"]
        self.is_up = True
        self.times: list[float] = []
        self.has_read = asyncio.Event()
        self.changes: list[int] = []
        self.failed = Counter("failed", "")
        monkeypatch.setattr(live_keys, "read_keys", self.read)
        self.keys = LiveKeys(ROW, "sso", self.failed)
        self.followed = FollowedKeys(lambda _, thumbprints: self.changes.append(len(thumbprints)))

    async def read(self, _: IssuerRow) -> KeySet:
        self.times.append(asyncio.get_running_loop().time())
        self.has_read.set()
        if not self.is_up:
            raise KeysUnavailable("down")
        return KeySet.parse(self.issuer.key_set(*self.key_ids), ROW.algorithms)

    async def readings(self, count: int) -> None:
        """Wait until the keys have been read this often."""
        while len(self.times) < count:
            self.has_read.clear()
            await self.has_read.wait()

    def find(self, key_id: str) -> bool | float:
        """Return whether there is the key; if that is pending, in how many seconds it will be known."""
        try:
            return self.keys.find("ES256", key_id) is not None
        except KeysPending as pending:
            return pending.delay_s


@pytest.fixture
def source(monkeypatch: pytest.MonkeyPatch) -> Iterator[Source]:
    source = Source(monkeypatch)
    yield source
    source.followed.end()


async def test_keys_are_pending_until_they_are_read(source: Source) -> None:
    assert source.find("ec") == 0.0
    source.followed.follow([source.keys])
    await source.readings(1)
    assert source.find("ec") is True
    assert source.changes == [1]


async def test_keys_are_read_again_at_an_interval(source: Source) -> None:
    source.followed.follow([source.keys])
    await source.readings(3)
    assert source.times == [0.0, KEYS_READ_S, 2 * KEYS_READ_S]
    assert source.changes == [1]


async def test_an_unknown_key_has_the_keys_read_at_once(source: Source) -> None:
    source.followed.follow([source.keys])
    await source.readings(1)
    await asyncio.sleep(KEYS_ASKED_S)  # time: takes none in this loop
    source.issuer.add("new")
    source.key_ids.append("new")
    asked = asyncio.get_running_loop().time()
    assert source.find("new") == 0.0
    await source.readings(2)
    assert source.find("new") is True
    assert source.times[1] == asked
    assert source.changes == [1, 2]


@pytest.mark.whole
async def test_a_key_that_stays_unknown_is_refused_and_read_for_at_a_rate(source: Source) -> None:
    source.followed.follow([source.keys])
    await source.readings(1)
    pending = source.find("other")
    assert pending == KEYS_ASKED_S
    await source.readings(2)
    for _ in range(100):
        assert source.find("other") is False
        await asyncio.sleep(KEYS_ASKED_S / 10)  # time: takes none in this loop
    between = [later - earlier for earlier, later in zip(source.times, source.times[1:], strict=False)]
    assert min(between) >= KEYS_ASKED_S
    assert source.find("ec") is True


async def test_unknown_keys_are_bounded(source: Source) -> None:
    source.followed.follow([source.keys])
    await source.readings(1)
    found = [source.find(f"key-{number}") for number in range(UNKNOWN_KEYS_MAX + 10)]
    assert [each is False for each in found] == [False] * UNKNOWN_KEYS_MAX + [True] * 10


async def test_unknown_keys_are_bounded_during_an_outage(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    async def read_while_asked(row: IssuerRow) -> KeySet:
        for number in range(UNKNOWN_KEYS_MAX):
            source.find(f"key-{len(source.times)}-{number}")
        return await source.read(row)

    monkeypatch.setattr(live_keys, "read_keys", read_while_asked)
    source.is_up = False
    source.followed.follow([source.keys])
    await source.readings(4)
    assert len(source.keys._unknown) <= UNKNOWN_KEYS_MAX


async def test_the_last_good_keys_are_kept_during_an_outage(source: Source) -> None:
    source.followed.follow([source.keys])
    await source.readings(1)
    source.is_up = False
    await source.readings(4)
    assert source.find("ec") is True
    assert source.failed.value == 3
    assert (source.keys.has_failed, source.changes) == (True, [1, 1])
    assert source.times[2:] == [KEYS_READ_S + KEYS_RETRY_S, KEYS_READ_S + 2 * KEYS_RETRY_S]
    # Whether there is another one is not known.
    assert source.find("other") is not False
    await source.readings(5)
    assert source.find("other") is not False
    source.is_up = True
    await source.readings(6)
    assert source.find("other") is False
    assert (source.keys.has_failed, source.changes) == (False, [1, 1, 1])


async def test_a_key_that_is_gone_is_no_longer_found(source: Source) -> None:
    source.key_ids = ["ec", "rsa"]
    source.followed.follow([source.keys])
    await source.readings(1)
    source.key_ids = ["rsa"]
    source.keys.ask()
    await source.readings(2)
    source.find("ec")
    await source.readings(3)
    assert source.find("ec") is False
    assert source.changes == [2, 1]


async def test_keys_that_are_no_longer_followed_are_not_read(source: Source) -> None:
    source.followed.follow([source.keys])
    await source.readings(1)
    source.followed.follow([source.keys])
    await source.readings(2)
    assert source.times[1] == KEYS_ASKED_S
    source.followed.follow([])
    await asyncio.sleep(3 * KEYS_READ_S)  # time: takes none in this loop
    assert len(source.times) == 2
