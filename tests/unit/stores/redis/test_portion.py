from memoryd_server.ports.store import JournalRow
from memoryd_server.stores.redis.limit import PORTION_BYTES
from memoryd_server.stores.redis.portion import Portion


def rows(count: int, size_bytes: int) -> list[JournalRow]:
    return [JournalRow(number, "a", 0, 1, 1, b"x" * size_bytes) for number in range(count)]


def test_a_portion_shrinks_after_large_rows_and_grows_up_to_its_maximum() -> None:
    portion = Portion(100)
    sizes = []
    for size_bytes in (PORTION_BYTES, PORTION_BYTES // 2, 10, 10, 0):
        portion.came(rows(2, size_bytes))
        sizes.append(portion.rows)
    assert sizes == [50, 100, 100, 100, 100]


def test_a_portion_has_at_least_one_row() -> None:
    portion = Portion(2)
    for _ in range(3):
        portion.came(rows(2, PORTION_BYTES))
    assert portion.rows == 1


def test_a_portion_is_one_row_after_a_failure_and_then_grows() -> None:
    portion = Portion(5)
    portion.failed()
    sizes = [portion.rows]
    for _ in range(4):
        portion.came(rows(1, 10))
        sizes.append(portion.rows)
    assert sizes == [1, 2, 4, 5, 5]
