"""What every command that asks a daemon has in common: the options of connecting, and how a failure ends it."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from memoryd_server.ops.cli.client.failure import failed
from memoryd_server.ops.cli.terminal.output import Output
from memoryd_server.ops.config.setting_type import DURATION, PATH

if TYPE_CHECKING:
    import memoryd

CONNECT_S_MAX = 1.0
"""A person who forgot to start the daemon learns it soon. Who asks for a --timeout waits for one that starts."""

TOKEN_FILE_BYTES_MAX = 4096

OPTIONS = (
    click.Option(
        ["--address"],
        envvar="MEMORYD_ADDRESS",
        metavar="HOST:PORT|unix:PATH",
        help="Where the daemon is (or MEMORYD_ADDRESS).  [default: 127.0.0.1:7600]",
    ),
    click.Option(
        ["--token"],
        envvar="MEMORYD_TOKEN",
        metavar="TOKEN",
        help="The bearer token. Others can see it here: prefer MEMORYD_TOKEN or --token-from.",
    ),
    click.Option(["--token-from"], type=PATH, metavar="FILE", help="Read the bearer token from this file."),
    click.Option(["--tls"], is_flag=True, help="Speak TLS, trusting the machine's certificates."),
    click.Option(
        ["--ca-file"],
        type=PATH,
        envvar="MEMORYD_CA_FILE",
        metavar="FILE",
        help="Speak TLS, trusting these certificates (or MEMORYD_CA_FILE).",
    ),
    click.Option(
        ["--cert-file"],
        type=PATH,
        envvar="MEMORYD_CERT_FILE",
        metavar="FILE",
        help="The certificate that tells the daemon who calls (or MEMORYD_CERT_FILE).",
    ),
    click.Option(
        ["--key-file"],
        type=PATH,
        envvar="MEMORYD_KEY_FILE",
        metavar="FILE",
        help="The key of that certificate (or MEMORYD_KEY_FILE).",
    ),
    click.Option(
        ["--server-name"],
        envvar="MEMORYD_SERVER_NAME",
        metavar="NAME",
        help="The name in the daemon's certificate, when it is not the host (or MEMORYD_SERVER_NAME).",
    ),
    click.Option(
        ["--timeout"],
        type=DURATION,
        metavar="DURATION",
        help="How long a call may take, such as 500ms or 1m.  [default: 10s, for snapshots 5m]",
    ),
)

JSON = click.Option(["--json", "as_json"], is_flag=True, help="Print JSON, one object a line.")


class Connection(NamedTuple):
    """What a client is connected with: the address, and the other arguments of memoryd.connect."""

    address: str | None
    settings: dict[str, Any]


class ConnectingCommand(click.Command):
    """A command that asks a daemon. Its function gets ``connection`` beside its own parameters."""

    def __init__(self, *arguments: Any, **attributes: Any) -> None:
        super().__init__(*arguments, **attributes)
        self.params += OPTIONS

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command's function with what it needs, and end as click does when something fails."""
        given = {option.name or "": ctx.params.pop(option.name or "") for option in OPTIONS}
        with _explained():
            ctx.params |= self.needed(ctx, _connection(given))
            result = super().invoke(ctx)
            # What cannot be written is to be noticed here, where it can still be told.
            sys.stdout.flush()
        return result

    def needed(self, ctx: click.Context, connection: Connection) -> dict[str, Any]:
        """What the function gets beside its own parameters."""
        return {"connection": connection}

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Show the options of connecting after the command's own."""
        own = [each for each in self.get_params(ctx) if isinstance(each, click.Option) and each not in OPTIONS]
        for title, options in (("Options", own), ("Connection", OPTIONS)):
            with formatter.section(title):
                formatter.write_dl([record for option in options if (record := option.get_help_record(ctx))])


class ClientCommand(ConnectingCommand):
    """A command for people. Its function gets ``client`` and ``output`` beside its own parameters."""

    def __init__(self, *arguments: Any, **attributes: Any) -> None:
        super().__init__(*arguments, **attributes)
        self.params.append(JSON)

    def needed(self, ctx: click.Context, connection: Connection) -> dict[str, Any]:
        """A connected client, and where its answers go."""
        import memoryd

        output = Output(as_json=ctx.params.pop("as_json"))
        client = memoryd.connect(connection.address, **connection.settings)
        return {"client": ctx.with_resource(client), "output": output}


def place(client: "memoryd.Client", agent_id: str, scope_id: str) -> "memoryd.WorkingMemory":
    """An agent's root, or one of its scopes."""
    agent = client.agent(agent_id)
    return agent.attach(scope_id) if scope_id else agent


def _connection(given: dict[str, Any]) -> Connection:
    # Help and wrong usage do not wait for gRPC.
    import memoryd

    files = {name: given[name] for name in ("ca_file", "cert_file", "key_file", "server_name") if given[name]}
    timeout = given["timeout"]
    limits = {} if timeout is None else {"timeout": timeout, "snapshot_timeout": timeout}
    settings = {
        "token": _token(given["token"], given["token_from"]),
        "tls": memoryd.Tls(**files) if files else given["tls"],
        "connect_timeout": CONNECT_S_MAX if timeout is None else timeout,
    }
    return Connection(given["address"], settings | limits)


def _token(token: str | None, file: Path | None) -> str | None:
    if file is None:
        return token
    with file.open("rb") as opened:
        content = opened.read(TOKEN_FILE_BYTES_MAX).strip()
    if not content or not content.isascii() or len(content.split()) != 1:
        raise click.UsageError(f"--token-from: {file} does not hold one token")
    return content.decode("ascii")


@contextmanager
def _explained() -> Iterator[None]:
    # What gRPC itself writes to standard error helps nobody at a terminal.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    from memoryd import MemorydError

    try:
        yield
    except MemorydError as error:
        raise failed(error) from error
    except BrokenPipeError:
        # Who read the output has enough, such as head. Nothing more can be said, at exit neither.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise click.exceptions.Exit(1) from None
    except UnicodeEncodeError:
        raise click.UsageError("an argument is not UTF-8") from None
    except OSError as error:
        raise click.ClickException(f"{error.filename}: {error.strerror}" if error.filename else str(error)) from error
