import json
from collections.abc import Callable
from uuid import uuid4

from tests.daemon import Daemon
from tests.wait import PATIENT

import memoryd

Command = Callable[..., tuple[int, str, str]]


def test_a_snapshot_is_created_in_the_background(command: Command, agent: memoryd.Agent) -> None:
    agent.set("k", 1)
    name = f"of-{agent.agent_id}"
    code, out, _ = command("snapshot", "create", name, "--agent", agent.agent_id, "--background")
    operation_id = out.split(" ")[0]
    assert (code, out) == (0, f"{operation_id} was started: memoryd operation watch {operation_id}\n")
    assert command("operation", "watch", operation_id) == (0, f"{operation_id} has succeeded\n", "")
    (row,) = command("operation", "list", "--agent", agent.agent_id, "--state", "succeeded")[1].splitlines()
    assert row.split("\t")[:6] == [
        operation_id,
        agent.agent_id,
        "SnapshotService/CreateSnapshot",
        "succeeded",
        "1",
        "1",
    ]
    assert command("operation", "list", "--agent", agent.agent_id, "--state", "running") == (0, "", "")
    facts = dict(line.split("\t") for line in command("operation", "get", operation_id)[1].splitlines())
    assert (facts["state"], facts["done"], facts["error"]) == ("succeeded", "1", "")
    assert json.loads(command("operation", "get", operation_id, "--json")[1])["operation_id"] == operation_id
    assert command("operation", "cancel", operation_id) == (0, f"{operation_id} stays as it is: succeeded\n", "")
    agent.set("k", 2)
    code, out, _ = command("snapshot", "restore", name, "--background", "--yes")
    assert (code, command("operation", "watch", out.split(" ")[0])[0]) == (0, 0)
    assert agent.get("k") == 1


def test_a_failed_operation_fails_its_watch(command: Command, shared_daemon: Daemon, agent: memoryd.Agent) -> None:
    agent.set("k", 1)
    operation_id = f"o-{uuid4().hex}"
    with memoryd.connect(shared_daemon.address, **PATIENT) as client:
        client.operations.create_document(agent.agent_id, data=b"%PDF-1.4", operation_id=operation_id)
    code, out, err = command("operation", "watch", operation_id)
    assert (code, out) == (1, "")
    assert err.endswith("(DOCUMENT_UNREADABLE)\n")
    shown = json.loads(command("operation", "get", operation_id, "--json")[1])
    assert (shown["state"], shown["error"]["reason"]) == ("failed", "ERROR_REASON_DOCUMENT_UNREADABLE")


def test_an_unknown_operation_is_an_error(command: Command) -> None:
    for verb in ("get", "watch", "cancel"):
        code, _, err = command("operation", verb, "none")
        assert (code, err) == (1, "memoryd: there is no operation 'none' in this daemon (OPERATION_NOT_FOUND)\n")
