"""``memoryd token``: the access tokens in a token file."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import click

from memoryd_server.ops.cli.terminal.command_group import CommandGroup
from memoryd_server.ops.cli.terminal.moment import EXPIRY, NEVER
from memoryd_server.ops.config.setting_type import DURATION, PATH
from memoryd_server.ops.limit import CALLS_PER_SECOND_MAX, CALLS_PER_SECOND_MIN
from memoryd_server.ports.auth import Verb

TOKEN_FILE = click.option(
    "--token-file", type=PATH, envvar="MEMORYD_TOKEN_FILE", required=True, help="Token file, as given to serve."
)


@click.group(cls=CommandGroup)
def token() -> None:
    """Create, rotate, list and revoke access tokens in a token file.

    These commands change the file and call no daemon. Daemons notice the change within seconds, or at once at SIGHUP.
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
@click.option(
    "--verb",
    "verbs",
    multiple=True,
    type=click.Choice([verb.value for verb in Verb]),
    help="Verb that the token may use with these agents. Repeatable.  [default: everything]",
)
@click.option(
    "--expires",
    type=EXPIRY,
    default="never",
    show_default=True,
    help="Expiry of the token: a time, a duration such as 90d, or never.",
)
@click.option(
    "--rate",
    type=click.FloatRange(CALLS_PER_SECOND_MIN, CALLS_PER_SECOND_MAX),
    help="Maximum number of calls per second.  [default: no limit]",
)
@click.option(
    "--tier",
    default="",
    metavar="NAME",
    help="Tier of agents that are created with the token, one that the file defines.  [default: none]",
)
@TOKEN_FILE
def create(
    name: str,
    agents: tuple[str, ...],
    verbs: tuple[str, ...],
    expires: datetime,
    rate: float | None,
    tier: str,
    token_file: Path,
) -> None:
    """Create a token, and print it.

    The file keeps only a hash of the token: it cannot be printed again.
    """
    from memoryd_server.ops.auth.policy_edit import create_token

    granted = tuple(Verb(verb) for verb in verbs)
    end = None if expires == NEVER else expires
    click.echo(create_token(token_file, name, agents, verbs=granted, expires=end, rate=rate, tier=tier))


@token.command
@click.argument("name")
@click.option(
    "--keep",
    "keep_s",
    type=DURATION,
    default="24h",
    show_default=True,
    help="Time for which the old token is still accepted; 0s not at all.",
)
@click.option(
    "--expires",
    type=EXPIRY,
    help="Expiry of the new token: a time, a duration such as 90d, or never. Required if the old one expires.",
)
@TOKEN_FILE
def rotate(name: str, keep_s: float, expires: datetime | None, token_file: Path) -> None:
    """Replace a token by a new one, and print it.

    Both are accepted until the old one expires, so that its users have time to change.
    """
    from memoryd_server.ops.auth.policy_edit import rotate_token

    old_expires = (datetime.now(UTC) + timedelta(seconds=keep_s)).replace(microsecond=0)
    is_endless = expires == NEVER
    end = None if is_endless else expires
    click.echo(rotate_token(token_file, name, old_expires=old_expires, expires=end, is_endless=is_endless))


@token.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option(
    "--data-dir",
    type=PATH,
    envvar="MEMORYD_DATA_DIR",
    help="Data directory of the daemon, which notes there when a token was used.  [default: that of serve]",
)
@TOKEN_FILE
def list_tokens(token_file: Path, data_dir: Path | None, as_json: bool) -> None:
    """List the tokens and certificates in the file, and what each may do.

    Each row has these fields, separated by tabs: name, kind, agents with their verbs, expiry, rate, last use, tier. A
    name whose token was rotated has a row for each. The last use is to the minute, that of a daemon of this data
    directory.
    """
    rows = list(_rows(token_file, data_dir))
    if as_json:
        click.echo(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    for row in rows:
        grants = "; ".join(f"{' '.join(each['agents'])}{_shown_verbs(each['verbs'])}" for each in row["grants"])
        rate = "" if row["rate"] is None else f"{row['rate']:g}/s"
        shown = [row["name"], row["kind"], grants, row["expires"] or "", rate, row["last_use"] or "", row["tier"] or ""]
        click.echo("\t".join(shown))


@token.command
@click.argument("name")
@TOKEN_FILE
def revoke(name: str, token_file: Path) -> None:
    """Revoke all tokens of a name.

    Daemons notice it within seconds, or at once at SIGHUP, and end its calls and watches.
    """
    from memoryd_server.ops.auth.policy_edit import revoke_token

    revoke_token(token_file, name)


def _rows(token_file: Path, data_dir: Path | None) -> Iterator[dict[str, Any]]:
    from memoryd_server.ops.auth.authenticator import credentials
    from memoryd_server.ops.auth.policy_file import read_policy
    from memoryd_server.ops.auth.token_use import TokenUses
    from memoryd_server.ops.config.settings import default_data_dir

    uses = TokenUses(data_dir or default_data_dir()).read()
    for key, name, row, expires in credentials(read_policy(token_file)):
        used = uses.get(key.kind, {}).get(key.text)
        yield {
            "name": name,
            "kind": key.kind,
            "grants": [{"agents": list(each.agents), "verbs": each.names} for each in row.rows],
            "expires": None if expires is None else _shown_moment(expires),
            "rate": row.rate,
            "tier": row.tier or None,
            "last_use": None if used is None else _shown_moment(datetime.fromtimestamp(used, UTC)),
        }


def _shown_moment(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _shown_verbs(names: list[str]) -> str:
    return "" if len(names) == len(Verb) else f" ({' '.join(names)})"
