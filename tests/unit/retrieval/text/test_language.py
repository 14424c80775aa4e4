# ruff: noqa: RUF001 - letters of many scripts
import pytest

from memoryd_server.retrieval.text.language import language_of
from memoryd_server.retrieval.text.word import folded, words_of

TEXTS = {
    "en": (
        "User likes green tea.",
        "Ada lives in Berlin.",
        "Die Hard is on tonight",
        "Haha nice one!",
        "Got a promo",
        "Emilia",
        "Weird, weird.",
        "deploy key rotated on 2026-03-05",
        "",
        "Oh, no!",
        "Сafé society meets here on Mondays",  # the first letter is Cyrillic
    ),
    "de": ("Anna wohnt in Köln.", "Trinkt Kaffee ohne Zucker", "Wo arbeitet Peter?", "Allergisch gegen Nüsse"),
    "fr": ("Son chien s'appelle Rex", "A deux enfants", "Où habite Anna ?", "Allergique aux noix"),
    "es": ("Vamos a Italia en verano.", "Alérgico a las nueces", "¿Dónde vive Ana?"),
    "it": ("Il suo cane si chiama Argo", "Andiamo in Grecia d'estate.", "Dove abita Paolo?"),
    "pt": ("A reunião é na segunda-feira", "Alérgico a nozes", "Onde mora a Ana?"),
    "nl": ("Zijn auto is blauw", "Heeft twee kinderen", "Waar woont Piet?"),
    "sv": ("Hon gillar inte oliver.", "Dricker kaffe utan socker", "Användaren dricker gärna grönt te."),
    "da": ("Han kan ikke lide oliven.", "Hvad laver han på arbejdet?"),
    "fi": ("Käyttäjä juo mielellään vihreää teetä.", "Missä Anna asuu?"),
    "hu": ("A felhasználó szereti a zöld teát.", "Hol lakik Anna?"),
    "ro": ("Utilizatorului îi place ceaiul verde.", "Unde locuiește Ana?"),
    "tr": ("Kullanıcı yeşil çay sever.", "Ayşe nerede yaşıyor?"),
    "pl": ("Użytkownik lubi zieloną herbatę.", "Gdzie mieszka Anna?"),
    "cs": ("Uživatel má rád zelený čaj.", "Kde bydlí Anna?"),
    "id": ("Pengguna suka minum teh hijau.", "Di mana Anna tinggal?"),
    "ru": ("Пользователь любит зелёный чай.",),
    "ar": ("المستخدم يحب الشاي الأخضر",),
    "hi": ("उपयोगकर्ता को हरी चाय पसंद है",),
    "el": ("Ο χρήστης αγαπά το πράσινο τσάι.",),
}


@pytest.mark.parametrize(
    ("language", "text"), [(language, text) for language, texts in TEXTS.items() for text in texts]
)
def test_the_language_of_a_short_text_is_recognized(language: str, text: str) -> None:
    assert language_of(folded(text), set(words_of(text))) == language


@pytest.mark.parametrize("name", ["Ada", "Dan", "Mia", "Ida"])
@pytest.mark.parametrize("fact", ["drinks tea", "plays chess"])
def test_a_name_that_is_a_function_word_elsewhere_makes_no_fact_foreign(name: str, fact: str) -> None:
    text = folded(f"{name} {fact}")
    assert language_of(text, set(words_of(text))) == "en"
