"""scripts/platforms names what has no wheel, and never takes a failure of its own for an answer."""

from pathlib import Path

import pytest
from scripts.releasing import platforms

PINS = "a-b==1\nc==2\nd==3\n"


def uv(
    *missing: str, said: str = "Because {}==1 has no usable wheels and you require {}==1, we can conclude …"
) -> object:
    """A function in place of that which asks uv, which names one package at a time."""

    def refusal(pins: str, python: str, platform: str) -> str:
        return next((said.format(name, name) for name in missing if f"{name}==" in pins), "")

    return refusal


def test_every_package_without_a_wheel_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platforms, "refusal", uv("c", "a-b"))
    assert platforms.without_wheel(PINS, "3.14", "x") == ["c", "a-b"]


def test_a_package_that_refuses_the_version_of_python_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    said = "Because the requested Python version does\nnot satisfy Python>=3.12 and {}==3 depends on Python>=3.12, …"
    monkeypatch.setattr(platforms, "refusal", uv("d", said=said))
    assert platforms.without_wheel(PINS, "3.11", "x") == ["d"]


def test_any_other_failure_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platforms, "refusal", uv("c", said="{}: the index was not reached"))
    with pytest.raises(ValueError, match="not reached"):
        platforms.without_wheel(PINS, "3.14", "x")


def test_the_table_is_written_between_the_marks(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{platforms.BEGIN}old\n{platforms.END}\nafter\n")
    combinations = {(platform, python): [] for platform in platforms.PLATFORMS for python in platforms.PYTHONS}
    combinations["macOS, ARM", "3.14"] = ["c"]
    platforms.publish(page, platforms.table(combinations))
    text = page.read_text()
    assert "| macOS, ARM | all | all | all | `c` |\n" in text
    assert "old" not in text
    assert text.startswith("before\n")
    assert text.endswith(f"{platforms.END}\nafter\n")


def test_the_page_has_the_marks() -> None:
    _, begin, rest = platforms.PAGE.read_text("utf-8").partition(platforms.BEGIN)
    assert begin
    assert platforms.END in rest
