import pytest

from memoryd_server.domain.context.context_budget import share_of


@pytest.mark.parametrize(
    ("source", "share"),
    [
        ("text", 16_000),
        ("documents", 6_000),
        ("notes", 4_000),
        ("messages", 3_000),
        ("memories", 2_000),
        ("entries", 1_000),
        ("plan", 500),
        ("entities", 500),
    ],
)
def test_each_source_has_its_share_of_the_window_rounded_down(source: str, share: int) -> None:
    assert share_of(source, 16_000) == share
    assert share_of(source, 31) == share * 31 // 16_000
