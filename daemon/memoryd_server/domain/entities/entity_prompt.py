"""Rendering of a window of entities for a prompt."""

from collections.abc import Iterable, Iterator

from memoryd_server.domain.context.context_section import Piece, framed
from memoryd_server.domain.entities.entity import Entity
from memoryd_server.domain.limit import ENTITIES_SHOWN_PER_TYPE_MAX
from memoryd_server.domain.values.prompt_text import one_line

HEADER = "[WORKING MEMORY]"


def entity_prompt(entities: Iterable[Entity]) -> str:
    """Return the entities as text for a prompt, grouped by type; empty when there are none.

    Types are in the order in which they first occur, each with at most ENTITIES_SHOWN_PER_TYPE_MAX entities in their
    order. Line breaks become spaces, so that no name can pass for another line.
    """
    pieces = list(entity_pieces(entities))
    return framed(HEADER, pieces, "") if pieces else ""


def entity_pieces(entities: Iterable[Entity]) -> Iterator[Piece]:
    """Yield each entity after HEADER as a piece that begins with its line break. Newer ones rank first."""
    by_type: dict[str, list[tuple[int, Entity]]] = {}
    for rank, entity in enumerate(entities):
        by_type.setdefault(entity.type, []).append((rank, entity))
    for entity_type, alike in by_type.items():
        heading = f"\n{one_line(_plural(entity_type))}:"
        for rank, entity in alike[:ENTITIES_SHOWN_PER_TYPE_MAX]:
            line = f'\n  - "{one_line(entity.name)}" ({one_line(entity.entity_id)})'
            yield Piece("entity", (entity.type, entity.entity_id), line, rank, heading)


def _plural(entity_type: str) -> str:
    if entity_type == "entry":
        return "entries"
    return entity_type if entity_type.endswith("s") else f"{entity_type}s"
