"""``memoryd policy``: what a token file permits, and whether it is valid."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memoryd_server.ops.cli.daemon.token import TOKEN_FILE
from memoryd_server.ops.cli.terminal.command_group import CommandGroup
from memoryd_server.ops.cli.terminal.phrase import counted
from memoryd_server.ops.config.setting_type import PATH

if TYPE_CHECKING:
    from memoryd_server.ops.auth.issuers.issuer_row import IssuerRow


@click.group(cls=CommandGroup)
def policy() -> None:
    """Check a token file, and explain what it permits. Calls no daemon."""


@policy.command
@click.argument("file", type=PATH)
@click.option("--keys", is_flag=True, help="Read the keys of its issuers, too. The exit status is 1 if some cannot be.")
def check(file: Path, keys: bool) -> None:
    """Check a token file as a daemon does that reads it."""
    from memoryd_server.ops.auth.policy_file import read_policy

    found = read_policy(file)
    counts = [counted(len(found.tokens), "token"), counted(len(found.certificates), "certificate")]
    if found.issuers:
        counts.append(counted(len(found.issuers), "issuer"))
    if found.tiers:
        counts.append(counted(len(found.tiers), "tier"))
    click.echo(f"valid: {', '.join(counts)}")
    # All are tried, whichever fails.
    has_keys = [_has_keys(name, row) for name, row in found.issuers.items()] if keys else []
    sys.exit(0 if all(has_keys) else 1)


def _has_keys(name: str, row: "IssuerRow") -> bool:
    import asyncio

    from memoryd_server.ops.auth.issuers.key_source import KeysUnavailable, read_keys

    try:
        found = asyncio.run(read_keys(row))
    except KeysUnavailable as error:
        click.echo(f"issuers.{name}: keys {error}")
        return False
    click.echo(f"issuers.{name}: {counted(len(found.thumbprints), 'key')} at {row.keys}")
    return True


@policy.command
@click.argument("token")
@click.argument("method")
@click.argument("agent")
@TOKEN_FILE
def explain(token: str, method: str, agent: str, token_file: Path) -> None:
    """Say whether a call is allowed, and by which row of the file.

    TOKEN is the name of a token or certificate, or - to read a token from standard input. If that is a token of an
    issuer, the issuer's keys are read. METHOD is such as SetEntry, or a verb such as write. AGENT is an agent's id, a
    prefix such as team-*, or * for all agents. The exit status is 1 for a call that is refused. If the token has a
    tier, says whether agents of this tier may make the call.
    """
    from datetime import UTC, datetime

    from memoryd_server.ops.auth.explanation import explained
    from memoryd_server.ops.auth.policy_file import read_policy
    from memoryd_server.ops.cli.terminal.argument import read_text
    from memoryd_server.transport.contract import needs_of

    try:
        needs = needs_of(method)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    named = read_text(token).strip()
    explanation = explained(read_policy(token_file), named, needs.verbs, agent, datetime.now(UTC), needs.features)
    click.echo("allowed" if explanation.allowed else "refused")
    for line in explanation.reasons:
        click.echo(f"  {line}")
    sys.exit(0 if explanation.allowed else 1)
