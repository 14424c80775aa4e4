"""Log lines of working memory: the operation and its fields, never a value."""

import logging

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.result import Result
from memoryd_server.domain.entries.entry_change import (
    ClearEntries,
    EntriesCleared,
    EntriesWritten,
    EntryFoundOrSet,
    EntryRemoved,
    EntrySet,
    GetOrSetEntry,
    RemoveEntry,
    SetEntry,
    WriteEntries,
)
from memoryd_server.domain.entries.scope import Scope
from memoryd_server.domain.entries.scope_change import (
    DisposeScope,
    MergeScope,
    ScopeCreated,
    ScopeMerged,
    ScopesDisposed,
)
from memoryd_server.domain.lifecycle.agent_change import AgentCleared, ClearAgent
from memoryd_server.domain.record_kind import RecordKind
from memoryd_server.engine.fragments.fragment_log import log as fragments_log

log = logging.getLogger("memoryd.working_memory")


def log_change(agent_id: str, command: Command, result: Result) -> None:
    """Log the result of a command: destructive ones at INFO, the others at DEBUG."""
    match command, result:
        case ClearEntries(), EntriesCleared():
            log.info("working memory cleared", extra={"agent_id": agent_id, "count": result.cleared_entry_count})
        case ClearAgent(), AgentCleared():
            if RecordKind.ENTRY in command.kinds:
                log.info(
                    "working memory cleared",
                    extra={"agent_id": agent_id, "count": result.counts.get(RecordKind.ENTRY, 0)},
                )
            if RecordKind.FRAGMENT in command.kinds:
                cleared = result.counts.get(RecordKind.FRAGMENT, 0)
                fragments_log.info("fragments cleared", extra={"agent_id": agent_id, "count": cleared})
        case DisposeScope(), ScopesDisposed(deleted=False):
            fields = {"agent_id": agent_id, "scope_id": command.scope_id}
            log.warning("scope already disposed, operation ignored", extra=fields)
        case _ if log.isEnabledFor(logging.DEBUG):
            _log_detail(agent_id, command, result)


def _log_detail(agent_id: str, command: Command, result: Result) -> None:
    match command, result:
        case SetEntry(), EntrySet():
            _log_entry("set" if result.created else "updated", agent_id, command.scope_id, command.draft.key)
        case GetOrSetEntry(), EntryFoundOrSet():
            _log_entry("set" if result.created else "found", agent_id, command.scope_id, command.draft.key)
        case RemoveEntry(), EntryRemoved():
            _log_entry("removed" if result.deleted else "not found", agent_id, command.scope_id, command.key)
        case WriteEntries(), EntriesWritten():
            fields = {"agent_id": agent_id, "scope_id": command.scope_id, "count": len(result.results)}
            log.debug("working memory batch written", extra=fields)
        case _, ScopeCreated():
            scope = result.scope
            fields = {"agent_id": agent_id, "scope_name": scope.name, "scope_id": scope.scope_id}
            log.debug("scope created", extra=fields)
        case MergeScope(), ScopeMerged():
            fields = {"agent_id": agent_id, "scope_id": command.scope_id, "count": result.merged_entry_count}
            log.debug("scope merged", extra=fields)
        case DisposeScope(), ScopesDisposed():
            count, names = result.cleared_entry_count, {"scope_name": result.scope_name, "scope_id": command.scope_id}
            log.debug("scope disposed", extra={"agent_id": agent_id, **names, "count": count})


def _log_entry(operation: str, agent_id: str, scope_id: str, key: str) -> None:
    fields = {"operation": operation, "agent_id": agent_id, "scope_id": scope_id, "key": key}
    log.debug("working memory entry %s", operation, extra=fields)


def log_lookup(agent_id: str, scope: Scope, key: str, *, found: bool) -> None:
    """Log a lookup that started in a scope."""
    names = {"scope_name": scope.name, "scope_id": scope.scope_id}
    log.debug("scope lookup", extra={"agent_id": agent_id, **names, "key": key, "found": found})
