"""A plot of figures against their targets, as SVG."""

from collections.abc import Iterable
from html import escape

from tests.benchmarks.figure import Figure, Verdict

_WIDTH, _NAMES_WIDTH, _TARGET_X, _ROW_HEIGHT = 960, 430, 700, 24
_BAR_WIDTH_MAX = 370
_COLOURS = {Verdict.PASS: "#2e7d5b", Verdict.MISS: "#b5483a"}


def plot(figures: Iterable[Figure]) -> str:
    """A bar for each figure that has a target: how far it is reached. Longer is better; the line is the target."""
    judged = [each for each in figures if each.verdict is not Verdict.TOLD]
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
    told = escape(f"{figure.told} ({figure.target})")
    return (
        f'<text x="{_NAMES_WIDTH - 8}" y="{y + 14}" text-anchor="end">{name}</text>\n'
        f'<rect x="{_NAMES_WIDTH}" y="{y + 3}" width="{width:.0f}" height="14" fill="{_COLOURS[figure.verdict]}"/>\n'
        f'<text x="{_NAMES_WIDTH + _BAR_WIDTH_MAX + 8}" y="{y + 14}">{told}</text>\n'
    )


def _reached(figure: Figure) -> float:
    """1 at the target, more beyond it."""
    if figure.at_least is not None:
        return figure.value / figure.at_least
    assert figure.below is not None
    return figure.below / max(figure.value, figure.below / 10)
