"""Protection of a prompt against the texts that are rendered into it.

A section of a prompt stands between two lines, such as "[MEMORIES]" and "[END_MEMORIES]". The text of a record could
contain such a line, and make what follows it look like words of the operator. All texts of records are therefore
rendered with round brackets in place of those of such a line, and without characters that people do not see.
"""

import re
import unicodedata

FRAMES = frozenset({"CURRENT_PLAN", "DOCUMENTS", "DYNAMIC_MEMORY", "ENTRIES", "MEMORIES", "SUMMARY", "WORKING_MEMORY"})
"""The names of the sections' frames: of their first lines, and after "END_" of their last ones."""

_NAME_CHARACTERS_MAX = 400
"""Maximum characters between the brackets of a frame, with combining characters."""

_CONTROLS = bytes({*range(0x20), 0x7F} - {0x09, 0x0A})
_LINE_BREAK = re.compile("\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_UNSEEN = re.compile(
    "(\U0001f3f4[\U000e0020-\U000e007e]{2,6}\U000e007f)"  # the flag of a region, such as Scotland's
    "|[\x00-\x08\x0e-\x1f\x7f-\x9f\u180e\u200b\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
    "|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}"  # more variations of a character than one
)

_SUSPECT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u180e\u200b\u2028-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e01ef]"
)
"""One set of characters, which is fast: most texts have none of them."""

_OPENING = "\\[\u2045\u23a1\u2772\u27e6\u298b\u298d\u298f\u3010\u3014\u3016\u3018\u301a\ufe39\ufe3b\ufe47\ufe5d\uff3b"
_CLOSING = "\\]\u2046\u23a4\u2773\u27e7\u298c\u298e\u2990\u3011\u3015\u3017\u3019\u301b\ufe3a\ufe3c\ufe48\ufe5e\uff3d"
_ANY_OPENING = re.compile(f"[{_OPENING}]")
_BRACKETED = re.compile(f"[{_OPENING}]([^{_OPENING}{_CLOSING}]*+)[{_CLOSING}]")
_FIRST_IN_LINE = re.compile(rf"([\W\d_]*){_BRACKETED.pattern}")
_BETWEEN_WORDS = re.compile(r"[\W_]+")


def one_line(text: str) -> str:
    """Return the text with spaces for its line breaks, so that none of it can pass for another line of the prompt."""
    return " ".join(text.splitlines())


def seen(text: str) -> str:
    """Return the text without control characters and invisible ones, and with ``\\n`` for each line break.

    Tabs stay, and so do the joiners that scripts and emoji need.
    """
    if text.isascii():
        if len(text.encode().translate(None, _CONTROLS)) == len(text):
            return text
    elif not _SUSPECT.search(text):
        return text
    return _UNSEEN.sub(r"\1", _LINE_BREAK.sub("\n", text))


def defused(text: str) -> str:
    """Return a text of a record as it is rendered into a prompt: ``seen``, and with no line that looks like a frame.

    The brackets of these become round ones: the beginning or the end of a frame anywhere in a line ("[MEMORIES]",
    "[END_MEMORIES]", "[/MEMORIES]"); and any name in capitals that is alone on its line ("[RULES]"). Brackets and
    letters that look like those of ASCII count as these. All other text stays as it is.
    """
    text = seen(text)
    if "[" not in text and (text.isascii() or not _ANY_OPENING.search(text)):
        return text
    return "\n".join(map(_defused_line, text.split("\n")))


def _defused_line(line: str) -> str:
    if "[" not in line and (line.isascii() or not _ANY_OPENING.search(line)):
        return line
    first = _FIRST_IN_LINE.match(line)
    if first is not None and not any(map(str.isalnum, line[first.end() :])) and _is_name(first[2]):
        line = f"{first[1]}({first[2]}){line[first.end() :]}"
    return _BRACKETED.sub(lambda found: f"({found[1]})" if _is_frame(found[1]) else found[0], line)


def _is_name(bracketed: str) -> bool:
    """Return True if this is a name when it is alone on its line: of a frame, or one in capitals."""
    name = _name_of(bracketed)
    return name.upper() in FRAMES or (name.isupper() and len(name) > 1)


def _is_frame(bracketed: str) -> bool:
    """Return True if this begins or ends a frame wherever it stands."""
    name = _name_of(bracketed)
    if name in FRAMES:
        return True
    end, _, of = name.partition("_")
    if end.upper() != "END":
        return bracketed.lstrip().startswith(("/", "\uff0f")) and (name.upper() in FRAMES or name.isupper())
    return of.upper() in FRAMES or (bool(of) and name.isupper())


def _name_of(bracketed: str) -> str:
    """Return the name between brackets in letters of ASCII where they look so, with "_" between words; else empty."""
    if len(bracketed) > _NAME_CHARACTERS_MAX:
        return ""
    if not bracketed.isascii():
        letters = unicodedata.normalize("NFKD", bracketed)
        bracketed = "".join(each for each in letters if unicodedata.category(each) not in ("Cf", "Mn", "Me"))
    words = bracketed.strip().lstrip("/")
    return "" if any(each in words for each in "\"'.,:;{}=") else _BETWEEN_WORDS.sub("_", words).strip("_")
