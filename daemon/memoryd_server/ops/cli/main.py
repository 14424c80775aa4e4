"""The ``memoryd`` command: its subcommands, and the exit status of a failure."""

import gc
import importlib
import signal
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

import click
from click.core import ParameterSource

from memoryd_server import __version__
from memoryd_server.domain.error import Refusal
from memoryd_server.ops.cli.terminal.command_group import CommandGroup
from memoryd_server.ops.error import OperatorError

if TYPE_CHECKING:
    from memoryd_server.ops.cli.client.session import Session

_CLI = "memoryd_server.ops.cli"
GC_THRESHOLD = 20_000
"""Threshold of the garbage collector. Imports make many objects and no garbage: with Python's default of 700, a short
command would scan them some thirty times, for a twentieth of its time. `serve` sets thresholds of its own."""
SECTIONS = {
    "Everyday commands": {
        "set": f"{_CLI}.entry:set_entry",
        "get": f"{_CLI}.entry:get_entry",
        "ls": f"{_CLI}.entry:list_entries",
        "rm": f"{_CLI}.entry:delete_entry",
        "remember": f"{_CLI}.memory.create:create_memory",
        "recall": f"{_CLI}.memory.recall:recall_memories",
        "events": f"{_CLI}.event.group:list_events",
        "watch": f"{_CLI}.event.watch:watch_events",
    },
    "Commands by object": {
        "agent": f"{_CLI}.agent.group:agent",
        "scope": f"{_CLI}.scope:scope",
        "entry": f"{_CLI}.entry:entry",
        "fragment": f"{_CLI}.fragment:fragment",
        "memory": f"{_CLI}.memory.group:memory",
        "note": f"{_CLI}.note:note",
        "document": f"{_CLI}.document:document",
        "plan": f"{_CLI}.plan:plan",
        "entity": f"{_CLI}.entity:entity",
        "conversation": f"{_CLI}.conversation:conversation",
        "context": f"{_CLI}.context:context",
        "event": f"{_CLI}.event.group:event",
        "diff": f"{_CLI}.diff:diff",
        "snapshot": f"{_CLI}.snapshot:snapshot",
        "operation": f"{_CLI}.operation:operation",
    },
    "Daemon commands": {
        "serve": f"{_CLI}.daemon.serve:serve",
        "info": f"{_CLI}.daemon.info:info",
        "shell": f"{_CLI}.shell.command:shell",
        "top": f"{_CLI}.top.command:top",
        "bench": f"{_CLI}.bench.command:bench",
        "doctor": f"{_CLI}.doctor.command:doctor",
        "health": f"{_CLI}.daemon.health:health",
        "config": f"{_CLI}.daemon.config:config",
        "profile": f"{_CLI}.profile:profile",
        "token": f"{_CLI}.daemon.token:token",
        "backup": f"{_CLI}.backup:backup",
        "policy": f"{_CLI}.daemon.policy:policy",
        "audit": f"{_CLI}.audit:audit",
        "migrate": f"{_CLI}.daemon.migrate:migrate",
        "check": f"{_CLI}.daemon.check:check",
        "salvage": f"{_CLI}.daemon.salvage:salvage",
        "mcp": f"{_CLI}.mcp.command:mcp",
        "completion": f"{_CLI}.shell.script:completion",
    },
}
"""The subcommands and their places. Each is imported when it is used, so that none waits for another's libraries."""
SUMMARIES = {
    "set": "Create or overwrite an entry.",
    "get": "Print the value of an entry.",
    "ls": "List the entries of an agent's root or of a scope.",
    "rm": "Delete an entry.",
    "remember": "Create a memory.",
    "recall": "List the memories that best match QUERY, with reasons.",
    "events": "List the events of agents, the oldest first.",
    "watch": "Print the events of agents as they are committed, until Ctrl-C.",
    "agent": "List, describe, copy, clear and end agents, show how much memory they use, and forget users.",
    "scope": "Create, list, merge and dispose scopes: nested containers of entries.",
    "entry": "Set, get, list, delete and clear entries: JSON values under keys.",
    "fragment": "Buffer text with a time to live, search it, and lease it to consumers.",
    "memory": "Create, recall, correct, link and forget long-term memories.",
    "note": "Create, list and edit notes: titled texts that go into every prompt.",
    "document": "Create, list, search and delete documents: source texts.",
    "plan": "Create, follow and complete plans: goals of conversations with ordered steps.",
    "entity": "Track entities: the things that an agent's tools touched last in a conversation.",
    "conversation": "Create, list, compact and delete conversations, and append and list their messages.",
    "context": "Compose the context for a model, and count tokens.",
    "event": "List past events, and watch new ones.",
    "diff": "Show which records of AGENT were added, changed and removed between two revisions or times.",
    "snapshot": "Create, list, restore, export and import snapshots: images of agents in files.",
    "operation": "List, watch and cancel operations: requests that the daemon carries out while nobody waits.",
    "serve": "Run the daemon in the foreground.",
    "info": "Show the daemon's version, health, store, embedder, tiers and limits, and their use.",
    "shell": "Read commands at a prompt, over one connection: `ls` for `memoryd ls`.",
    "top": "Show a live table of the daemon: its load, and the agents that changed last.",
    "bench": "Measure set, get, recall and a watch against the running daemon.",
    "doctor": "Check settings, files, machine and daemon, and print what to do.",
    "health": "Exit with status 0 if the daemon serves, and with 1 if it does not.",
    "config": "Print the settings that serve would run with, and the source of each.",
    "profile": "Create, list, use and delete profiles: named connections to daemons.",
    "token": "Create, rotate, list and revoke access tokens in a token file.",
    "backup": "Create, verify and restore backups: all memory, at any moment up to the last run.",
    "policy": "Check a token file, and explain what it permits.",
    "audit": "Watch who does what to which agent.",
    "migrate": "Copy all agents from one store to another, and compare the copies.",
    "check": "Show which agents are whole: those of a running daemon, or those in a store.",
    "salvage": "Save all whole agents of a damaged store in a new one.",
    "mcp": "Serve an agent's memory over the Model Context Protocol (MCP).",
    "completion": "Print the script by which a shell completes commands, options, agents, keys and ids.",
}
"""The first lines of the subcommands' help, so that `memoryd --help` imports none of them. A test compares them."""


class LazyGroup(CommandGroup):
    """The subcommands of SECTIONS."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the subcommands, in the order of SECTIONS."""
        return [name for commands in SECTIONS.values() for name in commands]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a subcommand."""
        for commands in SECTIONS.values():
            if cmd_name in commands:
                module, _, attribute = commands[cmd_name].partition(":")
                command = getattr(importlib.import_module(module), attribute)
                assert isinstance(command, click.Command)
                return command
        return None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the subcommands by section."""
        for title, names in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name, SUMMARIES[name]) for name in names])


EPILOG = """\b
Exit status: 0 success, 1 refused, failed or not found, 2 wrong usage,
69 the daemon cannot be reached, 75 it has too much to do, 130 interrupted.

\b
Connection options follow the subcommand: memoryd ls --address HOST:PORT AGENT
Shell completion: see memoryd completion --help
"""


@click.group(
    cls=LazyGroup,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
)
@click.version_option(__version__, prog_name="memoryd", message="%(prog)s %(version)s")
def memoryd() -> None:
    """The memory daemon for AI agents, and its command line.

    `memoryd serve` runs the daemon. The other commands call a running daemon, unless they say otherwise.
    """


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command, and exit with a status listed in EPILOG. An error is one line on standard error."""
    if arguments is None:  # The process is the command's own.
        gc.set_threshold(GC_THRESHOLD)
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None, session: "Session | None" = None) -> int:
    """Run the command, in a session of the shell or alone, and return its exit status."""
    try:
        code = memoryd.main(arguments, prog_name="memoryd", standalone_mode=False, obj=session)
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(bool(ended.code))
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return error.exit_code
    except click.ClickException as error:
        return _fail(_describe(error), "", error.exit_code)
    except (OperatorError, Refusal) as error:
        return _fail(error.message, error.reason, 1)
    except click.Abort:
        return 128 + signal.SIGINT
    return code if isinstance(code, int) else 0


def _describe(error: click.ClickException) -> str:
    if isinstance(error, click.BadParameter) and error.param is not None and error.ctx is not None:
        # Imported late: the commands without settings start faster without it.
        from memoryd_server.ops.config.option import describe_source

        name = error.param.name or ""
        if error.ctx.get_parameter_source(name) in {ParameterSource.ENVIRONMENT, ParameterSource.DEFAULT_MAP}:
            return f"{name}: {error.message} (from {describe_source(error.ctx, name)})"
    message = error.format_message()
    if isinstance(error, click.MissingParameter | click.NoSuchOption) and error.ctx is not None:
        return f"{message} See `{error.ctx.command_path} --help`."
    return message


def _fail(message: str, reason: str, code: int) -> int:
    # Imported late: most commands fail seldom.
    from memoryd_server.ops.cli.terminal.phrase import plain

    # It may quote what others wrote: a name in a file, or the text of a daemon.
    line = plain(" ".join(message.split()))
    click.echo(f"memoryd: {line} ({reason})" if reason else f"memoryd: {line}", err=True)
    return code
