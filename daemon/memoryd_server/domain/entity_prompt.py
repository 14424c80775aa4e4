"""A window of entities as text for a prompt."""

from collections.abc import Iterable, Iterator

import msgspec

from memoryd_server.domain.entity import Entity

HEADER = "[WORKING MEMORY]"
SHOWN_PER_TYPE_MAX = 3


class EntityLine(msgspec.Struct, frozen=True):
    """An entity on its line, and the line that is told once before all of its type. Both begin with a line break."""

    entity: Entity
    heading: str
    text: str


def entity_prompt(entities: Iterable[Entity]) -> str:
    """The entities by type, in the order in which the types come first; empty when there are none.

    At most SHOWN_PER_TYPE_MAX of each type, in their order. Line breaks become spaces: no name can pass for a line.
    """
    told, heading = [HEADER], ""
    for line in entity_lines(entities):
        told.append(line.text if line.heading == heading else line.heading + line.text)
        heading = line.heading
    return "".join(told) if heading else ""


def entity_lines(entities: Iterable[Entity]) -> Iterator[EntityLine]:
    """What ``entity_prompt`` tells of each entity after its header."""
    by_type: dict[str, list[Entity]] = {}
    for entity in entities:
        by_type.setdefault(entity.type, []).append(entity)
    for entity_type, alike in by_type.items():
        heading = f"\n{_one_line(_plural(entity_type))}:"
        for entity in alike[:SHOWN_PER_TYPE_MAX]:
            yield EntityLine(entity, heading, f'\n  - "{_one_line(entity.name)}" ({_one_line(entity.id)})')


def _plural(entity_type: str) -> str:
    if entity_type == "entry":
        return "entries"
    return entity_type if entity_type.endswith("s") else f"{entity_type}s"


def _one_line(text: str) -> str:
    return " ".join(text.splitlines())
