"""``memoryd token``: the access tokens in a token file."""

import json
from pathlib import Path

import click

from memoryd_server.ops.cli.terminal.command_group import CommandGroup
from memoryd_server.ops.config.setting_type import PATH

_TOKEN_FILE = click.option(
    "--token-file", type=PATH, envvar="MEMORYD_TOKEN_FILE", required=True, help="Token file, as given to serve."
)


@click.group(cls=CommandGroup)
def token() -> None:
    """Create, list and revoke access tokens in a token file.

    These commands change the file and call no daemon. A daemon reads its token file when it starts.
    """


@token.command
@click.argument("name")
@click.option(
    "--agent",
    "agents",
    multiple=True,
    required=True,
    metavar="AGENT",
    help="Agent that the token may use: an id, a prefix such as team-*, or *. Repeatable.",
)
@_TOKEN_FILE
def create(name: str, agents: tuple[str, ...], token_file: Path) -> None:
    """Create a token, and print it.

    The file keeps only a hash of the token: it cannot be printed again.
    """
    from memoryd_server.ops.auth.token_file import create_token

    click.echo(create_token(token_file, name, agents))


@token.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@_TOKEN_FILE
def list_tokens(token_file: Path, as_json: bool) -> None:
    """List the tokens and certificates in the file, and the agents that each may use.

    Each row has these fields, separated by tabs: name, kind, agents.
    """
    from memoryd_server.ops.auth.token_file import read_token_file

    rows = read_token_file(token_file)
    bound = [{"name": name, "kind": "token", "agents": list(row.agents)} for name, row in rows.tokens.items()]
    bound += [
        {"name": name, "kind": "certificate", "agents": list(row.agents)} for name, row in rows.certificates.items()
    ]
    if as_json:
        click.echo(json.dumps(bound, indent=2, ensure_ascii=False))
        return
    for row in bound:
        click.echo(f"{row['name']}\t{row['kind']}\t{' '.join(row['agents'])}")


@token.command
@click.argument("name")
@_TOKEN_FILE
def revoke(name: str, token_file: Path) -> None:
    """Revoke a token.

    A running daemon accepts the token until it restarts.
    """
    from memoryd_server.ops.auth.token_file import revoke_token

    revoke_token(token_file, name)
