"""All attacks, by name."""

from tests.attack.attack import Attack
from tests.attack.attacks import (
    access,
    bursts,
    clients,
    compressed,
    documents,
    fields,
    half_sent,
    heavy,
    hosts,
    large,
    metadata,
    payloads,
    probes,
    snapshots,
    uploads,
    waits,
    watchers,
    web,
)

_MODULES = (
    compressed,
    large,
    half_sent,
    probes,
    metadata,
    bursts,
    waits,
    uploads,
    watchers,
    fields,
    heavy,
    payloads,
    access,
    snapshots,
    documents,
    hosts,
    clients,
    web,
)

ATTACKS: dict[str, Attack] = {attack.name: attack for module in _MODULES for attack in module.ATTACKS}
