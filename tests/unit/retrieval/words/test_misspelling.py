from itertools import permutations

import pytest
from tests.unit.record_filters import of_memories
from tests.unit.retrieval.sample import found, index_of, memory, search

from memoryd_server.retrieval.words.queried_terms import CORRECTIONS_MAX

CONTENTS = (
    "Ann photographs lighthouses",
    "Bob restores violins",
    "Clara studies archaeology in Athens",
    "Dora moved to Edinburgh",
    "Der Nachbar repariert alte Fahrräder mit Freude",
)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("who photograhps them", 0),  # transposed
        ("who likes lighhouses", 0),  # deleted
        ("who likes ligthhouses", 0),
        ("who has violinss", 1),  # inserted, in the ending
        ("who has vioilns", 1),
        ("who has viokins", 1),  # substituted
        ("who is restorimg", 1),  # in the ending that the stemmer takes off
        ("archaeolgy", 2),
        ("Edimbrugh", 3),  # two edits
        ("edinburg", 3),
        ("Edinbrugh", 3),
        ("wer repariert Fahräder", 4),
        ("wer repariert Fahrader", 4),
    ],
)
def test_a_misspelled_word_is_found(text: str, first: int) -> None:
    index = index_of(memory(content, number) for number, content in enumerate(CONTENTS))
    assert found(index, text)[:1] == [f"m{first}"]


@pytest.mark.parametrize("text", ["bobb", "ann2", "vio", "xiokins", "arcaehxloy"])
def test_a_short_word_or_one_with_more_errors_is_not_found(text: str) -> None:
    index = index_of(memory(content, number) for number, content in enumerate(CONTENTS))
    assert found(index, text) == []


def test_a_word_that_a_memory_has_is_not_misspelled() -> None:
    index = index_of([memory("a violin", 1), memory("a violet", 2), memory("a violot", 3)])
    assert found(index, "violet") == ["m2"]


def test_a_misspelled_word_counts_less_than_the_right_one() -> None:
    index = index_of([memory("a violin case", 1)])
    assert search(index, "violim case")[0].score < search(index, "violin case")[0].score


def test_a_misspelled_word_is_a_matched_word() -> None:
    assert search(index_of([memory("a violin case", 1)]), "violim")[0].matched_words == ("violim",)


def test_only_words_that_the_embedder_does_not_know_may_be_misspelled() -> None:
    index = index_of([memory("a violin", 1)])
    assert found(index, "violim", strange_words=frozenset({"violim"})) == ["m1"]
    assert found(index, "violim", strange_words=frozenset()) == []


def test_a_misspelled_word_reveals_nothing_of_other_users() -> None:
    index = index_of([memory("a violin", 1, user_id="ann"), memory("a violon case", 2, user_id="bob")])
    of_ann = of_memories("ann")
    alone = index_of([memory("a violin", 1, user_id="ann")])
    assert search(index, "violan", of_ann) == search(alone, "violan", of_ann) != []
    assert search(index, "violon", of_ann) == search(alone, "violon", of_ann) != []


def test_a_misspelled_word_stands_for_the_same_terms_in_any_order() -> None:
    contents = ("violin", "violan", "violun", "violyn", "violyn too")
    for order in permutations(enumerate(contents)):
        index = index_of(memory(content, number) for number, content in order)
        assert set(found(index, "violon")) == {"m0", "m1", "m3", "m4"}


def test_a_removed_term_is_no_correction() -> None:
    index = index_of([memory("violin", 1), memory("violan here", 2)])
    index.remove(["m1"])
    assert found(index, "violin") == ["m2"]


def test_few_words_of_a_query_are_corrected() -> None:
    words = [f"{chr(97 + number) * 3}violin" for number in range(CORRECTIONS_MAX + 1)]
    index = index_of(memory(word, number) for number, word in enumerate(words))
    assert len(found(index, " ".join(f"{word}x" for word in words), limit=20)) == CORRECTIONS_MAX


@pytest.mark.parametrize(
    ("contents", "text", "first"),
    [
        (("Annas Lieblingsgetränk ist Kakao", "Annas Auto ist rot"), "welches Getränk mag Anna", "m0"),
        (("Bob hat einen Schäferhund", "Bob hat eine Wohnung"), "wie heißt der Hund von Bob", "m0"),
        (("Das ist eine teure Maschine für das Büro", "Das Büro ist klein"), "wo ist die Kaffeemaschine", "m0"),
        (("Anna heeft een nieuwe koffiemachine gekocht", "Anna woont in Utrecht"), "waar is de machine", "m0"),
    ],
)
def test_a_compound_is_found_by_its_last_part(contents: tuple[str, ...], text: str, first: str) -> None:
    index = index_of(memory(content, number) for number, content in enumerate(contents))
    match = search(index, text)[0]
    assert match.memory_id == first
    assert len(match.matched_words) >= 1


def test_an_english_word_is_no_end_of_a_compound() -> None:
    assert found(index_of([memory("the lighthouse is here", 1)]), "house") == []
