from pathlib import Path

import pytest
from tests.clients.outcome import BEGIN, END, Outcome, publish, table


def passed() -> Outcome:
    return Outcome("Go", "go1.26", scenarios=3, scenarios_passed=3, tests_passed=True, samples_passed=True)


def test_a_table_has_a_row_for_each_client_under_its_heads() -> None:
    heads, line, row = table([passed()]).splitlines()
    assert [cell.strip() for cell in row.split("|")] == ["", "Go", "go1.26", "3 of 3", "0 of 0", "pass", "pass", ""]
    assert len(heads) == len(line) == len(row)


def test_a_skipped_client_has_not_passed() -> None:
    skipped = table([Outcome("Rust", skipped="cargo missing")])
    assert "skipped: cargo missing" in skipped
    assert "pass" not in skipped
    assert "FAIL" in table([Outcome("Java")])


def test_tests_that_were_not_to_be_run_have_not_failed() -> None:
    without = table([Outcome("Go", tests_passed=None, samples_passed=None)])
    assert without.count("not run") == 2
    assert "FAIL" not in without


def test_publishing_replaces_only_the_text_between_the_marks(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    publish(page, [passed()], "Run today.")
    text = page.read_text()
    assert text.startswith(f"before\n{BEGIN}\n")
    assert text.endswith(f"Run today.\n\n{END}\nafter\n")
    assert "old" not in text
    page.write_text("no marks")
    with pytest.raises(ValueError, match="lacks the marks"):
        publish(page, [passed()], "")
