from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from memoryd_server.domain.error import DataDamaged
from memoryd_server.ports.store import AgentHead, Record, Tally
from memoryd_server.stores.sqlite.row import (
    StoredHead,
    StoredRow,
    Tail,
    agent_columns,
    journal_columns,
    read_agent,
    read_journal_row,
    read_record,
    read_records,
    read_tail,
    record_columns,
    tail_columns,
)

HEAD = AgentHead("agent", 3, 4, 5, 6, 7, ended=True, tally=Tally(8, 9, 10, 11))
RECORD = Record("entry", "key", b"data")


def read_record_columns(columns: tuple[Any, ...]) -> Record:
    return read_record(columns[0], columns[1:])


ROWS = [
    pytest.param(tail_columns(Tail("ab", 1, 2, 3, 4)), read_tail, Tail("ab", 1, 2, 3, 4), id="tail"),
    pytest.param(agent_columns(1, HEAD, 9), read_agent, StoredHead(1, 9, HEAD), id="agent"),
    pytest.param(record_columns(1, RECORD), read_record_columns, RECORD, id="record"),
    pytest.param(
        journal_columns((1, 2, 3, 4, 5, 6), b"data"), read_journal_row, StoredRow(1, 2, 3, 4, 5, 6, b"data"), id="row"
    ),
]


@pytest.mark.parametrize(("columns", "read", "expected"), ROWS)
def test_a_row_is_decoded_as_it_was_encoded(
    columns: tuple[Any, ...], read: Callable[[Any], Any], expected: Any
) -> None:
    assert read(columns) == expected


def test_all_rows_of_an_agent_are_checked() -> None:
    records = [Record(kind, key, bytes([place])) for place, (kind, key) in enumerate(product("ab", ["k", "ä", ""]))]
    rows = [record_columns(7, record)[1:] for record in records]
    assert read_records(7, rows) == records
    for place, row in enumerate(rows):
        with pytest.raises(DataDamaged):
            read_records(7, [*rows[:place], (*row[:2], b"other", row[3]), *rows[place + 1 :]])


@pytest.mark.parametrize("other", [None, 0, -1, 2**40, "x", b"x", 0.5])
@pytest.mark.parametrize(("columns", "read", "expected"), ROWS)
def test_a_row_with_any_other_column_is_refused(
    columns: tuple[Any, ...], read: Callable[[Any], Any], expected: Any, other: Any
) -> None:
    for place in range(len(columns)):
        with pytest.raises(DataDamaged):
            read((*columns[:place], other, *columns[place + 1 :]))
