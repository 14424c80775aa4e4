"""``memoryd info``: the daemon's version, store and limits."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.terminal.output import Output
from memoryd_server.ops.cli.terminal.phrase import age, component_text, size

if TYPE_CHECKING:
    import memoryd


@click.command(cls=ClientCommand)
def info(client: "memoryd.Client", output: Output) -> None:
    """Show the daemon's version, health, store, embedder, tiers and limits, and their use."""
    server = client.server_info()
    now = datetime.now(UTC)
    up = age(server.start_time, now)
    capabilities = ", ".join(server.capabilities)
    embedder = _described(server.embedder)
    verbs = ", ".join(server.caller_verbs)
    facts = [
        ("address", client.target, client.target),
        ("version", server.version, server.version),
        ("state", server.state, f"{server.state}, started {up} ago"),
        *((f"component {each.name}", each.state, component_text(each, now)) for each in server.components),
        ("started", server.start_time, f"{server.start_time.astimezone():%Y-%m-%d %H:%M:%S}"),
        ("backend", server.backend, server.backend),
        ("durability", server.durability, server.durability),
        ("store id", server.store_id, server.store_id),
        ("capabilities", capabilities, capabilities or "none"),
        ("embedder", embedder, embedder or "none: recall compares words only"),
        ("caller verbs", verbs, verbs or "none"),
    ]
    for prefix, amounts in (("limit", server.limits), ("used", server.usage)):
        facts += [(f"{prefix} {name}", amount, _shown(name, amount)) for name, amount in sorted(amounts.items())]
    facts += [(f"tier {tier.name}", ",".join(tier.features), _contents(tier)) for tier in server.tiers]
    output.facts(server, facts)


def _shown(name: str, amount: int) -> str:
    return size(amount) if "bytes" in name else f"{amount:,}"


def _contents(tier: "memoryd.Tier") -> str:
    """Return the features and the limits of a tier on one line."""
    limits = [f"{name} {_shown(name, value)}" for name, value in sorted(tier.limits.items())]
    return "; ".join(filter(None, (", ".join(tier.features), ", ".join(limits))))


def _described(embedder: "memoryd.Embedder | None") -> str:
    """Return the embedder on one line; empty for none."""
    if embedder is None:
        return ""
    return " ".join(filter(None, (embedder.model, embedder.version, f"({embedder.dimensions} dimensions)")))
