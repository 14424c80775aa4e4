# ruff: noqa: RUF001 - letters of many scripts
"""Numbers in words: the figure of a word, and the word of a figure."""

_FIRST = 2
"""The first number that has a word here. One is left out: in most languages it is an article."""

_WORDS = {
    "en": "two three four five six seven eight nine ten eleven twelve",
    "de": "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "fr": "deux trois quatre cinq six sept huit neuf dix onze douze",
    "es": "dos tres cuatro cinco seis siete ocho nueve diez once doce",
    "it": "due tre quattro cinque sei sette otto nove dieci undici dodici",
    "pt": "dois três quatro cinco seis sete oito nove dez onze doze",
    "nl": "twee drie vier vijf zes zeven acht negen tien elf twaalf",
    "sv": "två tre fyra fem sex sju åtta nio tio elva tolv",
    "da": "to tre fire fem seks syv otte ni ti elleve tolv",
    "no": "to tre fire fem seks sju åtte ni ti elleve tolv",
    "pl": "dwa trzy cztery pięć sześć siedem osiem dziewięć dziesięć",
    "ru": "два три четыре пять шесть семь восемь девять десять",
    "tr": "iki üç dört beş altı yedi sekiz dokuz on",
}

_WORD_OF = {
    language: {str(figure): word for figure, word in enumerate(words.split(), _FIRST)}
    for language, words in _WORDS.items()
}
_FIGURE_OF = {language: {word: figure for figure, word in words.items()} for language, words in _WORD_OF.items()}


def figure_of(word: str, language: str) -> str:
    """Return the figure of a number in words of a language, or the word itself if it is a figure; else empty."""
    return word if word.isdigit() else _FIGURE_OF.get(language, {}).get(word, "")


def number_word(figure: str, language: str) -> str:
    """Return the word of a figure in a language; empty if it has none here."""
    return _WORD_OF.get(language, {}).get(figure, "")
