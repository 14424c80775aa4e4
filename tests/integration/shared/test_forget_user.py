"""Forgetting of a user where two daemons share a store."""

import pytest
from tests.integration.shared.pair import Pair
from tests.integration.test_forget_user import SECRET, USER, fill, left_of
from tests.valkey.server import ValkeyServer
from tests.wait import PATIENT

import memoryd
from memoryd_server.domain.lifecycle.agent_change import CLEARABLE
from memoryd_server.domain.record_kind import RecordKind


def values_of(server: ValkeyServer, prefix: str) -> bytes:
    """Return the bytes of all values of a store as the server keeps them, uncompressed."""
    server.command("CONFIG", "SET", "rdbcompression", "no")
    keys, cursor = list[bytes](), b"0"
    while True:
        reply = server.command("SCAN", cursor, "COUNT", "1000")
        assert isinstance(reply, list)
        cursor, found = reply
        keys += [key for key in found if prefix.encode() in key]
        if cursor == b"0":
            return b"".join(key + bytes(server.command("DUMP", key) or b"") for key in keys)


def test_a_user_whom_one_daemon_forgot_is_in_neither_and_not_in_the_server(pair: Pair, valkey: ValkeyServer) -> None:
    here, _ = pair.agents()
    with (
        memoryd.connect(target=pair.daemons[0].address, **PATIENT) as first,
        memoryd.connect(target=pair.daemons[1].address, **PATIENT) as second,
    ):
        one, other = first.agent(here.id), second.agent(here.id)
        fill(one)
        fill(other, "plainword", "bob", "y")
        fill(other, name="z")
        one.clear_all(["note", "conversation"])
        assert SECRET in left_of(other)
        assert SECRET.encode() in values_of(valkey, pair.prefix)
        assert other.forget_user(USER).deleted["memory"] == 4
        for agent in (one, other):
            shown = left_of(agent)
            assert (SECRET in shown, "plainword" in shown) == (False, True)
        assert SECRET.encode() not in values_of(valkey, pair.prefix)


@pytest.mark.whole
def test_what_one_daemon_erased_is_in_neither_and_not_in_the_server(pair: Pair, valkey: ValkeyServer) -> None:
    here, _ = pair.agents()
    with (
        memoryd.connect(target=pair.daemons[0].address, **PATIENT) as first,
        memoryd.connect(target=pair.daemons[1].address, **PATIENT) as second,
    ):
        one, other = first.agent(here.id), second.agent(here.id)
        fill(one)
        one.clear_all(["note", "conversation"])
        other.set("kept", "plainword of here")
        other.set("card", SECRET)
        assert SECRET.encode() in values_of(valkey, pair.prefix)
        assert other.remove("card", erase=True).erased == {"entry": 1}
        kinds = [kind.name.lower() for kind in CLEARABLE - {RecordKind.ENTRY}]
        one.clear_all(kinds, erase=True)
        for key in list(other.keys(all_users=True)):
            if key != "kept":
                other.remove(key, erase=True)
        for scope in list(other.scopes(all_users=True)):
            other.attach(scope.scope_id).dispose(erase=True)
        for agent in (one, other):
            shown = left_of(agent)
            assert (SECRET in shown, "plainword" in shown) == (False, True)
        assert SECRET.encode() not in values_of(valkey, pair.prefix)
        assert one.end(erase=True).deleted
        assert b"plainword of here" not in values_of(valkey, pair.prefix)
