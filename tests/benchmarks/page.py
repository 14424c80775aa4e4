"""Pages of docs/ with figures, which a benchmark writes between two marks; the rest is written by hand."""

from pathlib import Path

END = "<!-- end of figures -->"


def write_figures(page: Path, markdown: str, command: str = "scripts/bench") -> None:
    """Replace the text between the page's marks by figures. Raises ValueError if the page lacks a mark."""
    opening = f"<!-- figures: written by {command} --publish, not by hand -->"
    text = page.read_text("utf-8")
    before, begin, rest = text.partition(opening)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{page.name} lacks the marks {opening!r} and {END!r}")
    page.write_text(f"{before}{opening}\n\n{markdown}\n{END}{after}", "utf-8")
