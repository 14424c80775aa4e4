"""The base of all commands that call a daemon: the connection options, and the handling of failures."""

import functools
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import click
from click.core import ParameterSource

from memoryd_server.ops.cli.client.failure import Missing, failed
from memoryd_server.ops.cli.client.name.parameter import name_parameters
from memoryd_server.ops.cli.client.name.short_id import full_id
from memoryd_server.ops.cli.client.profile.selection import filled, profile_names
from memoryd_server.ops.cli.client.session import Session
from memoryd_server.ops.cli.terminal import form
from memoryd_server.ops.config.setting_type import DURATION, PATH
from memoryd_server.ops.limit import COMPLETION_S_MAX, CONNECT_S_MAX, TOKEN_FILE_BYTES_MAX

if TYPE_CHECKING:
    import memoryd


OPTIONS = (
    click.Option(
        ["--profile"],
        envvar="MEMORYD_PROFILE",
        metavar="PROFILE",
        shell_complete=profile_names,
        help="Profile with the connection, see memoryd profile. Variable: MEMORYD_PROFILE.",
    ),
    click.Option(
        ["--address"],
        envvar="MEMORYD_ADDRESS",
        metavar="HOST:PORT|unix:PATH",
        help="Address of the daemon. Variable: MEMORYD_ADDRESS.  [default: 127.0.0.1:7600]",
    ),
    click.Option(
        ["--token"],
        envvar="MEMORYD_TOKEN",
        metavar="TOKEN",
        help="Bearer token. Other users can see it in the process list: prefer MEMORYD_TOKEN or --token-from.",
    ),
    click.Option(["--token-from"], type=PATH, metavar="FILE", help="File with the bearer token."),
    click.Option(["--tls"], is_flag=True, help="Use TLS, and trust the certificate authorities of this machine."),
    click.Option(
        ["--ca-file"],
        type=PATH,
        envvar="MEMORYD_CA_FILE",
        metavar="FILE",
        help="Use TLS, and trust the certificate authorities in this PEM file. Variable: MEMORYD_CA_FILE.",
    ),
    click.Option(
        ["--cert-file"],
        type=PATH,
        envvar="MEMORYD_CERT_FILE",
        metavar="FILE",
        help="Client certificate, in PEM. Variable: MEMORYD_CERT_FILE.",
    ),
    click.Option(
        ["--key-file"],
        type=PATH,
        envvar="MEMORYD_KEY_FILE",
        metavar="FILE",
        help="Private key of the client certificate, in PEM. Variable: MEMORYD_KEY_FILE.",
    ),
    click.Option(
        ["--server-name"],
        envvar="MEMORYD_SERVER_NAME",
        metavar="NAME",
        help="Name in the daemon's certificate, if it is not the host. Variable: MEMORYD_SERVER_NAME.",
    ),
    click.Option(
        ["--insecure-token"],
        is_flag=True,
        envvar="MEMORYD_INSECURE_TOKEN",
        help="Allow sending the token to another machine without TLS. Variable: MEMORYD_INSECURE_TOKEN.",
    ),
    click.Option(
        ["--timeout"],
        type=DURATION,
        metavar="DURATION",
        help="Maximum duration of a call, such as 500ms or 1m.  [default: 10s, or 5m for snapshots]",
    ),
)


class Connection(NamedTuple):
    """The arguments of memoryd.connect: the address, and the others by name.

    ``options`` are the values of OPTIONS that they were made of, those of the profile included.
    """

    address: str | None
    settings: dict[str, Any]
    options: Mapping[str, Any] = MappingProxyType({})


class ConnectingCommand(click.Command):
    """A command that calls a daemon. Its function receives ``connection`` in addition to its parameters.

    ``option_sections`` are the options that many commands share, by the title of their section in the help.
    """

    option_sections: ClassVar[Mapping[str, Sequence[click.Option]]] = {"Connection": OPTIONS}

    def __init__(self, *arguments: Any, **attributes: Any) -> None:
        super().__init__(*arguments, **attributes)
        self.params += OPTIONS

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command's function. Raises a click exception for every failure of a call."""
        given = options_given(ctx)
        for name in given:
            del ctx.params[name]
        with failures_explained():
            ctx.params |= self.extra_parameters(ctx, connection_of(given))
            result = super().invoke(ctx)
            # At exit, it would be too late to report that the output cannot be written.
            sys.stdout.flush()
        return result

    def names_beginning(self, ctx: click.Context, noun: str, incomplete: str) -> list[str]:
        """Return names that begin with a text, for a shell; none where no daemon answers in COMPLETION_S_MAX."""
        # Whatever is wrong, a shell shows no message: it is in the middle of a line.
        try:
            import memoryd
            from memoryd_server.ops.cli.client.name.completion import names_beginning

            if (client := client_of(ctx)) is not None:
                return names_beginning(client, ctx.params, noun, incomplete)
            # A command that prints a token may ask a person, and take long.
            given = {**options_given(ctx), "timeout": COMPLETION_S_MAX}
            connection = connection_of(given, runs_token_command=False)
            with memoryd.connect(connection.address, **connection.settings) as client:
                return names_beginning(client, ctx.params, noun, incomplete)
        except Exception:  # noqa: BLE001 - a completion has no place for an error
            return []

    def extra_parameters(self, ctx: click.Context, connection: Connection) -> dict[str, Any]:
        """Return what the function receives in addition to its parameters."""
        return {"connection": connection}

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the shared options in sections of their own, after the command's."""
        shared = [option for options in self.option_sections.values() for option in options]
        own = [each for each in self.get_params(ctx) if isinstance(each, click.Option) and each not in shared]
        for title, options in {"Options": own, **self.option_sections}.items():
            with formatter.section(title):
                formatter.write_dl([record for option in options if (record := option.get_help_record(ctx))])


class ClientCommand(ConnectingCommand):
    """A command that prints. Its function receives ``client`` and ``output`` in addition to its parameters."""

    option_sections: ClassVar[Mapping[str, Sequence[click.Option]]] = {"Output": form.OPTIONS, "Connection": OPTIONS}

    def __init__(self, *arguments: Any, **attributes: Any) -> None:
        super().__init__(*arguments, **attributes)
        self.params += form.OPTIONS

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command's function. For a person, a name that was not found is followed by the nearest one."""
        try:
            return super().invoke(ctx)
        except Missing as missing:
            if sys.stderr.isatty() and (client := ctx.params.get("client")):
                from memoryd_server.ops.cli.client.name.suggestion import suggestion

                raise Missing(missing.message + suggestion(client, self, ctx.params)) from missing
            raise

    def extra_parameters(self, ctx: click.Context, connection: Connection) -> dict[str, Any]:
        """Return a connected client, the output, and the full ids that short ones stand for."""
        # Imported late: help and usage errors need no gRPC.
        import memoryd

        output = form.output_of({option.name: ctx.params.pop(option.name or "") for option in form.OPTIONS})
        client = client_of(ctx) or ctx.with_resource(memoryd.connect(connection.address, **connection.settings))
        return {"client": client, "output": output, **self._full_ids(ctx, client)}

    def _full_ids(self, ctx: click.Context, client: "memoryd.Client") -> dict[str, Any]:
        full = {}
        for parameter in name_parameters(self):
            given = ctx.params[name := parameter.name or ""]
            find = functools.partial(full_id, client, parameter.noun, ctx.params.get("agent_id") or "")
            full[name] = tuple(map(find, given)) if isinstance(given, tuple) else given and find(given)
        return full


def options_given(ctx: click.Context) -> dict[str, Any]:
    """Return the values of OPTIONS by name.

    Of an address and a profile, that of the command line replaces that of the environment: a profile's token must not
    be sent to an address that came from elsewhere. In a shell, a line that names neither has the shell's options for
    those that it does not name.
    """
    given: dict[str, Any] = {option.name or "": ctx.params[option.name or ""] for option in OPTIONS}
    named = {name for name in given if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE}
    match "address" in named, "profile" in named:
        case True, False:
            given["profile"] = None
        case False, True:
            given["address"] = None
        case False, False if (session := ctx.find_object(Session)) and session.options:
            left_out = named | ({"token", "token_from"} if named & {"token", "token_from"} else set())
            given |= {name: value for name, value in session.options.items() if name not in left_out}
    return given


def client_of(ctx: click.Context) -> "memoryd.Client | None":
    """Return the client of the shell in which a command runs, unless its line names another connection."""
    session = ctx.find_object(Session)
    named = any(ctx.get_parameter_source(each.name or "") is ParameterSource.COMMANDLINE for each in OPTIONS)
    return None if session is None or named else session.client


def scope_of(client: "memoryd.Client", agent_id: str, scope_id: str) -> "memoryd.WorkingMemory":
    """Return one of an agent's scopes; its root for an empty id."""
    agent = client.agent(agent_id)
    return agent.attach(scope_id) if scope_id else agent


def connection_of(given: Mapping[str, Any], *, runs_token_command: bool = True) -> Connection:
    """Return the arguments of memoryd.connect for the values of OPTIONS, by name.

    Raises click.UsageError, OSError and OperatorError.
    """
    # Imported late: help and usage errors need no gRPC.
    import memoryd

    given = filled(given, runs_token_command=runs_token_command)
    files = {name: given[name] for name in ("ca_file", "cert_file", "key_file", "server_name") if given[name]}
    timeout = given["timeout"]
    chosen: dict[str, Any] = {} if timeout is None else {"timeout": timeout, "snapshot_timeout": timeout}
    if given["insecure_token"]:
        chosen["insecure_token"] = True
    settings = {
        "token": read_token(token_file, "--token-from") if (token_file := given["token_from"]) else given["token"],
        "tls": memoryd.Tls(**files) if files else given["tls"],
        "connect_timeout": CONNECT_S_MAX if timeout is None else timeout,
    }
    return Connection(given["address"], settings | chosen, given)


def read_token(file: Path, option: str) -> str:
    """Return the one token in a file. Raises click.UsageError, which names the option, and OSError."""
    with file.open("rb") as opened:
        content = opened.read(TOKEN_FILE_BYTES_MAX).strip()
    if not content or not content.isascii() or len(content.split()) != 1:
        raise click.UsageError(f"{option}: {file} does not hold one token")
    return content.decode("ascii")


@contextmanager
def failures_explained() -> Iterator[None]:
    """Turn the failures of a command that calls a daemon into click exceptions."""
    # gRPC's own messages on standard error would be noise beside ours.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    from memoryd import MemorydError

    try:
        yield
    except MemorydError as error:
        raise failed(error) from error
    except BrokenPipeError:
        # The reader, such as head, has closed the pipe. Python would fail again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise click.exceptions.Exit(1) from None
    except UnicodeEncodeError:
        raise click.UsageError("an argument is not UTF-8") from None
    except OSError as error:
        raise click.ClickException(f"{error.filename}: {error.strerror}" if error.filename else str(error)) from error
