"""A plot of figures against their targets, as SVG."""

from collections.abc import Iterable
from html import escape

from tests.benchmarks.figure import Figure, Verdict

_WIDTH, _NAMES_WIDTH, _TARGET_X, _ROW_HEIGHT = 960, 430, 700, 24
_BAR_WIDTH_MAX = 370
_COLOURS = {Verdict.PASS: "#2e7d5b", Verdict.MISS: "#b5483a"}


def plot(figures: Iterable[Figure]) -> str:
    """Return a bar for each figure that has a target. Longer is better; the vertical line is the target."""
    judged = [each for each in figures if each.verdict is not Verdict.UNJUDGED]
    height = _ROW_HEIGHT * (len(judged) + 2)
    rows = "".join(_row(number, each) for number, each in enumerate(judged, 1))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}"'
        f' font-family="sans-serif" font-size="12">\n<rect width="100%" height="100%" fill="white"/>\n{rows}'
        f'<line x1="{_TARGET_X}" y1="16" x2="{_TARGET_X}" y2="{height - 16}" stroke="#222"/>\n'
        f'<text x="{_TARGET_X}" y="12" text-anchor="middle">target</text>\n</svg>\n'
    )


def _row(number: int, figure: Figure) -> str:
    y = number * _ROW_HEIGHT
    unit_width = _TARGET_X - _NAMES_WIDTH
    width = min(unit_width * _reached(figure), _BAR_WIDTH_MAX)
    name = escape(f"{figure.id} {figure.name}")
    label = escape(f"{figure.measured} ({figure.target})")
    return (
        f'<text x="{_NAMES_WIDTH - 8}" y="{y + 14}" text-anchor="end">{name}</text>\n'
        f'<rect x="{_NAMES_WIDTH}" y="{y + 3}" width="{width:.0f}" height="14" fill="{_COLOURS[figure.verdict]}"/>\n'
        f'<text x="{_NAMES_WIDTH + _BAR_WIDTH_MAX + 8}" y="{y + 14}">{label}</text>\n'
    )


def _reached(figure: Figure) -> float:
    """Return 1 for a figure at its target, more for a better one, at most 10 for one that must be below."""
    if figure.at_least is not None:
        return figure.value / figure.at_least
    assert figure.below is not None
    return figure.below / max(figure.value, figure.below / 10)
