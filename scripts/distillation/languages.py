"""Distills the table by which the daemon recognizes a text's language, and the stop words. See scripts/distill.

The table has n-grams of characters, and how much each speaks for each language: the logarithm of its frequency there,
less the mean over the languages. Both come from py3langid's model of 142 languages, of which these are kept, with the
n-grams that distinguish them best.
"""

import argparse
import io
import lzma
import zipfile
from collections import deque
from pathlib import Path

import numpy as np
import numpy.typing as npt

DATA = Path(__file__).parents[2] / "daemon/memoryd_server/retrieval/text/data"

LANGUAGES = ["en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "no", "fi", "hu", "ro", "tr", "pl", "cs", "id"]
"""The languages in Latin letters that have a stemmer and a list of stop words. Others are recognized by script."""

NGRAMS = 20_000

STEP = 32
"""Steps of a whole number in the logarithm: the weights are kept in a byte."""

_LISTS = {
    **{code: f"snowball/{name}_stop.txt" for code, name in (
        ("de", "german"), ("fr", "french"), ("es", "spanish"), ("it", "italian"), ("pt", "portuguese"),
        ("nl", "dutch"), ("sv", "swedish"), ("da", "danish"), ("no", "norwegian"), ("fi", "finnish"),
        ("hu", "hungarian"), ("ru", "russian"), ("id", "indonesian"),
    )},
    **{code: f"{folder}/stopwords.txt" for code, folder in (
        ("ro", "ro"), ("tr", "tr"), ("cs", "cz"), ("ar", "ar"), ("hi", "hi"), ("el", "el"),
    )},
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel", type=Path, help="the wheel of py3langid")
    parser.add_argument(
        "jar", type=Path, help="the jar of lucene-analysis-common, which carries the lists of stop words"
    )
    arguments = parser.parse_args()
    write_table(arguments.wheel)
    write_stop_words(arguments.jar)


def write_table(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        raw = lzma.decompress(archive.read("py3langid/data/model.npz.xz"))
    model = np.load(io.BytesIO(raw))
    classes = model["classes"].tolist()
    logs = model["ptc"][:, [classes.index(each) for each in LANGUAGES]].astype(np.float64)
    weights = logs - logs.mean(axis=1, keepdims=True)
    strength = (np.exp(logs) * weights).max(axis=1)
    features = {
        ngram: number
        for state, ngram in ngrams_of(model["nextmove"].reshape(-1, 256), model["nextmove_row"])
        if (number := int(model["out_feat"][state])) >= 0 and is_kept(ngram)
    }
    kept = sorted(sorted(features, key=lambda each: (-strength[features[each]], each))[:NGRAMS])
    table = np.clip(np.rint(weights[[features[each] for each in kept]] * STEP), -127, 127).astype(np.int8)
    np.save(DATA / "ngrams.npy", table)
    (DATA / "ngrams.txt").write_text("\n".join(kept) + "\n", encoding="utf-8")
    (DATA / "languages.txt").write_text(" ".join(LANGUAGES) + "\n", encoding="utf-8")


def ngrams_of(moves: npt.NDArray[np.uint16], rows: npt.NDArray[np.uint16]) -> list[tuple[int, str]]:
    """Return the states of the model's automaton, each with the characters that lead to it first, if they are whole."""
    prefixes, waiting = {0: b""}, deque([0])
    while waiting:
        state = waiting.popleft()
        for byte, following in enumerate(moves[rows[state]].tolist()):
            if following not in prefixes:
                prefixes[following] = prefixes[state] + bytes([byte])
                waiting.append(following)
    found = []
    for state, prefix in prefixes.items():
        try:
            found.append((state, prefix.decode()))
        except UnicodeDecodeError:
            continue
    return found


def is_kept(ngram: str) -> bool:
    """Return True for letters, spaces and marks of prose: n-grams of markup distinguish pages, not texts."""
    return not any(
        each.isdigit() or each.isupper() or ord(each) > 0x24F or each in '<>{}|_\n\t=/\\[]()#*"' for each in ngram
    )


def write_stop_words(jar: Path) -> None:
    folder = DATA / "stop_words"
    folder.mkdir(exist_ok=True)
    with zipfile.ZipFile(jar) as archive:
        for code, path in _LISTS.items():
            text = archive.read(f"org/apache/lucene/analysis/{path}").decode()
            lines = (line.partition("|")[0].partition("#")[0] for line in text.splitlines())
            words = sorted({word.lower() for line in lines for word in line.split()})
            (folder / f"{code}.txt").write_text("\n".join(words) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
