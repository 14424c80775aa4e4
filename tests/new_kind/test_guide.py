import pytest
from tests.new_kind.change import FIELD, ROOT, Change, changes
from tests.new_kind.guide import EXAMPLES, files_of, updated

NEW = Change("daemon/memoryd_server/domain/new.py", None, "new = 1\n")
EDITED = Change("protos/old.proto", "one\ntwo\nthree\nfour\n", "one\ntwo\nadded\nthree\nfour\n")
CHANGES = {each.path: each for each in (NEW, EDITED)}
PAGE = f"""Before.
<!-- figures -->
<!-- end of figures -->
<!-- diff: {NEW.path} -->
what was here
<!-- end of diff -->
Between.
<!-- diff:
{EDITED.path}
-->
<!-- end of diff -->
After.
"""


def test_new_files_are_shown_whole_and_of_others_what_changes() -> None:
    written = updated(PAGE, CHANGES)
    assert "```python\nnew = 1\n```" in written
    assert "```diff\n@@\n two\n+added\n```" in written
    assert "| all | 1 | 1 | 1 | 1 |" in written
    assert "what was here" not in written
    assert [line for line in ("Before.", "Between.", "After.") if line not in written] == []
    assert updated(written, CHANGES) == written


@pytest.mark.parametrize(
    ("page", "refusal"),
    [
        (PAGE.replace(NEW.path, ""), "does not show daemon/memoryd_server/domain/new.py"),
        (PAGE.replace(NEW.path, f"{NEW.path} {EDITED.path}"), "twice"),
    ],
)
def test_a_page_that_does_not_show_everything_once_is_refused(page: str, refusal: str) -> None:
    with pytest.raises(ValueError, match=refusal):
        updated(page, CHANGES)


@pytest.mark.parametrize(("method", "files_max"), [("ListNotes", 6), ("UpdateNote", 10)])
def test_a_method_costs_few_files(method: str, files_max: int) -> None:
    assert 5 <= len(files_of(method)) <= files_max


def test_a_field_of_an_entry_costs_at_most_eight_files() -> None:
    assert len(changes(FIELD)) <= 8


@pytest.mark.parametrize(
    "page", ["adding-a-kind.md", "contributing/adding-a-field.md", "contributing/adding-a-method.md"]
)
def test_a_guide_is_current(page: str) -> None:
    text = (ROOT / "docs" / page).read_text("utf-8")
    example = EXAMPLES.get(f"docs/{page}")
    assert updated(text, changes(example) if example else {}, "../" * (page.count("/") + 1)) == text
