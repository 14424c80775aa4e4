"""The words of a sentence in one form: case, contractions, numbers, dates, times and amounts are normalised.

A date becomes ``d:2026-05-03``, with underscores for a part that is not given, and a time of day ``t:15:00``.
"""

import re
import unicodedata

_ENDINGS = (
    ("can't", "can not"),
    ("cannot", "can not"),
    ("won't", "will not"),
    ("n't", " not"),
    ("'m", " am"),
    ("'re", " are"),
    ("'ve", " have"),
    ("'ll", " will"),
)
_CONTRACTIONS = (
    *((re.compile(rf"{ending}\b"), full) for ending, full in _ENDINGS),
    (re.compile(r"(?:'s| has| have) got\b(?! to\b)"), " has"),
    (re.compile(r"\b(he|she|it|that|there|what|who|here)'s\b"), r"\1 is"),
    (re.compile(r"'s\b"), " 's"),
    (re.compile(r"(?<=s)'(?=\s)"), " 's"),
)
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar jänner",
            "february feb februar",
            "march mar märz",
            "april apr",
            "may mai",
            "june jun juni",
            "july jul juli",
            "august aug",
            "september sept sep",
            "october oct oktober okt",
            "november nov",
            "december dec dezember dez",
        ),
        1,
    )
    for name in names.split()
}
_MONTH = rf"(?P<month>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\b\.?"
_DAY = r"(?P<day>\d{1,2})"
_YEAR = r"(?:,? (?P<year>\d{4})\b)"
_DATES = (
    re.compile(r"\b(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})\b(?!-)"),
    re.compile(rf"\b{_DAY}\.(?P<month>\d{{1,2}})\.(?P<year>\d{{4}})?(?![\w.])"),
    re.compile(rf"\b{_MONTH} {_DAY}(?:st|nd|rd|th)?\b(?![.:]\d){_YEAR}?"),
    re.compile(rf"\b(?:the )?{_DAY}(?:st|nd|rd|th|\.)? (?:of )?{_MONTH}{_YEAR}?"),
    re.compile(rf"\b{_MONTH} (?:of )?(?P<year>\d{{4}})\b"),
)
_BARE_MONTH = re.compile(rf"\b(?:(?<=in )|(?<=im )|(?<=by )|(?<=until )|(?<=since )){_MONTH}(?!\w)")
_TIMES = (
    re.compile(r"(?<![:\w])(?P<hour>\d{1,2})(?:[:.](?P<minute>\d{2}))? ?(?P<half>[ap])\.?m\b\.?"),
    re.compile(r"(?<![:\w])(?P<hour>\d{1,2}):(?P<minute>\d{2})\b(?:(?: uhr| o'clock)\b)?"),
    re.compile(r"(?<![:\w])(?P<hour>\d{1,2})(?P<minute>)(?: uhr| o'clock)\b"),
)
_ENGLISH_NUMBERS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty"
)
_GERMAN_NUMBERS = (
    "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn "
    "siebzehn achtzehn neunzehn zwanzig"
)
_NUMBERS = (_ENGLISH_NUMBERS, _GERMAN_NUMBERS)
_WORDS = {word: str(number) for words in _NUMBERS for number, word in enumerate(words.split())} | {
    "thirty": "30",
    "forty": "40",
    "fifty": "50",
    "sixty": "60",
    "hundred": "100",
    "thousand": "1000",
    "noon": "t:12:00",
    "midnight": "t:00:00",
    "mittags": "t:12:00",
    "mitternacht": "t:00:00",
}
"""Words for numbers and times of day."""
_DIGIT = re.compile(r"\d")
_GROUPED = re.compile(r"\b\d{1,3}(?:,\d{3})+\b(?!,)")
_GROUPED_BY_DOTS = re.compile(r"\b\d{1,3}(?:\.\d{3})+\b(?= (?:euro|franken|€|km|meter|stück|einwohner)|€)")
_SIGN_BEFORE = re.compile(r"(?P<sign>[$€£])\s?(?P<amount>\d[\d.]*)(?P<thousand>k?)\b")
_SIGN_BEHIND = re.compile(r"(?P<amount>\b\d[\d.]*)(?P<thousand>k?)\s?(?P<sign>[€%$£])")
_SIGNS = {"$": "dollar", "€": "euro", "£": "pound", "%": "percent"}
_THOUSANDS = re.compile(r"\b(\d+)k\b")
_GLUED_UNIT = re.compile(r"\b(\d+(?:\.\d+)?)(km|kg|cm|mm|mg|ml|gb|mb|tb|min|kwh|mph)\b")

_OPENING_SIGNS = "\"'`*([{\u00ab\u00bf\u00a1\u2018\u201c"
_CLOSING_SIGNS = "\"'`*)]}.,;:!\u00bb\u2019\u201d\u2026\u3001\u3002\uff01\uff0c"
_DASHES = frozenset({"-", "\u2013", "\u2014"})
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|\s*\n\s*")
_ABBREVIATION = re.compile(
    r"(?:\b(?:dr|mr|mrs|ms|st|no|nr|approx|ca|z\.b|e\.g|i\.e|vs)|(?<!['\u2019])\b\w|\b\d{1,2})\.$", re.IGNORECASE
)


def folded(text: str) -> str:
    """Return a text in lower case, composed, with straight apostrophes."""
    return unicodedata.normalize("NFC", text.casefold().replace("\u2019", "'"))


def sentences_of(text: str) -> list[str]:
    """Return the sentences of a text, folded."""
    return divided(folded(text))


def divided(text: str) -> list[str]:
    """Return the sentences of a text as they are written."""
    sentences: list[str] = []
    for part in _SENTENCE_END.split(text):
        # Only the end of a sentence is read: it may have grown by a thousand abbreviations.
        if sentences and _ABBREVIATION.search(sentences[-1][-12:]):
            sentences[-1] += " " + part
        elif part.strip():
            sentences.append(part.strip())
    return sentences


def words_in(sentence: str) -> list[str]:
    """Return the words of a folded sentence in one form. A comma between words is a word of its own."""
    if "'" in sentence or "can" in sentence or " got" in sentence:
        for pattern, full in _CONTRACTIONS:
            sentence = pattern.sub(full, sentence)
    if _DIGIT.search(sentence):
        sentence = _without_amount_forms(sentence)
        for pattern in _DATES:
            sentence = pattern.sub(_date_word, sentence)
        for pattern in _TIMES:
            sentence = pattern.sub(_time_word, sentence)
    sentence = _BARE_MONTH.sub(_date_word, sentence)
    words = []
    for written in sentence.split():
        word = written.lstrip(_OPENING_SIGNS).rstrip(_CLOSING_SIGNS) if written != "'s" else written
        if word and word not in _DASHES:
            words.append(_WORDS.get(word, word))
        if written.endswith(",") and words:
            words.append(",")
    return words[:-1] if words and words[-1] == "," else words


def _without_amount_forms(sentence: str) -> str:
    sentence = _GROUPED.sub(lambda found: found.group().replace(",", ""), sentence)
    sentence = _GROUPED_BY_DOTS.sub(lambda found: found.group().replace(".", ""), sentence)
    for pattern in (_SIGN_BEFORE, _SIGN_BEHIND):
        sentence = pattern.sub(_amount, sentence)
    sentence = _THOUSANDS.sub(r"\g<1>000", sentence)
    return _GLUED_UNIT.sub(r"\1 \2", sentence)


def _amount(found: re.Match[str]) -> str:
    thousands = "000" if found["thousand"] else ""
    return f"{found['amount'].rstrip('.')}{thousands} {_SIGNS[found['sign']]} "


def _date_word(found: re.Match[str]) -> str:
    parts = found.groupdict()
    year, day = parts.get("year") or "____", parts.get("day") or ""
    month = parts["month"].rstrip(".")
    number = _MONTHS.get(month) or int(month)
    if not 1 <= number <= 12 or (day and not 1 <= int(day) <= 31):
        return found.group()
    return f"d:{year}-{number:02}-{int(day) if day else 0:02}".replace("-00", "-__")


def _time_word(found: re.Match[str]) -> str:
    hour, minute = int(found["hour"]), int(found["minute"] or 0)
    half = found.groupdict().get("half")
    if half and 1 <= hour <= 12:
        hour = hour % 12 + (12 if half == "p" else 0)
    return f"t:{hour:02}:{minute:02}" if hour < 24 and minute < 60 else found.group()


def bare_words(text: str) -> list[str]:
    """Return the words of a text without punctuation at their ends, with contractions in full."""
    said: list[str] = []
    for written in folded(text).split():
        word = written.lstrip(_OPENING_SIGNS).rstrip(_CLOSING_SIGNS)
        if word and word not in _DASHES:
            said += _in_full(word)
    return said


def _in_full(word: str) -> list[str]:
    for ending, full in _ENDINGS:
        if word.endswith(ending):
            return (word.removesuffix(ending) + full).split()
    return [word]


def may_be_same_date(one: str, other: str) -> bool:
    """Return True if two dates agree in all parts that both have."""
    parts = zip(one[2:].split("-"), other[2:].split("-"), strict=True)
    return all(part == other_part or "_" in part + other_part for part, other_part in parts)
