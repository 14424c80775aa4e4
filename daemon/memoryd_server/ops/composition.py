"""The composition root: creates all parts of the daemon, connects them, and runs the result."""

import asyncio
import contextlib
import logging
import signal
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

import msgspec

from memoryd_server import __version__
from memoryd_server.domain.conversations.ingestion_change import IngestMode
from memoryd_server.domain.error import StoreUnavailable
from memoryd_server.domain.limit import SECOND_NS
from memoryd_server.domain.memories.memory_policy import MemoryPolicy
from memoryd_server.domain.memories.salience import SaliencePolicy
from memoryd_server.engine.agents.agent_cache import CacheSize
from memoryd_server.engine.agents.clock import Clock
from memoryd_server.engine.documents.documents import DocumentSources
from memoryd_server.engine.engine import Engine, EngineSettings
from memoryd_server.engine.fragments.fragments import FragmentPolicy
from memoryd_server.engine.upkeep.maintenance import Schedule
from memoryd_server.extraction.extractor import FileExtractor
from memoryd_server.models.tokenization.counter import OfflineTokenCounter
from memoryd_server.ops.auditing.audit_file import AuditFile, AuditTelemetry
from memoryd_server.ops.auditing.audit_tail import audit_log_followed
from memoryd_server.ops.auth.authenticator import PolicyAuthenticator, authenticator_of
from memoryd_server.ops.auth.live_policy import LivePolicy
from memoryd_server.ops.auth.policy_file import Policy, read_policy
from memoryd_server.ops.auth.renewal import followed_certificates
from memoryd_server.ops.auth.tls import server_credentials
from memoryd_server.ops.auth.token_use import TokenUses
from memoryd_server.ops.config.address import Address, UnixAddress
from memoryd_server.ops.config.settings import Metrics, Settings
from memoryd_server.ops.data_directory import DataDirectory
from memoryd_server.ops.error import OperatorError
from memoryd_server.ops.followed_files import FollowedFiles, Marks, files_followed, marks_of
from memoryd_server.ops.listening import metrics_address
from memoryd_server.ops.log import reread_level
from memoryd_server.ops.observing.observation import Observation
from memoryd_server.ops.restore_mark import RestoreMarkFile
from memoryd_server.ops.service_manager import reported_ready
from memoryd_server.ops.supervisor import Worker
from memoryd_server.ops.unix_socket import access_of, prepare_socket, share_socket
from memoryd_server.ops.wiring.models import (
    NewIndexes,
    embedder_of,
    mentioned_times_of,
    new_selector,
    proposer_of,
    summarizer_of,
)
from memoryd_server.ops.wiring.snapshots import snapshot_key_of
from memoryd_server.ops.wiring.stores import durability_of, index_files_of, store_of
from memoryd_server.ops.wiring.transports import server_of, uses_front
from memoryd_server.ports.auth import Authenticator
from memoryd_server.ports.component import Component, Components
from memoryd_server.ports.fetching import Fetcher
from memoryd_server.ports.store import Store
from memoryd_server.ports.store_factory import UnfitStore
from memoryd_server.ports.telemetry import WorkingMemoryTelemetry
from memoryd_server.stores.segment_directory import SegmentDirectory
from memoryd_server.stores.snapshot_directory import SnapshotDirectory
from memoryd_server.stores.upload_directory import UploadDirectory
from memoryd_server.transport.admission.pool import Pools
from memoryd_server.transport.auditing.audit_trail import AuditTrail
from memoryd_server.transport.gate import Gate
from memoryd_server.transport.grpc.health import HEALTH_SERVICE, health_methods
from memoryd_server.transport.grpc.reflection import reflection_methods
from memoryd_server.transport.health import Health
from memoryd_server.transport.observing.auditor import Auditor
from memoryd_server.transport.routes import Method, contract_services, routes
from memoryd_server.transport.server import Server
from memoryd_server.transport.server_service import ServerFacts
from memoryd_server.transport.serving import Serving

log = logging.getLogger("memoryd.server")
system_clock: Clock = time.time_ns
"""The clock of the whole daemon. No inner layer can import it: each uses the one that it is given."""


class Contract(msgspec.Struct, frozen=True):
    """The contract as any number of transports serve it: its methods by path, and when they begin and end.

    ``policy`` says who may call them; None where anybody may. ``audit`` and ``trail`` are None where no call is
    audited. ``components`` are those whose health is reported.
    """

    methods: Mapping[str, Method]
    serving: Serving
    policy: LivePolicy | None
    components: Components
    audit: AuditFile | None
    trail: AuditTrail | None

    async def close(self) -> None:
        """Write the last audit records. To be called once no transport serves."""
        if self.audit is not None:
            await asyncio.to_thread(self.audit.close)


async def run(
    settings: Settings, directory: DataDirectory, worker: Worker | None = None, settings_file: Path | None = None
) -> int:
    """Run the daemon until a signal stops it, and return the exit status. Raises OperatorError, Refusal.

    The level of the log follows ``settings_file``.
    """
    stop = _StopSignals()
    if worker is not None:
        settings = _of_worker(settings, worker)
        stop.follow(worker.lifeline)
    observation = Observation(settings, directory)
    with store_of(settings, directory) as store:
        if uses_front(settings.listening):
            store.hasten()
        engine = new_engine(settings, directory, store, observation.telemetry, worker)
        async with observation.exported(engine):
            await _run(engine, stop, partial(_serve, settings, engine, observation, stop, worker, settings_file))
    log.info("stopped")
    return 0


async def _run(engine: Engine, stop: "_StopSignals", serve: Callable[[], Awaitable[None]]) -> None:
    try:
        await engine.open()
    except UnfitStore as error:
        raise OperatorError(f"store: {error}") from error
    except StoreUnavailable as error:
        raise OperatorError(f"store: {error.__cause__ or error}", error.reason) from error
    has_served = False
    try:
        await serve()
        has_served = True
    finally:
        # A second signal skips the snapshot, never the journal. A daemon that failed to start writes no snapshot,
        # because it would displace an older, useful one.
        take_snapshot = has_served and not stop.second.is_set()
        closing = asyncio.create_task(engine.close(take_snapshot=take_snapshot))
        await _unless(stop.second, closing, engine)


def _of_worker(settings: Settings, worker: Worker) -> Settings:
    """Return the settings of a worker: only the first writes snapshots, and each has its own metrics address."""
    if worker.number:
        snapshots = msgspec.structs.replace(settings.snapshots, interval=0.0, on_shutdown=False)
        settings = msgspec.structs.replace(settings, snapshots=snapshots)
    if settings.metrics.listen is not None:
        metrics = Metrics(listen=metrics_address(settings.metrics.listen, worker.number))
        settings = msgspec.structs.replace(settings, metrics=metrics)
    return settings


async def _serve(
    settings: Settings,
    engine: Engine,
    observation: Observation,
    stop: "_StopSignals",
    worker: Worker | None,
    settings_file: Path | None,
) -> None:
    # Before the files are read: a token that is revoked between the two would stay accepted.
    read = marks_of(file for file in (settings.security.token_file, settings_file, *settings.tls.files) if file)
    contract = new_contract(
        settings, engine, observation, over_front=uses_front(settings.listening), is_worker=worker is not None
    )
    try:
        await _serve_contract(settings, contract, observation, stop, worker, settings_file, read)
    finally:
        await contract.close()


async def _serve_contract(
    settings: Settings,
    contract: Contract,
    observation: Observation,
    stop: "_StopSignals",
    worker: Worker | None,
    settings_file: Path | None,
    read: Marks,
) -> None:
    server = server_of(settings, contract.methods, observation.connections, shares_ports=worker is not None)
    addresses = _listen(settings, server)
    await server.start()
    contract.serving.start()
    observation.fault = lambda: contract.serving.fault
    count = len(settings.listening.listen)
    facts = {"listen": ", ".join(addresses[:count]), "durability": durability_of(settings)}
    if settings.listening.http is not None:
        facts["http"] = addresses[count]
    log.info("serving", extra={**facts, "transport": "front" if uses_front(settings.listening) else "grpc"})
    if worker is not None:
        worker.report_ready()
    async with reported_ready(), _renewed(settings, contract, server, settings_file, read):
        await stop.first.wait()
    log.info("draining")
    await contract.serving.drain(settings.listening.drain_timeout)
    await server.stop()
    # Their ends are audited, too.
    await contract.serving.end()


@contextlib.asynccontextmanager
async def _renewed(
    settings: Settings, contract: Contract, server: Server, settings_file: Path | None, read: Marks
) -> AsyncIterator[None]:
    """Keep the policy, the certificates and the level of the log up to date during a with block.

    ``read`` has the marks of their files, from before these were read.
    """
    followed = followed_certificates(settings.tls, server, contract.components)
    if settings_file is not None:
        followed.append(FollowedFiles((settings_file,), partial(asyncio.to_thread, reread_level, settings_file)))
    async with contextlib.AsyncExitStack() as running:
        if contract.audit is not None:
            followed.append(FollowedFiles((), contract.audit.reopen))
        if contract.trail is not None and contract.trail.others_publish and settings.audit.log is not None:
            await running.enter_async_context(audit_log_followed(settings.audit.log, contract.trail))
        if contract.policy is not None:
            followed.append(FollowedFiles((contract.policy.path,), contract.policy.renew))
            await running.enter_async_context(contract.policy.running())
        await running.enter_async_context(files_followed(followed, read))
        yield


def new_contract(
    settings: Settings,
    engine: Engine,
    observation: Observation | None = None,
    *,
    over_front: bool = False,
    is_worker: bool = False,
) -> Contract:
    """Return what transports serve of an engine that is open. ``over_front`` is True if the front end does.

    Raises OperatorError for a bad policy, or an audit log that cannot be written.
    """
    pools = Pools(settings.limits) if observation is None else observation.pools
    authenticator = authenticator_of(settings.security, None if observation is None else observation.authentication)
    audit = None if settings.audit.log is None else _audit_file(settings.audit.log, observation)
    # Other workers' records are read from the file that all of them write, and so are the own, to keep their order.
    trail = None if audit is None else AuditTrail(audit, others_publish=is_worker and audit.can_be_followed)
    open_caller = authenticator.authenticate(None, ()) if settings.is_open else None
    gate = Gate(authenticator, open_caller, pools, is_audited=audit is not None)
    services = contract_services(engine, gate, _facts(settings, engine, over_front=over_front), trail)
    health = Health([*(service.full_name for service in services), HEALTH_SERVICE], is_audited=audit is not None)
    if audit is not None:
        loop, note = asyncio.get_running_loop(), _audit_noted(engine.components.of("audit"))
        audit.notify = lambda is_written: _in_loop(loop, note, is_written)
    served = routes(services, gate)
    if trail is not None:
        has_policy = settings.security.token_file is not None
        served = Auditor(trail, audits_reads=settings.audit.reads, has_policy=has_policy).methods(served)
    methods = {**served, **health_methods(health, gate), **reflection_methods(services, gate)}
    if observation is not None and observation.observer is not None:
        methods = observation.observer.methods(methods)
    policy = _live_policy(settings, authenticator, gate, engine)
    return Contract(methods, Serving(engine, gate, health, trail), policy, engine.components, audit, trail)


def _audit_file(path: Path, observation: Observation | None) -> AuditFile:
    return AuditFile(path, AuditTelemetry() if observation is None else observation.audit)


def _in_loop(loop: asyncio.AbstractEventLoop, note: Callable[[bool], None], is_written: bool) -> None:
    """Call a function in the loop, from another thread. After the end of the loop, do nothing."""
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(note, is_written)


def _audit_noted(component: Component) -> Callable[[bool], None]:
    """Return a function that notes whether the audit log can be written."""
    return lambda is_written: component.ok() if is_written else component.degrade("the audit log cannot be written")


def _live_policy(settings: Settings, authenticator: Authenticator, gate: Gate, engine: Engine) -> LivePolicy | None:
    path = settings.security.token_file
    if path is None or not isinstance(authenticator, PolicyAuthenticator):
        return None

    def enforce_tiers(policy: Policy) -> None:
        engine.tiers.enforce(policy.tiers_within(settings.limits))

    uses = TokenUses(settings.storage.data_dir)
    return LivePolicy(path, authenticator, gate.recheck, enforce_tiers, uses, engine.components.of("policy"))


def new_engine(
    settings: Settings,
    directory: DataDirectory,
    store: Store,
    telemetry: WorkingMemoryTelemetry,
    worker: Worker | None = None,
) -> Engine:
    """Return an engine as the settings say, which is still to be opened. Raises OperatorError."""
    key = snapshot_key_of(settings)
    if key is None and (worker is None or worker.is_first):
        log.warning("snapshots are not encrypted: see memoryd snapshot keygen, and --snapshot-key-file")
    policy, token_file = _memory_policy(settings), settings.security.token_file
    embedder = embedder_of(settings.embedding, insecure=settings.security.insecure)
    new_indexes = NewIndexes(embedder, reranks=settings.embedding.rerank)
    return Engine(
        EngineSettings(
            limits=settings.limits,
            # Before the engine begins to work by itself: it obeys them, too.
            tiers=None if token_file is None else read_policy(token_file).tiers_within(settings.limits),
            cache=CacheSize(settings.cache.agents_max, settings.cache.bytes_max),
            schedule=Schedule(
                journal_rows_max=settings.journal.rows_max,
                journal_age_max_s=settings.journal.age_max,
                snapshot_interval_s=settings.snapshots.interval,
                snapshots_kept_max=settings.snapshots.keep,
            ),
            snapshot_on_shutdown=_takes_last_snapshot(settings, store),
            restore=settings.storage.restore or "",
            restore_mark=None if durability_of(settings) == "memory" else RestoreMarkFile(directory.restore_mark_path),
            fragments=FragmentPolicy(
                round(settings.fragments.ttl * SECOND_NS),
                settings.fragments.flush_threshold,
                settings.fragments.consolidate,
            ),
            memories=policy,
            query_timeout_s=settings.embedding.embedding_query_timeout,
            ingest_mode=IngestMode[settings.ingesting.ingest_mode.upper()],
            ingest_ns=round(settings.ingesting.ingest_after * SECOND_NS) if settings.ingesting.ingest else None,
        ),
        store=store,
        snapshot_repository=SnapshotDirectory(
            directory.snapshot_path, key, settings.limits, is_only_user=worker is None or worker.is_first
        ),
        segment_drafts=SegmentDirectory(directory.snapshot_path, key),
        telemetry=telemetry,
        new_index=new_indexes.of_memories(policy.salience),
        new_document_index=new_indexes.of_documents,
        new_selector=new_selector,
        mentioned_times=mentioned_times_of,
        document_sources=DocumentSources(
            UploadDirectory(directory.upload_path, is_only_user=worker is None or worker.is_first),
            FileExtractor(settings.limits, settings.documents.read_timeout),
            _fetcher(settings),
        ),
        saved_indexes=index_files_of(settings, directory),
        token_counter=OfflineTokenCounter(),
        embedder=embedder,
        summarizer=summarizer_of(settings.summarizing, insecure=settings.security.insecure),
        proposer=proposer_of(
            settings.proposing, directory.ingest_tokens_path, system_clock, insecure=settings.security.insecure
        ),
        clock=system_clock,
    )


def _memory_policy(settings: Settings) -> MemoryPolicy:
    memories = settings.memories
    return MemoryPolicy(
        SaliencePolicy(
            round(memories.half_life * SECOND_NS), memories.access_share, memories.link_share, memories.archive_below
        ),
        round(memories.forgotten * SECOND_NS),
        round(memories.working_ttl * SECOND_NS),
        round(memories.history * SECOND_NS),
        memories.versions_max,
        memories.duplicate_words,
        memories.duplicate_cosine,
        memories.related_words,
        memories.related_cosine,
    )


def _takes_last_snapshot(settings: Settings, store: Store) -> bool:
    """Return whether to write a snapshot at shutdown. By default not of a shared store, which outlives the daemon."""
    wanted = settings.snapshots.on_shutdown
    return store.sharing is None if wanted is None else wanted


def _fetcher(settings: Settings) -> Fetcher | None:
    if not (settings.documents.url_hosts or settings.documents.url_private):
        return None
    # Imported late: the HTTP client is slow to import, and few daemons fetch documents.
    from memoryd_server.extraction.fetcher import HttpFetcher

    return HttpFetcher(settings.documents.url_hosts, private_hosts=settings.documents.url_private)


def _facts(settings: Settings, engine: Engine, *, over_front: bool) -> ServerFacts:
    return ServerFacts(
        version=__version__,
        backend=engine.store.backend,
        durability=durability_of(settings),
        store_id=engine.store.store_id,
        start_time=system_clock(),
        limits=settings.limits,
        capabilities=tuple(name for name, is_on in _capabilities(settings, engine, over_front=over_front) if is_on),
        embedder=engine.memories.identity,
    )


def _capabilities(settings: Settings, engine: Engine, *, over_front: bool) -> Iterator[tuple[str, bool]]:
    """Yield the optional features of the contract's GetServerInfoResponse, and whether they are on."""
    yield "audit", settings.audit.log is not None
    yield "authentication", settings.security.token_file is not None or settings.tls.client_ca_file is not None
    yield "consolidation", settings.fragments.consolidate
    yield "document-urls", bool(settings.documents.url_hosts)
    yield "embedding", engine.memories.identity is not None
    yield "front-end", over_front
    yield "ingestion", settings.ingesting.ingest
    yield "proposing", settings.proposing.url is not None
    yield "sharing", engine.store.sharing is not None
    yield "snapshot-encryption", settings.snapshots.key_file is not None
    yield "summarizing", settings.summarizing.summary_url is not None
    yield "tls", settings.tls.cert_file is not None


def _listen(settings: Settings, server: Server) -> list[str]:
    credentials = server_credentials(settings.tls)
    access = access_of(settings.listening.socket_mode, settings.listening.socket_group)
    bound = []
    for address in settings.listening.addresses:
        if isinstance(address, UnixAddress):
            prepare_socket(address.path, access, insecure=settings.security.insecure)
        try:
            port = server.listen(str(address), None if isinstance(address, UnixAddress) else credentials)
        except RuntimeError as error:
            raise OperatorError(f"cannot listen on {address}: is it in use?") from error
        except ValueError as error:
            raise OperatorError(f"tls_cert_file: cannot be used: {error}") from error
        if isinstance(address, UnixAddress):
            share_socket(address.path, access)
        bound.append(_bound_address(address, port))
    return bound


def _bound_address(address: Address, port: int) -> str:
    return str(address) if isinstance(address, UnixAddress) else str(type(address)(address.host, port))


async def _unless(skip: asyncio.Event, closing: "asyncio.Task[None]", engine: Engine) -> None:
    skipping = asyncio.create_task(skip.wait())
    try:
        await asyncio.wait((closing, skipping), return_when=asyncio.FIRST_COMPLETED)
        if not closing.done():
            engine.skip_snapshot()
        await closing
    finally:
        skipping.cancel()


def _note_hangup() -> None:
    log.warning("SIGHUP ignored: there is no file to read again, and settings are read at the start only")


class _StopSignals:
    """SIGTERM and SIGINT: the first requests a stop, the second skips the snapshot.

    SIGHUP is logged only, where there is nothing to read again.
    """

    def __init__(self, signals: Iterable[signal.Signals] = (signal.SIGTERM, signal.SIGINT)) -> None:
        self.first = asyncio.Event()
        self.second = asyncio.Event()
        for each in signals:
            asyncio.get_running_loop().add_signal_handler(each, self._note)
        # Ignored since the process began, and by a worker since it was forked. From here on it is also logged.
        asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, _note_hangup)

    def follow(self, lifeline: int) -> None:
        """Stop also when the other end of a pipe is closed."""
        loop = asyncio.get_running_loop()

        def note() -> None:
            loop.remove_reader(lifeline)
            self.first.set()

        loop.add_reader(lifeline, note)

    def _note(self) -> None:
        (self.second if self.first.is_set() else self.first).set()
