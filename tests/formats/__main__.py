"""Writes the data of a release, once, before its tag: `python -m tests.formats VERSION`. What is there stays."""

import json
import shutil
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from tests.formats.description import describe
from tests.formats.filling import fill, unfinished
from tests.formats.fixture import FOLDER, PREFIX, Fixture
from tests.in_process import InProcess
from tests.integration.wire import Wire
from tests.valkey.server import ValkeyServer
from tests.valkey.url import with_options

from memoryd.v1 import event_service_pb2 as event_pb
from memoryd.v1 import snapshot_service_pb2 as snapshot_pb
from memoryd_server.ops.auth.policy_edit import create_token
from memoryd_server.stores.snapshot_key import new_identity_file

_SETTINGS = """\
# Settings of this version, as `memoryd serve --config` reads them.
durability = "synced"
log_format = "json"
journal_age_max = "14d"
snapshot_interval = "1h"
"""


def write(folder: Path) -> None:
    """Write the fixture of today's code into a folder."""
    fixture = Fixture(folder)
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        key = _write_key(fixture)
        with InProcess(place / "embedded", "--snapshot-key-file", str(key)) as daemon, daemon.channel() as channel:
            wire = Wire(channel)
            token = fill(wire)
            expected = {
                "written_ns": time.time_ns(),
                "resume_token": token,
                "page_token": wire.events.ListEvents(event_pb.ListEventsRequest(page_size=3)).next_page_token,
                **describe(wire),
            }
            _keep_snapshot(wire, fixture, "encrypted")
        with InProcess(place / "embedded") as daemon, daemon.channel() as channel:
            wire = Wire(channel)
            _keep_snapshot(wire, fixture, "plain")
            with unfinished(wire):
                fixture.pack(daemon.data_dir)
        _write_redis(fixture, place, expected)
    fixture.description.write_text(json.dumps(expected, indent=1, ensure_ascii=False, sort_keys=True) + "\n")
    create_token(fixture.token_file, "ci", ("build-1", "team-*"))
    fixture.settings_file.write_text(_SETTINGS)


def _write_redis(fixture: Fixture, place: Path, expected: dict[str, object]) -> None:
    with ValkeyServer(place / "valkey") as server:
        url = with_options(server.url, prefix=PREFIX, shards=2)
        with InProcess(place / "shared", "--store", url) as daemon, daemon.channel() as channel:
            wire = Wire(channel)
            expected["redis"] = {"resume_token": fill(wire), **describe(wire)}
        fixture.pack_redis(server)


def _write_key(fixture: Fixture) -> Path:
    # Not a secret: it opens nothing but the snapshot beside it.
    fixture.snapshot_key.write_text(new_identity_file(datetime.now(UTC))[0])
    fixture.snapshot_key.chmod(0o600)
    return fixture.snapshot_key


def _keep_snapshot(wire: Wire, fixture: Fixture, name: str) -> None:
    wire.snapshots.CreateSnapshot(snapshot_pb.CreateSnapshotRequest(snapshot_id=name))
    parts = wire.snapshots.ExportSnapshot(snapshot_pb.ExportSnapshotRequest(snapshot_id=name))
    fixture.snapshots[name].write_bytes(b"".join(part.chunk for part in parts))


if __name__ == "__main__":
    (version,) = sys.argv[1:] or sys.exit("usage: python -m tests.formats VERSION")
    target = FOLDER / version
    if target.exists():
        sys.exit(f"{target} exists: a format that was released never changes")
    try:
        write(target)
    except BaseException:
        shutil.rmtree(target, ignore_errors=True)
        raise
