"""The frequent words of Chinese: two to four characters each, which mean little one by one."""

import hashlib
import tarfile
from collections.abc import Mapping
from pathlib import Path

DICTIONARY = "jieba-0.42.1/jieba/dict.txt"
DICTIONARY_SHA256 = "7197c3211ddd98962b036cdf40324d1ea2bfaa12bd028e68faa70111a88e12a8"

_COUNT = 20_000
_CHARACTERS = (2, 4)
_PERSON = "nr"
"""The mark of names of people, which have no equivalent."""


def chinese_words(archive: Path) -> Mapping[str, float]:
    """Return the most frequent words of jieba's dictionary with the probabilities of meeting them in Chinese texts."""
    with tarfile.open(archive) as files:
        member = files.extractfile(DICTIONARY)
        content = member.read() if member is not None else b""
    if hashlib.sha256(content).hexdigest() != DICTIONARY_SHA256:
        raise SystemExit(f"{archive} does not contain the dictionary of jieba 0.42.1")
    entries = [line.split() for line in content.decode().splitlines()]
    total = sum(int(count) for _, count, _ in entries)
    counts = {word: int(count) for word, count, mark in entries if _is_common(word) and not mark.startswith(_PERSON)}
    frequent = sorted(counts, key=lambda word: (-counts[word], word))[:_COUNT]
    return {word: counts[word] / total for word in frequent}


def _is_common(word: str) -> bool:
    least, most = _CHARACTERS
    return least <= len(word) <= most and all("\u4e00" <= character <= "\u9fff" for character in word)
