"""Times in Chinese and Japanese, which are written without spaces: found by patterns instead of by words."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta

from memoryd_server.retrieval.time.grammar.relative import RECENT_DAYS
from memoryd_server.retrieval.time.grammar.unit import (
    DAY,
    Span,
    Unit,
    day_of,
    midnight,
    month_of,
    shifted,
    unit_at,
    unit_from,
)
from memoryd_server.retrieval.time.named import NamedTime

_HAN = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")
_WIDE = {ord("\uff10") + digit: str(digit) for digit in range(10)}

_NUMBER = "[0-9]{1,3}|[一二三四五六七八九十两兩]{1,3}"
_DIGITS = {digit: number for number, digit in enumerate("一二三四五六七八九", 1)} | {"两": 2, "兩": 2}

_WEEKDAY = "[一二三四五六日天月火水木金土]"
_WEEKDAYS = (
    {day: number for number, day in enumerate("一二三四五六日")}
    | {day: number for number, day in enumerate("月火水木金土")}
    | {"天": 6}
)
_UNITS = {
    "分钟": Unit.MINUTE,
    "分鐘": Unit.MINUTE,
    "分": Unit.MINUTE,
    "小时": Unit.HOUR,
    "小時": Unit.HOUR,
    "時間": Unit.HOUR,
    "天": Unit.DAY,
    "日": Unit.DAY,
    "星期": Unit.WEEK,
    "礼拜": Unit.WEEK,
    "周": Unit.WEEK,
    "週": Unit.WEEK,
    "月": Unit.MONTH,
    "年": Unit.YEAR,
}
_DAYS = {
    "大前天": -3,
    "前天": -2,
    "昨天": -1,
    "昨晚": -1,
    "昨夜": -1,
    "今天": 0,
    "今晚": 0,
    "今早": 0,
    "明天": 1,
    "明晚": 1,
    "后天": 2,
    "後天": 2,
    "大后天": 3,
    "一昨日": -2,
    "おととい": -2,
    "昨日": -1,
    "きのう": -1,
    "今日": 0,
    "今朝": 0,
    "今夜": 0,
    "明日": 1,
    "明後日": 2,
    "あさって": 2,
}
_NEAR = {
    "上上": -2,
    "上": -1,
    "这": 0,
    "這": 0,
    "本": 0,
    "下": 1,
    "下下": 2,
    "先々": -2,
    "先": -1,
    "今": 0,
    "来": 1,
    "再来": 2,
}
_YEARS = {"前年": -2, "一昨年": -2, "おととし": -2, "去年": -1, "昨年": -1, "今年": 0, "明年": 1, "来年": 1, "來年": 1}
_SEASONS = {"春": 3, "夏": 6, "秋": 9, "冬": 12}
_HALVES = {"上": 1, "前": 1, "下": 7, "後": 7}


def _any(names: dict[str, int] | dict[str, Unit]) -> str:
    return "|".join(sorted(names, key=len, reverse=True))


def has_han(text: str) -> bool:
    """Return True if a text has Chinese characters or kana."""
    return not text.isascii() and _HAN.search(text) is not None


def han_times_in(text: str, first: int, now: datetime, *, is_content: bool) -> list[NamedTime]:
    """Return the times that a sentence names. ``first`` is its place in a longer text.

    A month without its year is the last that has begun, and a weekday the last before today; in a content, whose verbs
    are not examined, both are left out.
    """
    text = text.translate(_WIDE)
    found: list[tuple[int, int, Span]] = []
    matches = [
        (match, span)
        for pattern, span, is_sure in _POINTS
        if is_sure or not is_content
        for match in pattern.finditer(text)
    ]
    for match, span in sorted(matches, key=lambda pair: (pair[0].start(), -pair[0].end())):
        if found and match.start() < found[-1][1]:
            continue
        try:
            found.append((match.start(), match.end(), span(match, now)))
        except (ValueError, OverflowError, KeyError):
            continue  # no such day, or beyond datetime's range
    return [
        NamedTime(start, end, first + begin, first + stop)
        for begin, stop, start, end in _spans(text, found)
        if start is None or end is None or start < end
    ]


_Open = tuple[int, int, datetime | None, datetime | None]


def _spans(text: str, points: list[tuple[int, int, Span]]) -> list[_Open]:
    """Return the spans that points and the words around them make: "从五月到七月", "6月以降"."""
    spans: list[_Open] = []
    place = 0
    while place < len(points):
        begin, stop, (start, end) = points[place]
        place += 1
        if place < len(points) and _JOINT.fullmatch(text, stop, points[place][0]):
            _, stop, (_, end) = points[place]
            place += 1
            spans.append((begin, stop, start, end))
        elif match := _SINCE.match(text, stop):
            spans.append((begin, match.end(), start, None))
        elif match := _BEFORE.match(text, stop):
            spans.append((begin, match.end(), None, start))
        elif match := _AFTER.match(text, stop):
            spans.append((begin, match.end(), end, None))
        elif (match := _UNTIL.match(text, stop)) or _UNTIL_WORD.search(text, 0, begin):
            spans.append((begin, match.end() if match else stop, None, end))
        else:
            spans.append((begin, stop, start, end))
    return spans


_JOINT = re.compile("\\s*(?:到|至|から|[-~\u301c\uff5e\u2013])\\s*")
_SINCE = re.compile("以来|以來|以降|から|起|开始")
_BEFORE = re.compile("(?:以前|之前|より前|の前)")
_AFTER = re.compile("以后|之后|以後|之後|の後")
_UNTIL = re.compile("まで|为止|為止")
_UNTIL_WORD = re.compile("(?:直到|到)$")


def _number(text: str) -> int:
    """Return the value of a number up to 99 in Chinese characters, or of one in digits."""
    if text.isdecimal():
        return int(text)
    tens, ten, ones = text.rpartition("十")
    return 10 * _DIGITS.get(tens, 1) * bool(ten) + _DIGITS.get(ones, 0)


def _year(match: re.Match[str], now: datetime) -> int:
    return int(match["year"]) if match["year"] else now.year + _YEARS[match["near_year"]]


def _days(match: re.Match[str], now: datetime) -> Span:
    start = midnight(now) + _DAYS[match["day"]] * DAY
    return start, start + DAY


def _ago(match: re.Match[str], now: datetime) -> Span:
    unit, number = _UNITS[match["unit"]], _number(match["number"])
    if unit in (Unit.MINUTE, Unit.HOUR):
        moment = shifted(now, unit, -number)
        around = min((now - moment) / 2, timedelta(minutes=30))
        return moment - around, moment + around
    return unit_from(now, unit, -number)


def _last(match: re.Match[str], now: datetime) -> Span:
    return shifted(midnight(now), _UNITS[match["unit"]], -_number(match["number"])), midnight(now) + DAY


def _week(match: re.Match[str], now: datetime) -> Span:
    start, end = unit_from(now, Unit.WEEK, _NEAR[match["near"]])
    if match["end"]:
        return end - 2 * DAY, end
    if not match["weekday"]:
        return start, end
    day = start + _WEEKDAYS[match["weekday"]] * DAY
    return day, day + DAY


def _weekday(match: re.Match[str], now: datetime) -> Span:
    day = midnight(now) - ((now.weekday() - _WEEKDAYS[match["weekday"]] - 1) % 7 + 1) * DAY
    return day, day + DAY


def _date(match: re.Match[str], now: datetime) -> Span:
    month, day = _number(match["month"]), _number(match["day"]) if match["day"] else 0

    def in_year(year: int) -> Span:
        return day_of(year, month, day) if day else month_of(year, month)

    if match["year"] or match["near_year"]:
        return in_year(_year(match, now))
    span = in_year(now.year)
    return span if span[0] <= now else in_year(now.year - 1)


def _season(match: re.Match[str], now: datetime) -> Span:
    return month_of(_year(match, now), _SEASONS[match["season"]], 3)


def _recent(_: re.Match[str], now: datetime) -> Span:
    return midnight(now) - RECENT_DAYS * DAY, midnight(now) + DAY


_YEAR = f"(?:(?P<year>(?:19|20)[0-9]{{2}})年|(?P<near_year>{_any(_YEARS)}))"
_AMOUNT = f"(?P<number>{_NUMBER})(?:个|個|ヶ|か|カ|ヵ|箇|ケ)?(?P<unit>{_any(_UNITS)})(?:间|間)?"
_MONTH = "(?P<month>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月(?:份)?"
_DAY = "(?P<day>3[01]|[12][0-9]|0?[1-9]|[二三]?十[一二三四五六七八九]?|[一二三四五六七八九])[日号號]"

_POINTS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], datetime], Span], bool], ...] = (
    (re.compile(f"(?P<day>{_any(_DAYS)})(?![间間])(?:早上|上午|下午|晚上|中午|の朝|の夜|の午後)?"), _days, True),
    (
        re.compile(f"(?<![0-9一二三四五六七八九十第]){_AMOUNT}(?:之前|以前|前)(?![端台线線锋鋒提后後景途面者半年])"),
        _ago,
        True,
    ),
    (re.compile(f"(?:最近|过去|過去|近|この|ここ)(?:的|の)?{_AMOUNT}"), _last, True),
    (
        re.compile(
            f"(?P<near>{_any(_NEAR)})(?:个|個)?(?:周|週|星期|礼拜)(?:(?P<end>末)|(?:の)?(?P<weekday>{_WEEKDAY})(?:曜日?)?"
            "(?![间間年月个個]))?"
        ),
        _week,
        True,
    ),
    (re.compile("(?:周|週|星期|礼拜)(?P<weekday>[一二三四五六日天])(?![间間年月个個])"), _weekday, False),
    (re.compile("(?P<weekday>[月火水木金土日])曜日?"), _weekday, False),
    (
        re.compile(f"(?P<near>{_any(_NEAR)})(?:个|個)?月(?![0-9])"),
        lambda match, now: unit_from(now, Unit.MONTH, _NEAR[match["near"]]),
        True,
    ),
    (re.compile(f"{_YEAR}(?:の|的)?{_MONTH}(?:{_DAY})?"), _date, True),
    (
        re.compile(f"(?P<year>)(?P<near_year>)(?<![0-9一二三四五六七八九十]){_MONTH}(?:{_DAY})?(?![前间間])"),
        _date,
        False,
    ),
    (re.compile(f"{_YEAR}(?:の|的)?(?P<season>[春夏秋冬])(?:天|季)?"), _season, True),
    (
        re.compile(f"{_YEAR}(?:の)?(?P<half>[上下前後])半(?:年|期)?"),
        lambda match, now: month_of(_year(match, now), _HALVES[match["half"]], 6),
        True,
    ),
    (
        re.compile(f"{_YEAR}(?![度纪紀])"),
        lambda match, now: unit_at(day_of(_year(match, now), 1, 1)[0], Unit.YEAR),
        True,
    ),
    (re.compile(f"最近(?!的?(?:{_NUMBER}))|近頃|近来"), _recent, False),
)
"""Patterns, each with the function that returns the span of a match, and whether it is sure in a content, too."""
