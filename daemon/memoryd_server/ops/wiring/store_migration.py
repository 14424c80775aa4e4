"""The composition of `memoryd migrate`: copies agents from one store to another."""

from functools import partial

from memoryd_server.engine.images.migration import Migrated, Migration, Report
from memoryd_server.ops.config.store import factory_of, refused_as
from memoryd_server.ops.error import OperatorError
from memoryd_server.ops.wiring.opened_store import ensure_unused, failures_named, locked, opened
from memoryd_server.ports.store import JournalCompacted, RevisionConflict
from memoryd_server.ports.store_factory import StoreOptions


async def move(source: str, target: str, report: Report, *, overwrites: bool = False) -> Migrated:
    """Copy all agents between two stores, each named by its URL.

    Raises WouldOverwrite if data of the target would be lost, unless ``overwrites``. Raises OperatorError, Refusal.
    """
    if source == target:
        raise OperatorError("--to: must differ from --from")
    with refused_as("--from"):
        left = factory_of(source).new_source(StoreOptions(url=source))
    with refused_as("--to"):
        options = StoreOptions(url=target)
        filled, directory = factory_of(target).new_store(options), factory_of(target).directory(options)
    try:
        with failures_named():
            async with opened(left) as here:
                with locked(directory):
                    async with opened(filled) as there:
                        if here.store_id == there.store_id:
                            raise OperatorError("--to: is the same store as --from, or a copy of its files")
                        unused = partial(ensure_unused, there)
                        return await Migration(here, there, report, unused, overwrites=overwrites).run()
    except (RevisionConflict, JournalCompacted) as error:
        message = f"another process writes to the target ({error}): stop it, and run this again"
        raise OperatorError(message) from error
