import pytest
from tests.new_kind.bookmark_edit import EDITS
from tests.new_kind.change import ROOT
from tests.new_kind.edit import AnchorError, Edit
from tests.new_kind.field_edit import FIELD_EDITS


def test_an_edit_puts_its_text_after_its_anchor() -> None:
    assert Edit("file", "b\n", "c\n").apply("a\nb\nd\n") == "a\nb\nc\nd\n"


@pytest.mark.parametrize("content", ["a\n", "b\nb\n"])
def test_an_anchor_that_is_gone_or_not_alone_is_named(content: str) -> None:
    with pytest.raises(AnchorError, match=r"folder/file has 'b\\n' [02] times"):
        Edit("folder/file", "b\n", "c\n").apply(content)


@pytest.mark.parametrize("edit", EDITS + FIELD_EDITS, ids=lambda edit: f"{edit.path}:{edit.text.split()[0]}")
def test_the_text_that_an_edit_of_an_example_follows_is_in_its_file(edit: Edit) -> None:
    edit.apply((ROOT / edit.path).read_text("utf-8"))
