"""``memoryd profile``: named connections to daemons."""

from typing import Any

import click
import msgspec

from memoryd_server.ops.cli.client.profile.file import Profile, Profiles, read_profiles, write_profiles
from memoryd_server.ops.cli.client.profile.selection import profile_names
from memoryd_server.ops.cli.terminal import form
from memoryd_server.ops.cli.terminal.command_group import CommandGroup
from memoryd_server.ops.cli.terminal.output import Column


class Row(msgspec.Struct, frozen=True):
    """A profile in a list. ``token`` is the place of the token, never the token."""

    profile: str
    current: bool
    address: str
    tls: bool
    token: str


_COLUMNS: list[Column[Row]] = [
    Column("PROFILE", lambda each: each.profile, names=True),
    Column("CURRENT", lambda each: each.current),
    Column("ADDRESS", lambda each: each.address),
    Column("TLS", lambda each: each.tls),
    Column("TOKEN", lambda each: each.token),
]


@click.group("profile", cls=CommandGroup)
def profile() -> None:
    """Create, list, use and delete profiles: named connections to daemons.

    They are kept in ~/.config/memoryd/profiles.toml. Commands take the connection from options, then from the
    environment, then from the profile: that of --profile or MEMORYD_PROFILE, else the one in use, unless an address is
    given. --address alone uses no profile of the environment, and --profile alone no address of it.
    """


@profile.command("create")
@click.argument("name", metavar="PROFILE")
@click.option("--address", required=True, metavar="HOST:PORT|unix:PATH", help="Address of the daemon.")
@click.option("--tls", is_flag=True, help="Use TLS, and trust the certificate authorities of this machine.")
@click.option("--ca-file", default="", metavar="FILE", help="Certificate authorities to trust, in PEM.")
@click.option("--cert-file", default="", metavar="FILE", help="Client certificate, in PEM.")
@click.option("--key-file", default="", metavar="FILE", help="Private key of the client certificate, in PEM.")
@click.option("--server-name", default="", metavar="NAME", help="Name in the daemon's certificate.")
@click.option("--insecure-token", is_flag=True, help="Allow sending the token to another machine without TLS.")
@click.option("--token-from", default="", metavar="FILE", help="File with the bearer token.")
@click.option("--token-command", default="", metavar="COMMAND", help="Command that prints the bearer token.")
@click.option("--replace", is_flag=True, help="Replace a profile of the same name.")
def create_profile(name: str, replace: bool, **options: Any) -> None:
    """Create a profile. The first one is used at once.

    A profile has no token: it names a file, or a command such as 'pass show memoryd', which runs without a shell.
    """
    if options["token_from"] and options["token_command"]:
        raise click.UsageError("--token-from and --token-command exclude each other")
    known = read_profiles()
    if name in known.profiles and not replace:
        raise click.UsageError(f"profile {name!r} exists: add --replace")
    current = known.current if known.profiles else name
    write_profiles(Profiles(current=current, profiles={**known.profiles, name: Profile(**options)}))
    click.echo(f"profile {name} was {'replaced' if name in known.profiles else 'created'}")


@profile.command("list")
def list_profiles(**given: Any) -> None:
    """List the profiles.

    In a pipe, each row has these fields, separated by tabs: name, whether it is in use, address, whether it uses TLS,
    file of the token, or "command".
    """
    known = read_profiles()
    rows = [
        Row(
            name,
            name == known.current,
            each.address,
            bool(each.tls or each.ca_file or each.cert_file),
            each.token_from or ("command" if each.token_command else ""),
        )
        for name, each in known.profiles.items()
    ]
    form.output_of(given).listing(rows, _COLUMNS, nothing="There are no profiles.")


list_profiles.params += form.OPTIONS


@profile.command("use")
@click.argument("name", metavar="[PROFILE]", default="", shell_complete=profile_names)
def use_profile(name: str) -> None:
    """Use a profile for all commands that name no other one. Without PROFILE, use none."""
    known = read_profiles()
    if name:
        known.get(name)
    write_profiles(msgspec.structs.replace(known, current=name))
    click.echo(f"profile {name} is in use" if name else "no profile is in use")


@profile.command("delete")
@click.argument("name", metavar="PROFILE", shell_complete=profile_names)
def delete_profile(name: str) -> None:
    """Delete a profile."""
    known = read_profiles()
    known.get(name)
    others = {each: found for each, found in known.profiles.items() if each != name}
    write_profiles(Profiles(current="" if known.current == name else known.current, profiles=others))
    click.echo(f"profile {name} was deleted")
