import pytest
from tests.new_kind.change import Change
from tests.new_kind.guide import updated

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
