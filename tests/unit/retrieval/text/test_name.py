import pytest

from memoryd_server.retrieval.text.name import names_in


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Where does Ada live?", {"ada"}),
        ("Ada lives there. Where does she work?", set()),
        ("When did I visit Elise's sister in Las Vegas?", {"elise", "las", "vegas"}),
        ("¿Dónde vive Mateo?", {"mateo"}),
        ("where does ada live", set()),
        ("Is it C3PO or R2-D2: Which?", {"c3po", "r2", "d2"}),
        ("", set()),
    ],
)
def test_words_in_capitals_are_names_unless_they_begin_a_sentence(text: str, names: set[str]) -> None:
    assert names_in(text) == names
