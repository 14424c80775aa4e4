"""Pages of docs/ with figures, which a benchmark writes between two marks; the rest is written by hand."""

from pathlib import Path

BEGIN = "<!-- figures: written by scripts/bench --publish, not by hand -->"
END = "<!-- end of figures -->"


def write_figures(page: Path, markdown: str) -> None:
    """Replace the text between the page's marks by figures. Raises ValueError if the page lacks a mark."""
    text = page.read_text("utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{page.name} lacks the marks {BEGIN!r} and {END!r}")
    page.write_text(f"{before}{BEGIN}\n\n{markdown}\n{END}{after}", "utf-8")
