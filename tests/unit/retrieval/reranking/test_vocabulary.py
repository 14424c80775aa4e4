import numpy as np
import pytest

from memoryd_server.models.embedding.static import StaticEmbedder
from memoryd_server.ports.retrieval import EmbedderUnavailable, WordTable
from memoryd_server.retrieval.reranking.vocabulary import OTHER_BEGINNINGS, UNKNOWN, Vocabulary
from memoryd_server.retrieval.text.term import STEMMED, term_of, terms_of_all
from memoryd_server.retrieval.text.word import plain

DEFAULT = StaticEmbedder().word_table()

WORDS = ["walk", "##ing", "walking", "1234", "a", "stroll", "café", "zero"]
COMPONENTS = np.array(
    [[10, 0], [1, 1], [0, 10], [5, 5], [5, 5], [10, 10], [3, 3], [0, 0]], np.int8
)  # fmt: skip


def vocabulary() -> Vocabulary:
    return Vocabulary(lambda: WordTable(WORDS, memoryview(COMPONENTS.tobytes())))


def test_the_first_word_of_a_term_gives_it_its_vector() -> None:
    assert vocabulary().places_of(["walk", "stroll"]).tolist() == [0, 5]


def test_parts_of_words_numbers_and_other_scripts_are_unknown() -> None:
    assert vocabulary().places_of(["ing", "1234", "a", "cafe", "unheard"]).tolist() == [UNKNOWN] * 5


def test_a_word_of_another_language_has_the_vector_of_its_equivalent_in_all_its_forms() -> None:
    equivalents = {"spazieren": 5, "gehen": 0, "散步": 5}
    known = Vocabulary(lambda: WordTable(WORDS, memoryview(COMPONENTS.tobytes()), equivalents))
    terms = [term_of("spaziere", "de"), term_of("gehe", "de"), term_of("spazieren"), "散步"]
    assert known.places_of(terms).tolist() == [5, 0, 5, 5]


@pytest.mark.parametrize("language", sorted(STEMMED - OTHER_BEGINNINGS))
def test_stems_begin_with_the_letter_of_the_word_where_equivalents_are_found_by_it(language: str) -> None:
    words = DEFAULT.equivalents
    assert [stem[:1] for stem in terms_of_all(words, language)] == [plain(word[:1]) for word in words]


@pytest.mark.parametrize("language", ["de", "nl", "tr"])
def test_words_of_the_default_table_are_found_by_their_terms_in_any_language(language: str) -> None:
    words = DEFAULT.equivalents
    terms = terms_of_all(words, language)
    expected = dict(reversed([*zip(terms, words.values(), strict=True)]))
    some = terms[::50]
    assert Vocabulary(lambda: DEFAULT).places_of(some).tolist() == [expected[term] for term in some]


def test_a_word_of_an_equivalents_spelling_in_another_language_is_known_as_it() -> None:
    known = Vocabulary(lambda: WordTable(WORDS, memoryview(COMPONENTS.tobytes()), {"gehen": 0}))
    assert known.places_of([term_of("walk", "de"), term_of("unheard", "de")]).tolist() == [0, UNKNOWN]


def test_cosines_are_those_of_the_vectors_and_0_for_unknown_ones() -> None:
    known = vocabulary()
    asked = known.places_of(["walk", "zero", "unheard"])
    cosines = known.cosines_of(asked, known.places_of(["walk", "stroll"]))
    assert cosines == pytest.approx(np.array([[1, 0.5**0.5], [0, 0], [0, 0]]))


def test_the_mean_of_all_words_is_what_they_have_in_common() -> None:
    directions = COMPONENTS / np.maximum(np.linalg.norm(COMPONENTS, axis=1, keepdims=True), 1)
    mean = directions.mean(axis=0)
    assert vocabulary().common == pytest.approx(127 * mean / mean.max(), abs=0.5)
    known = Vocabulary(lambda: WordTable(WORDS, memoryview(COMPONENTS.tobytes()), {"gehen": 0, "andare": 0}))
    mean = (directions.sum(axis=0) + 2 * directions[0]) / (len(WORDS) + 2)
    assert known.common == pytest.approx(127 * mean / mean.max(), abs=0.5)


def test_the_table_is_loaded_once_and_at_the_first_use() -> None:
    loads = []

    def word_vectors() -> WordTable:
        loads.append(1)
        return WordTable(WORDS, memoryview(COMPONENTS.tobytes()))

    lazy = Vocabulary(word_vectors)
    assert loads == []
    lazy.places_of(["walk"])
    lazy.cosines_of(lazy.places_of(["walk"]), lazy.places_of(["walk"]))
    assert loads == [1]


def test_without_a_table_every_term_is_unknown() -> None:
    def word_vectors() -> WordTable:
        raise EmbedderUnavailable("damaged")

    without = Vocabulary(word_vectors)
    places = without.places_of(["walk"])
    assert places.tolist() == [UNKNOWN]
    assert without.cosines_of(places, places).tolist() == [[0.0]]
