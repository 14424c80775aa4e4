"""A window of entities as text for a prompt."""

from collections.abc import Iterable, Iterator

from memoryd_server.domain.context.context_section import Piece, text_of
from memoryd_server.domain.entities.entity import Entity
from memoryd_server.domain.values.prompt_line import one_line

HEADER = "[WORKING MEMORY]"
SHOWN_PER_TYPE_MAX = 3


def entity_prompt(entities: Iterable[Entity]) -> str:
    """The entities by type, in the order in which the types come first; empty when there are none.

    At most SHOWN_PER_TYPE_MAX of each type, in their order. Line breaks become spaces: no name can pass for a line.
    """
    told = text_of(entity_pieces(entities))
    return HEADER + told if told else ""


def entity_pieces(entities: Iterable[Entity]) -> Iterator[Piece]:
    """What stands after HEADER, each entity on a line that begins with its break. The newer ones matter more."""
    by_type: dict[str, list[tuple[int, Entity]]] = {}
    for rank, entity in enumerate(entities):
        by_type.setdefault(entity.type, []).append((rank, entity))
    for entity_type, alike in by_type.items():
        heading = f"\n{one_line(_plural(entity_type))}:"
        for rank, entity in alike[:SHOWN_PER_TYPE_MAX]:
            line = f'\n  - "{one_line(entity.name)}" ({one_line(entity.id)})'
            yield Piece("entity", f"{entity.type}/{entity.id}", line, rank, heading)


def _plural(entity_type: str) -> str:
    if entity_type == "entry":
        return "entries"
    return entity_type if entity_type.endswith("s") else f"{entity_type}s"
