"""The command: its subcommands, and how an error ends it."""

import importlib
import signal
import sys
from collections.abc import Sequence

import click
from click.core import ParameterSource

from memoryd_server import __version__
from memoryd_server.domain.error import Refusal
from memoryd_server.ops.error import OperatorError

COMMANDS = {
    "serve": "memoryd_server.ops.cli.daemon.serve:serve",
    "migrate": "memoryd_server.ops.cli.daemon.migrate:migrate",
    "config": "memoryd_server.ops.cli.daemon.config:config",
    "token": "memoryd_server.ops.cli.daemon.token:token",
    "get": "memoryd_server.ops.cli.entry:get_entry",
    "set": "memoryd_server.ops.cli.entry:set_entry",
    "rm": "memoryd_server.ops.cli.entry:remove_entry",
    "ls": "memoryd_server.ops.cli.entry:list_entries",
    "agents": "memoryd_server.ops.cli.agent:list_agents",
    "scopes": "memoryd_server.ops.cli.agent:list_scopes",
    "stats": "memoryd_server.ops.cli.agent:stats",
    "remember": "memoryd_server.ops.cli.memory.create:remember",
    "recall": "memoryd_server.ops.cli.memory.recall:recall",
    "memories": "memoryd_server.ops.cli.memory.record:memories",
    "link": "memoryd_server.ops.cli.memory.link:link_memories",
    "forget": "memoryd_server.ops.cli.memory.forget:forget",
    "reembed": "memoryd_server.ops.cli.memory.reembed:reembed",
    "fragments": "memoryd_server.ops.cli.fragment:fragments",
    "note": "memoryd_server.ops.cli.note:notes",
    "plan": "memoryd_server.ops.cli.plan:plans",
    "doc": "memoryd_server.ops.cli.document:documents",
    "context": "memoryd_server.ops.cli.context:context",
    "entity": "memoryd_server.ops.cli.entity:entity",
    "watch": "memoryd_server.ops.cli.watch:watch_events",
    "mcp": "memoryd_server.ops.cli.mcp.command:mcp",
    "snapshot": "memoryd_server.ops.cli.snapshot:snapshot",
    "info": "memoryd_server.ops.cli.daemon.info:info",
}
"""Where each subcommand lies. It is imported when it is asked for: none waits for the libraries of the others."""


class LazyGroup(click.Group):
    """The subcommands of COMMANDS."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Answer their names, in the table's order."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one."""
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name].partition(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command


EPILOG = """\b
Exit codes: 0 done, 1 refused, failed or not found, 2 wrong usage,
69 no daemon answers, 130 interrupted.

\b
The options of connecting follow the subcommand: memoryd ls --address HOST:PORT AGENT
Completion of subcommands and options: eval "$(_MEMORYD_COMPLETE=bash_source memoryd)"
"""


@click.group(
    cls=LazyGroup,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
)
@click.version_option(__version__, prog_name="memoryd", message="%(prog)s %(version)s")
def memoryd() -> None:
    """The memory daemon for AI agents."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command, and exit with one of the codes in EPILOG; errors are one line."""
    try:
        code = memoryd.main(arguments, prog_name="memoryd", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        sys.exit(error.exit_code)
    except click.ClickException as error:
        sys.exit(_fail(_describe(error), None, error.exit_code))
    except (OperatorError, Refusal) as error:
        sys.exit(_fail(error.message, error.reason, 1))
    except click.Abort:
        sys.exit(128 + signal.SIGINT)
    sys.exit(code if isinstance(code, int) else 0)


def _describe(error: click.ClickException) -> str:
    if isinstance(error, click.BadParameter) and error.param is not None and error.ctx is not None:
        # The commands without settings are quicker without this.
        from memoryd_server.ops.config.option import describe_source

        name = error.param.name or ""
        if error.ctx.get_parameter_source(name) in {ParameterSource.ENVIRONMENT, ParameterSource.DEFAULT_MAP}:
            return f"{name}: {error.message} (from {describe_source(error.ctx, name)})"
    return error.format_message()


def _fail(message: str, reason: str | None, code: int) -> int:
    line = " ".join(message.split())
    click.echo(f"memoryd: {line} ({reason})" if reason else f"memoryd: {line}", err=True)
    return code
