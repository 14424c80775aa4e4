"""Pages of docs/ with figures: a benchmark writes between two marks, people around them."""

from pathlib import Path

BEGIN = "<!-- figures: written by scripts/bench --publish, not by hand -->"
END = "<!-- end of figures -->"


def write_figures(page: Path, markdown: str) -> None:
    """Put figures between the page's marks in place of what is there."""
    text = page.read_text("utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{page.name} lacks the marks {BEGIN!r} and {END!r}")
    page.write_text(f"{before}{BEGIN}\n\n{markdown}\n{END}{after}", "utf-8")
