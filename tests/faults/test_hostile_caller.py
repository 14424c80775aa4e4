"""A caller that sends more than its share: the daemon refuses it, stays small, and serves the others."""

import asyncio
from collections import Counter
from pathlib import Path

import grpc
import pytest
from google.rpc import error_details_pb2, status_pb2
from tests.daemon import Daemon
from tests.wait import until

from memoryd.v1 import document_service_pb2, event_service_pb2, server_service_pb2
from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd.v1.document_service_pb2_grpc import DocumentServiceStub
from memoryd.v1.event_service_pb2_grpc import EventServiceStub
from memoryd.v1.server_service_pb2_grpc import ServerServiceStub
from memoryd.v1.working_memory_service_pb2_grpc import WorkingMemoryServiceStub

GROWTH_MAX_MB = 150
LARGE = b"\x0a\x80\x80\xc0\x07" + b"a" * (15 * 1024 * 1024)
"""A request of 15 MiB: an agent_id that is too long."""
GET_AGENT = "/memoryd.v1.AgentService/GetAgent"
GET = pb.GetEntryRequest(agent_id="a", key="k")


def rss_mb(daemon: Daemon) -> int:
    (line,) = [line for line in Path(f"/proc/{daemon.pid}/status").read_text().splitlines() if line.startswith("VmRSS")]
    return int(line.split()[1]) // 1024


def with_tokens(directory: Path) -> Daemon:
    """Return a daemon that requires a token which nobody has."""
    tokens = directory / "tokens.toml"
    tokens.write_text('[tokens.somebody]\nsha256 = "' + "0" * 64 + '"\nagents = ["*"]\n')
    tokens.chmod(0o600)
    return Daemon(directory, "--token-file", str(tokens))


@pytest.mark.parametrize("compression", [grpc.Compression.NoCompression, grpc.Compression.Gzip])
def test_what_is_refused_leaves_no_memory_behind(tmp_path: Path, compression: grpc.Compression) -> None:
    daemon = with_tokens(tmp_path)
    daemon.start()
    try:
        before = rss_mb(daemon)
        with daemon.channel() as channel:
            call = channel.unary_unary(GET_AGENT)
            futures = [call.future(LARGE, timeout=120, compression=compression) for _ in range(40)]
            codes = {future.exception().code() for future in futures}
        assert codes <= {grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.UNIMPLEMENTED}
        until(lambda: rss_mb(daemon) - before < GROWTH_MAX_MB, "the memory is returned")
    finally:
        daemon.close()


async def outcome(call: grpc.aio.UnaryUnaryCall) -> str:
    """Return OK, or the reason of the refusal if it says when to try again."""
    try:
        await call
    except grpc.aio.AioRpcError as error:
        details = dict(error.trailing_metadata() or ())
        status = status_pb2.Status.FromString(details.get("grpc-status-details-bin", b""))
        info, retry = error_details_pb2.ErrorInfo(), error_details_pb2.RetryInfo()
        known = [detail.Unpack(info) or detail.Unpack(retry) for detail in status.details]
        return info.reason if len(known) > 1 and all(known) else f"{error.code().name} without details"
    return "OK"


async def test_each_call_of_a_burst_is_answered(daemon: Daemon) -> None:
    async with grpc.aio.insecure_channel(daemon.address) as channel:
        get = WorkingMemoryServiceStub(channel).GetEntry
        outcomes = Counter(await asyncio.gather(*(outcome(get(GET, timeout=120)) for _ in range(3000))))
    assert outcomes["OK"]
    assert set(outcomes) <= {"OK", "ERROR_REASON_OVERLOADED"}


async def test_half_sent_uploads_lock_nobody_out(daemon: Daemon) -> None:
    header = document_service_pb2.UploadDocumentRequest()
    header.header.agent_id = "hog"
    header.header.create.title = "never ends"
    async with grpc.aio.insecure_channel(daemon.address, options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
        uploads = [DocumentServiceStub(channel).UploadDocument() for _ in range(300)]
        await asyncio.gather(*(upload.write(header) for upload in uploads), return_exceptions=True)
        async with grpc.aio.insecure_channel(
            daemon.address, options=[("grpc.use_local_subchannel_pool", 1)]
        ) as channel_of_other:
            assert await outcome(WorkingMemoryServiceStub(channel_of_other).GetEntry(GET, timeout=60)) == "OK"
            info = await ServerServiceStub(channel_of_other).GetServerInfo(server_service_pb2.GetServerInfoRequest())
        assert info.usage["concurrent_transfers"] <= info.limits["concurrent_transfers_per_caller"]
        for upload in uploads:
            upload.cancel()


async def test_watchers_that_leave_while_they_are_written_to_are_no_errors(daemon: Daemon) -> None:
    value = '"' + "v" * 300_000 + '"'
    async with grpc.aio.insecure_channel(daemon.address) as channel:
        set_entry = WorkingMemoryServiceStub(channel).SetEntry
        watching = grpc.aio.insecure_channel(daemon.address, options=[("grpc.use_local_subchannel_pool", 1)])
        watches = [EventServiceStub(watching).WatchEvents(event_service_pb2.WatchEventsRequest()) for _ in range(50)]
        await asyncio.gather(*(watch.read() for watch in watches))
        for number in range(20):
            await set_entry(pb.SetEntryRequest(agent_id="a", key=f"k{number}", value_json=value))
        await watching.close()
        await set_entry(pb.SetEntryRequest(agent_id="a", key="k", value_json=value))
    daemon.stop()
    assert "ERROR" not in daemon.log
    assert "Traceback" not in daemon.log
