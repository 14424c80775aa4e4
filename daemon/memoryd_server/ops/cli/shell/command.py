"""``memoryd shell``."""

import contextlib
import sys
from collections.abc import Iterator

import click

from memoryd_server.ops.cli.client.connection import ConnectingCommand, Connection
from memoryd_server.ops.cli.client.name.parameter import name_argument
from memoryd_server.ops.cli.client.session import Session


@click.command("shell", cls=ConnectingCommand)
@name_argument("agent", metavar="[AGENT]", default="")
def shell(connection: Connection, agent_id: str) -> None:
    """Read commands at a prompt, over one connection: `ls` for `memoryd ls`.

    `use AGENT` names the agent of all further commands, which then take none: `set mood '"curious"'`. `use` alone ends
    that, `help` lists the commands, and `exit` or Ctrl-D leaves. The tab key completes commands, options, keys and ids.
    The history is kept in ~/.local/state/memoryd/history.

    In a pipe, this reads commands from standard input, and exits with the status of the last one that failed.
    """
    # Imported late: help needs no client.
    import memoryd

    code = 0
    with memoryd.connect(connection.address, **connection.settings) as client:
        # The address as it is now: another profile may be in use when a line opens a connection of its own.
        session = Session(client, agent_id, {**connection.options, "address": client.target, "profile": None})
        for line in _lines(session):
            if line.strip() in ("exit", "quit"):
                break
            code = _run(session, line) or code
    sys.exit(code)


def _lines(session: Session) -> Iterator[str]:
    """Yield the lines that a person or a pipe gives, to their end."""
    if not sys.stdin.isatty():
        yield from sys.stdin
        return
    from memoryd_server.ops.cli.shell.editor import editing

    with editing(session), contextlib.suppress(EOFError):
        while True:
            try:
                yield input(f"memoryd {session.agent_id}> " if session.agent_id else "memoryd> ")
            except KeyboardInterrupt:
                click.echo()


def _run(session: Session, line: str) -> int:
    """Run one line, and return its exit status. Errors are printed."""
    from memoryd_server.ops.cli.main import run
    from memoryd_server.ops.cli.shell.line import words_of

    try:
        words = words_of(line, session.agent_id)
    except ValueError as error:
        click.echo(f"memoryd: {str(error).lower()}", err=True)
        return 2
    match words:
        case []:
            return 0
        case ["use", *rest] if len(rest) <= 1:
            session.agent_id = rest[0] if rest else ""
            return 0
        case ["help", *rest]:
            return run([*rest, "--help"], session)
        case ["shell", *_]:
            click.echo("memoryd: this is the shell already", err=True)
            return 2
        case _:
            return run(words, session)
