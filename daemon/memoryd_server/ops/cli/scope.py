"""``memoryd scope``: the nested containers of an agent's entries."""

import operator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from memoryd_server.ops.cli.client.connection import ClientCommand, scope_of
from memoryd_server.ops.cli.client.consent import Consent, with_consent
from memoryd_server.ops.cli.client.failure import not_found
from memoryd_server.ops.cli.client.name.parameter import name_argument, name_option
from memoryd_server.ops.cli.client.parameter import AGENT, ERASE, if_revision
from memoryd_server.ops.cli.client.receipt import show_erased
from memoryd_server.ops.cli.client.selection import selecting_users
from memoryd_server.ops.cli.terminal.command_group import CommandGroup
from memoryd_server.ops.cli.terminal.output import Column, Output
from memoryd_server.ops.cli.terminal.phrase import age, counted, plain, remaining
from memoryd_server.ops.config.setting_type import DURATION

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.tree import Tree

    import memoryd
    from memoryd import ScopeInfo

SCOPE = name_argument("scope")


@click.group("scope", cls=CommandGroup)
def scope() -> None:
    """Create, list, merge and dispose scopes: nested containers of entries."""


@scope.command("create", cls=ClientCommand)
@AGENT
@click.argument("name", metavar="NAME")
@name_option(
    "scope", "--parent", "parent_scope_id", default="", metavar="SCOPE", help="Scope above it.  [default: the root]"
)
@click.option("--user", "user_id", default="", metavar="ID", help="User whom the scope is about.")
@click.option(
    "--idle-ttl",
    type=DURATION,
    metavar="DURATION",
    help="Time without use after which the daemon disposes the scope.  [default: never]",
)
@click.option("--if-absent", "must_not_exist", is_flag=True, help="Fail if the parent has a scope of this name.")
def create_scope(
    client: "memoryd.Client", output: Output, agent_id: str, name: str, parent_scope_id: str, **options: Any
) -> None:
    """Create a scope. Its entries hide those of the same key in the scopes above it.

    NAME is for people, and need not be unique. Prints the id, which `memoryd set --scope` takes.
    """
    created = scope_of(client, agent_id, parent_scope_id).create_scope(name, **options)
    found = created.info()
    output.done(found, f"{found.scope_id} was created at revision {found.revision}", name=found.scope_id)


@scope.command("get", cls=ClientCommand)
@AGENT
@SCOPE
def get_scope(client: "memoryd.Client", output: Output, agent_id: str, scope_id: str) -> None:
    """Show a scope. This is a use of it: see `memoryd scope create --idle-ttl`.

    Exits with status 1 if there is no such scope.
    """
    found, now = client.agent(agent_id).attach(scope_id).info(), datetime.now(UTC)
    output.facts(
        found,
        [
            ("scope", found.scope_id, found.scope_id),
            ("name", found.name, found.name),
            ("parent", found.parent_scope_id, found.parent_scope_id or "the root"),
            ("user", found.user_id, found.user_id or "none"),
            ("state", state := "disposed" if found.disposed else "active", state),
            ("entries", found.entry_count, f"{found.entry_count:,}"),
            ("created", found.create_time, f"{age(found.create_time, now)} ago"),
            ("expires", found.expire_time, remaining(found.expire_time, now) or "never"),
            ("revision", found.revision, f"{found.revision:,}"),
        ],
    )


@scope.command("list", cls=ClientCommand)
@AGENT
@selecting_users("scopes")
def list_scopes(client: "memoryd.Client", output: Output, agent_id: str, selection: dict[str, Any]) -> None:
    """List the active scopes of an agent, with the number of their own entries.

    A terminal shows them as a tree. In a pipe, each row has these fields, separated by tabs: id, name, parent's id,
    number of entries.
    """
    agent = client.agent(agent_id)
    if output.is_terminal and not output.form:
        root_count = agent.stats().root_entry_count
        output.console.print(_tree(agent_id, root_count, agent.scopes(**selection)))
        return
    columns: list[Column[ScopeInfo]] = [
        Column(name, operator.attrgetter(name)) for name in ("scope_id", "name", "parent_scope_id", "entry_count")
    ]
    output.listing(agent.scopes(**selection), columns, nothing="")


@scope.command("merge", cls=ClientCommand)
@AGENT
@SCOPE
@click.option("--keep-parent", is_flag=True, help="Keep the parent's entry where both have one of the same key.")
@click.option("--dispose", is_flag=True, help="Dispose the scope in the same step.")
@if_revision("agent")
def merge_scope(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    scope_id: str,
    keep_parent: bool,
    dispose: bool,
    expected_revision: int | None,
) -> None:
    """Copy the entries of a scope to its parent. They overwrite the parent's entries of the same key.

    The entries of scopes below it are not copied.
    """
    merged = (
        client.agent(agent_id)
        .attach(scope_id)
        .merge("keep_parent" if keep_parent else "overwrite", dispose=dispose, expected_revision=expected_revision)
    )
    also = "; it was disposed" if dispose else ""
    output.done(
        {"scope_id": scope_id, "merged_entry_count": merged, "disposed": dispose},
        f"copied {counted(merged, 'entry', 'entries')} of {scope_id} to its parent{also}",
    )


@scope.command("dispose", cls=ClientCommand)
@AGENT
@SCOPE
@if_revision("agent")
@ERASE
@with_consent
def dispose_scope(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    scope_id: str,
    expected_revision: int | None,
    erase: bool,
    consent: Consent,
) -> None:
    """Delete a scope and those below it, with all of their entries.

    Exits with status 1 if there is no such scope.
    """
    target = client.agent(agent_id).attach(scope_id)
    verb = "erase" if erase else "dispose"
    if not consent.to(output, lambda: f"{verb} scope {scope_id!r}, with {_content(target)}"):
        return
    if erase:
        show_erased(output, scope_id, target.dispose(expected_revision=expected_revision, erase=True))
        return
    if target.info().disposed:
        raise not_found(agent_id, "active scope", scope_id)
    cleared = target.dispose(expected_revision=expected_revision)
    output.done(
        {"scope_id": scope_id, "deleted": True, "cleared_entry_count": cleared},
        f"{scope_id} was disposed, with {counted(cleared, 'entry', 'entries')}",
    )


def _content(target: "memoryd.Scope") -> str:
    below = sum(1 for _ in target.scopes())
    entries = counted(target.info().entry_count, "entry", "entries")
    return f"{entries} of its own and {counted(below, 'scope')} directly below it" if below else entries


def _tree(agent_id: str, root_count: int, scopes: "Iterable[ScopeInfo]") -> "Tree":
    from rich.text import Text
    from rich.tree import Tree

    def label(name: str, count: int, scope_id: str) -> Text:
        return Text.assemble(
            (plain(name), "bold"),
            f"  {counted(count, 'entry', 'entries')}",
            (f"  {scope_id}" if scope_id else "", "dim"),
            overflow="fold",
        )

    tree = Tree(label(agent_id, root_count, ""), guide_style="dim")
    branches = {"": tree}
    # They are listed in the order of their creation: a parent comes before its children.
    for each in scopes:
        branch = branches.get(each.parent_scope_id, tree)
        branches[each.scope_id] = branch.add(label(each.name, each.entry_count, each.scope_id))
    return tree
