"""The audit by the client: records of calls, as they are made."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.daemon import Daemon
from tests.wait import PATIENT, WAIT_S_MAX

import memoryd
from memoryd import errors


@pytest.fixture
def audited(tmp_path: Path) -> Iterator[Daemon]:
    daemon = Daemon(tmp_path, "--durability", "memory", "--audit-log", str(tmp_path / "audit.log"))
    daemon.start()
    yield daemon
    daemon.close()


def test_a_record_says_who_did_what_to_which_agent(audited: Daemon) -> None:
    with memoryd.connect(audited.address, **PATIENT) as client:
        records = client.watch_audit()
        begun = next(records)
        assert (begun.phase, begun.method) == ("begin", "memoryd.v1.ServerService/WatchAudit")
        assert (begun.status, begun.duration, begun.agent_ids) == ("", None, ("*",))
        client.agent("a").forget_user("ada")
        created = next(records)
        assert (created.phase, created.method) == ("call", "memoryd.v1.AgentService/ForgetUser")
        assert (created.agent_ids, created.user_id, created.status) == (("a",), "ada", "OK")
        assert created.request_id
        assert (created.denied, created.reason, created.caller) == (False, "", "")
        assert (created.omitted_count, created.missed_count) == (0, 0)
        assert created.duration is not None
        assert timedelta() < created.duration < timedelta(seconds=WAIT_S_MAX)
        assert created.time.tzinfo is UTC
        assert created.time <= datetime.now(UTC) + timedelta(seconds=1)
        assert created.peer


def test_a_watch_of_some_agents_yields_their_records_alone(audited: Daemon) -> None:
    with memoryd.connect(audited.address, **PATIENT) as client:
        found: list[memoryd.AuditRecord] = []

        def watch() -> None:
            found.append(next(record for record in client.watch_audit("team-*") if record.phase == "call"))

        watching = threading.Thread(target=watch)
        watching.start()
        # When it has begun cannot be seen from here.
        while watching.is_alive():
            client.agent("other").set("key", 1)
            client.agent("team-1").set("key", 1)
        assert found[0].agent_ids == ("team-1",)


async def test_the_async_client_yields_records_until_the_server_ends(audited: Daemon) -> None:
    async with memoryd.aio.connect(audited.address, **PATIENT) as client:
        records = client.watch_audit()
        assert (await anext(records)).phase == "begin"
        audited.close()
        with pytest.raises(errors.Unavailable):
            await anext(records)


def test_without_an_audit_log_the_error_says_so(client: memoryd.Client) -> None:
    with pytest.raises(errors.AuditOff, match="set audit_log"):
        next(iter(client.watch_audit()))
