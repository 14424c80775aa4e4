"""A window of entities as text for a prompt."""

from collections.abc import Iterable

from memoryd_server.domain.entity import Entity
from memoryd_server.domain.prompt_line import one_line

HEADER = "[WORKING MEMORY]"
SHOWN_PER_TYPE_MAX = 3


def entity_prompt(entities: Iterable[Entity]) -> str:
    """The entities by type, in the order in which the types come first; empty when there are none.

    At most SHOWN_PER_TYPE_MAX of each type, in their order. Line breaks become spaces: no name can pass for a line.
    """
    by_type: dict[str, list[Entity]] = {}
    for entity in entities:
        by_type.setdefault(entity.type, []).append(entity)
    if not by_type:
        return ""
    lines = [HEADER]
    for entity_type, alike in by_type.items():
        lines.append(f"{one_line(_plural(entity_type))}:")
        shown = alike[:SHOWN_PER_TYPE_MAX]
        lines.extend(f'  - "{one_line(entity.name)}" ({one_line(entity.id)})' for entity in shown)
    return "\n".join(lines)


def _plural(entity_type: str) -> str:
    if entity_type == "entry":
        return "entries"
    return entity_type if entity_type.endswith("s") else f"{entity_type}s"
