import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.daemon import Daemon
from tests.integration.cli.process import Process
from tests.wait import PATIENT

import memoryd
from memoryd_server.ops.cli.audit import sentence_of

Start = Callable[..., Process]
Command = Callable[..., tuple[int, str, str]]


def watching(start: Start, daemon: Daemon, *arguments: str) -> Process:
    """Start a watch that prints its own beginning, and wait until it has begun."""
    watch = start("audit", "watch", *arguments, address=daemon.address)
    watch.wait_until(lambda: "WatchAudit" in watch.out)
    return watch


@pytest.mark.whole
def test_records_are_printed_as_they_come_until_ctrl_c(
    start: Start, launch_process: Callable[..., Daemon], tmp_path: Path
) -> None:
    daemon = launch_process("--durability", "memory", "--audit-log", str(tmp_path / "audit.log"))
    rows, lines = watching(start, daemon), watching(start, daemon, "--json")
    with memoryd.connect(daemon.address, **PATIENT) as client:
        client.agent("a").set("key", "kept-to-itself")
    for watch in (rows, lines):
        watch.wait_until(lambda watch=watch: "SetEntry" in watch.out)  # type: ignore[misc]
        assert "kept-to-itself" not in watch.out
        assert watch.interrupt() == 0
    (row,) = [line.split("\t") for line in rows.out.splitlines() if "SetEntry" in line]
    assert len(row) == 17
    assert (row[1], row[4], row[5], row[10]) == ("call", "memoryd.v1.WorkingMemoryService/SetEntry", "a", "OK")
    (record,) = [json.loads(line) for line in lines.out.splitlines() if "SetEntry" in line]
    assert (record["method"], record["agent_ids"]) == ("memoryd.v1.WorkingMemoryService/SetEntry", ["a"])


def test_a_daemon_without_an_audit_log_is_an_error(command: Command) -> None:
    code, _, err = command("audit", "watch")
    assert (code, err) == (1, "memoryd: the server keeps no audit log: set audit_log (AUDIT_OFF)\n")


def test_a_person_reads_who_did_what_and_how_it_ended() -> None:
    record = memoryd.AuditRecord(
        time=datetime.now(UTC),
        phase=memoryd.AuditPhase.CALL,
        method="memoryd.v1.AgentService/ForgetUser",
        caller="desk",
        peer="ipv4:127.0.0.1:1",
        agent_ids=("a", "b"),
        user_id="ada\n",
        request_id="r",
        target_id="",
        requests=("delete_note",),
        trace_id="",
        status="OK",
        reason="",
        denied=False,
        duration=timedelta(milliseconds=1),
        omitted_count=0,
        missed_count=0,
    )
    assert sentence_of(record)[8:] == "  desk  ipv4:127.0.0.1:1  ForgetUser  a, b  user ada\\u000a  (delete_note)  OK"
    denied = replace(record, caller="", denied=True, status="PERMISSION_DENIED", reason="VERB_FORBIDDEN")
    assert sentence_of(denied).endswith("denied: VERB_FORBIDDEN")
    assert "  unknown caller  " in sentence_of(denied)
    assert "  anonymous  " in sentence_of(replace(record, caller=""))
    assert sentence_of(replace(record, phase=memoryd.AuditPhase.BEGIN, status="")).endswith("begins")
