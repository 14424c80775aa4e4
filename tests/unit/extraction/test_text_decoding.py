import pytest

from memoryd_server.domain.documents.charset import charset_of, codec_of
from memoryd_server.domain.error import DocumentUnreadable
from memoryd_server.extraction.text_decoding import decoded

WESTERN = {
    "French": "Le café était très agréable, naïve façade. ",
    "French, short": "Café naïve text",
    "German": "Größe und Übermut tun selten gut, sagt man auf den Straßen von Köln. ",
    "Spanish": "¿Dónde está el niño? Mañana será otro día, dijo la señora. ",
    "Portuguese": "A situação não é fácil: as ações têm de começar já amanhã. ",
    "Swedish": "Åsa åkte till Göteborg för att köpa smör och öl på lördag. ",
    "Danish": "Rødgrød med fløde er på bordet, sagde Søren på Ærø. ",
    "Icelandic": "Það er kalt úti í dag og ég þarf að fara heim núna. ",
    "Finnish": "Hyvää päivää, minä olen täällä ystävän kanssa. ",
    "English with signs": "\u201cIt\u2019s fine\u201d \u2013 she said\u2026 for \u20ac5, 20\xb0C and 3 m\xb2 ",
}
OTHER = [
    ("Příliš žluťoučký kůň úpěl ďábelské ódy, řekl můj bratr včera. ", "windows-1250"),
    ("Zażółć gęślą jaźń, powiedział wczoraj mój brat w Łodzi i wyszedł. ", "windows-1250"),
    ("Árvíztűrő tükörfúrógép, mondta tegnap a bátyám és elment őszülve. ", "windows-1250"),
    ("Привет, как дела? Сегодня хорошая погода и мы идём гулять. ", "windows-1251"),
    ("Привет, как дела? Сегодня хорошая погода и мы идём гулять. ", "koi8-r"),
    ("Καλημέρα, τι κάνεις σήμερα, είναι πολύ καλός καιρός. ", "windows-1253"),
    ("こんにちは、今日はいい天気ですね。散歩に行きましょう。", "windows-31j"),  # or shift_jis
    ("你好今天天气很好我们去散步吧。", "gb18030"),
    ("你好今天天氣很好我們去散步吧。", "big5"),
]


@pytest.mark.parametrize("times", [1, 20])
@pytest.mark.parametrize("language", WESTERN)
def test_a_text_of_western_europe_is_read_in_its_encoding(language: str, times: int) -> None:
    text = WESTERN[language] * times
    assert decoded(text.encode("cp1252")) == (text, "windows-1252")


@pytest.mark.parametrize(("text", "charset"), OTHER)
def test_another_encoding_is_found_where_it_is_likelier(text: str, charset: str) -> None:
    assert decoded((text * 3).encode(codec_of(charset))) == (text * 3, charset)


def test_utf_8_comes_before_what_is_stated_and_that_before_a_guess() -> None:
    assert decoded("Größe".encode(), "", ("windows-1252",)) == ("Größe", "utf-8")
    assert decoded("Größe".encode("cp1252"), "", ("", "nonsense", "iso-8859-2")) == ("Größe", "iso-8859-2")
    assert decoded("Größe".encode("cp1252"), "", ("shift_jis",))[0] == "Größe"


def test_a_given_encoding_is_the_only_one_that_counts() -> None:
    assert decoded("Größe".encode(), "iso-8859-1") == ("GrÃ¶Ã\x9fe", "iso-8859-1")
    assert decoded("\ufeffGröße".encode("utf-16-le"), "utf-16") == ("Größe", "utf-16")
    assert decoded("\ufeffGröße".encode(), "UTF-8") == ("Größe", "utf-8")
    with pytest.raises(DocumentUnreadable, match="is not in the character encoding utf-8"):
        decoded("Größe".encode("cp1252"), "utf-8")


@pytest.mark.parametrize(
    ("name", "codec", "charset"),
    [
        ("UTF-8", "utf_8", "utf-8"),
        ("utf-16LE", "utf_16_le", "utf-16le"),
        ("ISO-8859-15", "iso8859_15", "iso-8859-15"),
        ("latin1", "latin_1", "iso-8859-1"),
        ("windows-1252", "cp1252", "windows-1252"),
        ("Shift_JIS", "shift_jis", "shift_jis"),
        ("EUC-KR", "euc_kr", "euc-kr"),
        ("KOI8-R", "koi8_r", "koi8-r"),
    ],
)
def test_an_encoding_is_known_by_its_registered_name(name: str, codec: str, charset: str) -> None:
    assert (codec_of(name), charset_of(codec)) == (codec, charset)


@pytest.mark.parametrize("name", ["", "base64", "rot13", "idna", "unicode_escape", "zlib", "../etc", "klingon"])
def test_what_is_no_encoding_of_text_is_not_known(name: str) -> None:
    assert codec_of(name) == ""
