"""Audits calls around the gate: a wrapper of each method, which is only there when there is an audit log."""

import asyncio
import re
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import msgspec

from memoryd_server.ports.audit import AuditPhase, AuditRecord
from memoryd_server.ports.auth import Verb
from memoryd_server.ports.tracing import current_span
from memoryd_server.transport.access import CallCost, MethodPolicy
from memoryd_server.transport.auditing.audit_trail import AuditTrail
from memoryd_server.transport.call_facts import CallFacts
from memoryd_server.transport.exchange import Exchange
from memoryd_server.transport.gate import Begin
from memoryd_server.transport.routes import Method, MethodKind
from memoryd_server.transport.status import CANCELLED, DEFECT, Status, StatusCode

_READING = frozenset({Verb.READ, Verb.WATCH})
_DENIED = frozenset({StatusCode.UNAUTHENTICATED, StatusCode.PERMISSION_DENIED})
_OK = Status(StatusCode.OK)
_TRACEPARENT = re.compile("[0-9a-f]{2}-([0-9a-f]{32})-")
"""The beginning of the header of W3C Trace Context."""


class Auditor:
    """Adds a record of each call to the trail; of reads only when they are denied, unless ``audits_reads``.

    ``has_policy`` is False where callers have no names but those of their certificates.
    """

    def __init__(self, trail: AuditTrail, *, audits_reads: bool, has_policy: bool) -> None:
        self._trail = trail
        self._audits_reads = audits_reads
        self._has_policy = has_policy

    def methods(self, methods: Mapping[str, Method]) -> dict[str, Method]:
        """Return methods by the same paths, each audited that is of the contract.

        All their calls reach the gate, also those without credentials, which a transport would refuse before.
        """
        return {
            path: method if method.policy is None else self._audited(path.removeprefix("/"), method, method.policy)
            for path, method in methods.items()
        }

    def _audited(self, name: str, method: Method, policy: MethodPolicy) -> Method:
        admission = method.admission
        if admission is not None:
            admission = msgspec.structs.replace(admission, needs_credentials=False)
        begin = self._begin(name, method, is_kept=self._audits_reads or not reads(policy))
        return msgspec.structs.replace(method, begin=begin, admission=admission)

    def _begin(self, name: str, method: Method, *, is_kept: bool) -> Begin:
        begin, add, is_stream = method.begin, self._trail.add, method.kind is not MethodKind.UNARY
        phase = AuditPhase.END if is_stream else AuditPhase.CALL

        async def serve(connect: Callable[[Any], Exchange], _: object, carried: Any) -> Any:
            exchange = connect(carried)
            facts = exchange.facts = CallFacts()
            if is_stream and is_kept:
                facts.begin = partial(self._note_beginning, name, exchange, facts)
            started = time.perf_counter_ns()
            try:
                return await begin(_as_it_is, None, exchange)
            except asyncio.CancelledError:
                exchange.refused = exchange.refused or CANCELLED
                raise
            except BaseException:
                # What the exchange raises to refuse a call, or a defect of the gate.
                exchange.refused = exchange.refused or DEFECT
                raise
            finally:
                status = exchange.refused or _OK
                denied = facts.is_denied or status.code in _DENIED
                if is_kept or denied:
                    facts.complete()
                    record = self._record(name, phase, exchange, facts)
                    duration_ns = time.perf_counter_ns() - started
                    add(
                        msgspec.structs.replace(
                            record,
                            status=status.code.name,
                            reason=status.reason,
                            denied=denied,
                            duration_ns=duration_ns,
                        )
                    )
                facts.drop_request()

        return serve

    def _note_beginning(self, name: str, exchange: Exchange, facts: CallFacts) -> None:
        self._trail.add(self._record(name, AuditPhase.BEGIN, exchange, facts))

    def _record(self, name: str, phase: AuditPhase, exchange: Exchange, facts: CallFacts) -> AuditRecord:
        return AuditRecord(
            time_ns=time.time_ns(),
            phase=phase,
            method=name,
            caller=self._caller(exchange, facts),
            peer=exchange.address(),
            agent_ids=tuple(facts.agents),
            user_id=facts.user_id,
            request_id=facts.request_id,
            target_id=facts.target_id,
            requests=facts.requests,
            trace_id=_trace_id(exchange),
        )

    def _caller(self, exchange: Exchange, facts: CallFacts) -> str:
        if self._has_policy and facts.caller is not None:
            return facts.caller.name
        return next(iter(exchange.peer().identities), "")


def reads(policy: MethodPolicy) -> bool:
    """Return True if a method neither changes, removes nor exports anything, and does not administer the server."""
    watches_operations = policy.verb is None and policy.cost is CallCost.WATCH
    return policy.is_read or policy.verb in _READING or watches_operations


def _trace_id(exchange: Exchange) -> str:
    span = current_span()
    if span is not None:
        return span.trace_id
    match = _TRACEPARENT.match(exchange.metadata("traceparent") or "")
    return "" if match is None else match[1]


def _as_it_is(exchange: Exchange) -> Exchange:
    return exchange
