import pytest

from memoryd_server.domain.values.tag_filter import TagFilter


@pytest.mark.parametrize(
    ("all_tags", "any_tags", "tags", "is_kept"),
    [
        ("", "", "", True),
        ("", "", "a", True),
        ("ab", "", "bca", True),
        ("ab", "", "a", False),
        ("", "ab", "bc", True),
        ("", "ab", "c", False),
        ("", "ab", "", False),
        ("a", "bc", "ab", True),
        ("a", "bc", "a", False),
        ("a", "bc", "b", False),
    ],
)
def test_a_record_is_selected_by_its_tags(all_tags: str, any_tags: str, tags: str, is_kept: bool) -> None:
    assert TagFilter(frozenset(all_tags), frozenset(any_tags)).keeps(tuple(tags)) is is_kept
