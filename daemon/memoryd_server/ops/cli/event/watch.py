"""``memoryd watch``: committed events, as they happen."""

import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.client.name.parameter import name_argument, name_option
from memoryd_server.ops.cli.event.event_choice import EPILOG, EVENT_TYPE, KEY_PREFIX
from memoryd_server.ops.cli.event.event_line import EventLines, event_row
from memoryd_server.ops.cli.event.resume_file import ResumeFile
from memoryd_server.ops.cli.terminal.output import Output
from memoryd_server.ops.config.setting_type import PATH

if TYPE_CHECKING:
    import memoryd
    from memoryd import Event, Watch, WatchMessage


@click.command("watch", cls=ClientCommand, epilog=EPILOG)
@name_argument("agent", "agent_ids", metavar="[AGENT]...", nargs=-1)
@name_option(
    "scope",
    "--scope",
    "scope_ids",
    metavar="ID",
    multiple=True,
    help="Watch only this scope and those below it. Repeatable.",
)
@KEY_PREFIX
@EVENT_TYPE
@click.option("--initial", "initial_state", is_flag=True, help="Print the existing records first.")
@click.option(
    "--from-revision",
    type=click.IntRange(1),
    metavar="N",
    help="Begin with this revision instead of now. Requires exactly one AGENT.",
)
@click.option(
    "--resume-file",
    type=PATH,
    metavar="FILE",
    help="Save the resume token in FILE, and resume from it. A saved token overrides --initial and --from-revision.",
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
    """Print the events of agents as they are committed, until Ctrl-C.

    AGENT is an agent's id, or a prefix followed by *, such as 'support-*', which also watches agents that do not exist
    yet. Without AGENT, this watches all agents. If the daemon restarts, the watch resumes without a gap or a
    duplicate.

    A terminal marks created records with +, updated ones with ~, deleted ones with -, and existing ones with ·. In a
    pipe, each row has these fields, separated by tabs: time, revision, agent, scope id, type, cause, key or id, value
    or content.
    """
    if initial_state and from_revision is not None:
        raise click.UsageError("--initial and --from-revision exclude each other")
    if from_revision is not None and (len(agent_ids) != 1 or agent_ids[0].endswith("*")):
        raise click.UsageError("--from-revision needs exactly one AGENT, by its id")
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
        agent_ids=agent_ids or None,
        scope_ids=chosen["scope_ids"] or None,
        include_descendants=bool(chosen["scope_ids"]),
        key_prefix=chosen["key_prefix"],
        event_types=chosen["event_types"] or None,
    )
    return client.watch(wanted, outage_max=None, **start)


class _Reporter(logging.Handler):
    """Prints the messages of a watch, and reports a lost and a restored connection on standard error."""

    def __init__(self, output: Output, file: ResumeFile | None) -> None:
        super().__init__(logging.INFO)
        self._output = output
        self._file = file
        self._lines = EventLines()
        self._is_disconnected = False

    def follow(self, watch: "Watch") -> None:
        """Print messages until the watch fails. Raises CallFailed."""
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
        """Report a lost connection, once. The client logs each attempt to restore it."""
        if not self._is_disconnected:
            self._is_disconnected = True
            _report_state("connection lost; the watch resumes when the daemon is back")

    def _report(self, message: "WatchMessage") -> None:
        if self._is_disconnected:
            self._is_disconnected = False
            _report_state("connection restored; the watch has resumed")
        if message.phase == "restarted":
            _report_state("the existing records follow again, from the beginning")
        for event in message.events:
            self._print(event)
        if message.phase == "initial_state_complete" and self._output.is_terminal:
            _report_state("end of the existing records; live events follow")

    def _print(self, event: "Event") -> None:
        if self._output.as_json:
            self._output.record(event)
        elif self._output.is_terminal:
            self._output.console.print(self._lines.line(event), no_wrap=True, overflow="ellipsis")
        else:
            self._output.row(event_row(event))


def _report_state(sentence: str) -> None:
    click.echo(f"memoryd: {sentence}", err=True)
