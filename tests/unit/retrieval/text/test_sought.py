import pytest

from memoryd_server.retrieval.text.sought import sought_in


def words_sought(query: str, *languages: str) -> dict[str, str]:
    return {term: sought.word for term, sought in sought_in(query, languages).items()}


def forms_of(query: str, term: str, *languages: str) -> dict[str, float]:
    return {
        form: weight
        for form, weight in sought_in(query, languages)[term].forms.items()
        if not form.endswith(("|alias", "|tag"))
    }


def test_a_query_maps_each_term_to_its_first_word() -> None:
    assert words_sought("Who was running with runners, run?") == {"run": "running", "runner": "runners"}


def test_a_query_has_the_pairs_of_a_run_without_spaces_or_its_only_character() -> None:
    assert list(words_sought("日本語 猫")) == ["日本", "本語", "猫"]


def test_a_word_is_looked_for_by_its_stem_in_each_language_of_the_memories() -> None:
    assert forms_of("where are the houses", "hous", "de", "fr") == {"hous": 1.0, "hous|de": 1.0, "hous|fr": 1.0}


def test_a_word_is_not_looked_for_in_a_language_where_it_is_a_stop_word() -> None:
    assert forms_of("the die is cast", "die", "de") == {"die": 1.0}


@pytest.mark.parametrize("query", ["Wo wohnt die Familie?", "wo wohnt die familie"])
def test_the_stop_words_of_a_querys_own_language_are_ignored(query: str) -> None:
    assert set(words_sought(query, "de", "en")) == {"wohnt", "famili"}


def test_a_word_without_its_accents_is_looked_for_in_both_ways() -> None:
    assert forms_of("canción", "cancion", "es").keys() == {"cancion", "cancion|es"}
    assert forms_of("Bücher", "bucher", "de").keys() == {"bucher", "buch|de"}


@pytest.mark.parametrize(
    ("query", "term", "forms"),
    [
        ("where is getUserById", "user", {"user": 1.0, "getuserbyid": 1.0}),
        ("where is get_user_by_id", "user", {"user": 1.0, "getuserbyid": 1.0}),
        ("on YouTube", "youtub", {"youtub": 1.0, "tube": 0.5}),
        ("in .NET", ".net", {".net": 1.0, "net": 0.5}),
        ("who has 1,500", "1500", {"1500": 1.0}),
        ("what costs 1.5k", "1500", {"1500": 1.0}),
        ("release v1.2.3", "1.2.3", {"1.2.3": 1.0}),
        ("three dogs", "three", {"three": 1.0, "3": 0.9}),
        ("3 dogs", "3", {"3": 1.0, "three": 0.9}),
        ("what Ada doesn't like", "like", {"like": 0.6, "like|not": 1.0}),
        ("what Ada hates", "hate", {"hate": 1.0, "like|not": 1.0}),
    ],
)
def test_a_term_is_looked_for_in_all_its_forms(query: str, term: str, forms: dict[str, float]) -> None:
    assert forms_of(query, term) == forms


def test_the_parts_of_a_number_are_not_looked_for_but_those_of_a_date_are() -> None:
    assert set(words_sought("1,500 v1.2.3")) == {"1500", "1.2.3"}
    assert list(words_sought("05/03/2026")) == ["20260305", "05", "03", "2026"]
    assert sought_in("05/03/2026", ())["20260305"].is_optional


@pytest.mark.parametrize("query", ["what does Ada not like", "what doesn't Ada like", "what doesn\u2019t Ada like"])
def test_a_denied_word_has_no_denials(query: str) -> None:
    sought = sought_in(query, ())
    assert sought["like"].denials == ()
    assert sought_in("what does Ada like", ())["like"].denials == ("like|not",)
