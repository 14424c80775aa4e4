"""``memoryd watch``: what happens, as it happens."""

import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.event.event_line import EventLines, event_row
from memoryd_server.ops.cli.event.resume_file import ResumeFile
from memoryd_server.ops.cli.terminal.output import Output
from memoryd_server.ops.config.setting_type import PATH

if TYPE_CHECKING:
    import memoryd
    from memoryd import Event, Watch, WatchMessage

EVENT_TYPES = (
    "entry_set",
    "entry_removed",
    "scope_created",
    "scope_disposed",
    "memory_cleared",
    "agent_ended",
    "agent_restored",
    "fragment_stored",
    "fragment_deleted",
    "fragments_flushed",
    "fragments_cleared",
    "memory_created",
    "memory_updated",
    "memory_reinforced",
    "memory_archived",
    "memory_forgotten",
    "memory_restored",
    "memory_purged",
    "memories_linked",
    "memories_unlinked",
    "memories_cleared",
    "note_created",
    "note_updated",
    "note_deleted",
    "plan_created",
    "plan_updated",
    "plan_deleted",
    "records_cleared",
    "message_appended",
    "message_removed",
    "conversation_deleted",
    "conversation_compacted",
    "document_added",
    "document_replaced",
    "document_deleted",
    "entities_updated",
    "entities_cleared",
)


@click.command("watch", cls=ClientCommand)
@click.argument("agent_ids", metavar="[AGENT]...", nargs=-1)
@click.option("--scope", "scope_ids", metavar="ID", multiple=True, help="This scope and those below it; repeatable.")
@click.option("--prefix", default="", metavar="TEXT", help="Of the entries, those whose key begins with it.")
@click.option("--type", "event_types", type=click.Choice(EVENT_TYPES), multiple=True, help="These events; repeatable.")
@click.option("--initial", "initial_state", is_flag=True, help="First tell what is there.")
@click.option("--from-revision", type=click.IntRange(1), metavar="N", help="Begin with this revision of the one AGENT.")
@click.option(
    "--resume-file",
    type=PATH,
    metavar="FILE",
    help="Keep the place here, and go on from it: what it holds comes before --initial and --from-revision.",
)
def watch_events(
    client: "memoryd.Client",
    output: Output,
    agent_ids: tuple[str, ...],
    initial_state: bool,
    from_revision: int | None,
    resume_file: Path | None,
    **chosen: Any,
) -> None:
    """Print what happens, as it happens.

    Tells of all agents when none is named, until Ctrl-C. A restart of the daemon is waited for, and nothing is missed
    or told twice.

    On a terminal, + is a new entry, ~ an updated one, - a removed one, · one that was there. In a pipe, a row has time,
    revision, agent, scope id, type, cause, key or id of the fragment or memory, and value, content or link, separated
    by tabs.
    """
    if initial_state and from_revision is not None:
        raise click.UsageError("--initial and --from-revision exclude each other")
    if from_revision is not None and len(agent_ids) != 1:
        raise click.UsageError("--from-revision needs exactly one AGENT")
    file = None if resume_file is None else ResumeFile(resume_file)
    token = None if file is None else file.read()
    after = None if from_revision is None else from_revision - 1
    start = {"resume_token": token} if token else {"initial_state": initial_state, "after_revision": after}
    try:
        with _watch(client, agent_ids, chosen, start) as watch:
            _Reporter(output, file).follow(watch)
    except KeyboardInterrupt:
        # A watch has no other end.
        return


def _watch(client: "memoryd.Client", agent_ids: tuple[str, ...], chosen: dict[str, Any], start: Any) -> "Watch":
    from memoryd import EventFilter

    wanted = EventFilter(
        agent_ids=agent_ids,
        scope_ids=chosen["scope_ids"],
        include_descendants=bool(chosen["scope_ids"]),
        key_prefix=chosen["prefix"],
        event_types=chosen["event_types"],
    )
    return client.watch(wanted, outage_max=None, **start)


class _Reporter(logging.Handler):
    """Prints the messages of a watch, and tells on standard error when the daemon goes and comes back."""

    def __init__(self, output: Output, file: ResumeFile | None) -> None:
        super().__init__(logging.INFO)
        self._output = output
        self._file = file
        self._lines = EventLines()
        self._is_away = False

    def follow(self, watch: "Watch") -> None:
        """Print until the watch fails, which raises CallFailed."""
        log = logging.getLogger("memoryd")
        log.setLevel(logging.INFO)
        log.addHandler(self)
        try:
            for message in watch.messages():
                self._report(message)
                if self._file is not None:
                    sys.stdout.flush()
                    self._file.write(watch.resume_token)
        finally:
            log.removeHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        """Tell that the client lost its connection; it says so at each attempt."""
        if not self._is_away:
            self._is_away = True
            _tell("the daemon is away; the watch goes on when it is back")

    def _report(self, message: "WatchMessage") -> None:
        if self._is_away:
            self._is_away = False
            _tell("the daemon is back; the watch goes on where it was")
        if message.phase == "restarted":
            _tell("what is there is told once more from its beginning")
        for event in message.events:
            self._print(event)
        if message.phase == "initial_state_complete" and self._output.is_terminal:
            _tell("that was there already; from here on it is live")

    def _print(self, event: "Event") -> None:
        if self._output.as_json:
            self._output.record(event)
        elif self._output.is_terminal:
            self._output.console.print(self._lines.line(event), no_wrap=True, overflow="ellipsis")
        else:
            self._output.row(event_row(event))


def _tell(sentence: str) -> None:
    click.echo(f"memoryd: {sentence}", err=True)
