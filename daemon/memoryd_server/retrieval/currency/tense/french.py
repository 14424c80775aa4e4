"""French."""

from memoryd_server.retrieval.currency.tense.table import Tense

FRENCH = Tense(
    "fr",
    verbs="""
        be: est sont suis être / était étaient fut
        have: a ont ai avoir / avait avaient eut
        live: habite habitent habiter vit vivent vivre réside déménagé / habitait habitaient habité vivait vivaient vécu
        work: travaille travaillent travailler / travaillait travaillaient travaillé
        drink: boit boivent bois boire / buvait buvaient bu
        eat: mange mangent manger / mangeait mangeaient mangé
        drive: conduit conduisent conduire / conduisait conduisaient
        use: utilise utilisent utiliser / utilisait utilisaient utilisé
        read: lit lisent lire / lisait lisaient lu
        favourite: préféré préférée favori favorite /
        family: marié mariée divorcé divorcée célibataire veuf veuve /
    """,
    past=(
        r"\bn(?:e |['\u2019])(\w+)(?: jamais)? plus\b",
        r"\b(?:autrefois|jadis|auparavant|anciennement|précédemment|dans le passé|à l['\u2019]époque)\b",
        r"\bavant\b(?! (?:de|que|le|la|les|son|sa|ses|ce|cette|\d)\b| d['\u2019]| l['\u2019]| qu['\u2019])",
        r"\bavait l['\u2019]habitude d(?:e |['\u2019])",
        r"\ba (?:arrêté|cessé) d(?:e |['\u2019])",
        r"\bancien(?:ne)?\b(?= \w)|\bex-(?=\w)",
    ),
    former=r"\b(?:autrefois|jadis|auparavant|anciennement|précédemment|dans le passé|ancien(?:ne)?|précédent(?:e)?)\b"
    r"|\bavant\b(?! (?:de|que|le|la|les|son|sa|ses|ce|cette|\d)\b| d['\u2019]| l['\u2019]| qu['\u2019])|\bex-",
    present=r"\b(?:maintenant|actuellement|en ce moment|à présent|de nos jours|présentement|désormais)\b",
    current=r"\b(?:encore(?! (?:une?|plus)\b)|aujourd['\u2019]hui|actuel(?:le)?)\b",
    opening=r"(?:que|qu['\u2019]est-ce|qui|où|quels?|quelles?|combien|comment|(?:pour|avec) qui|dans quel\w*)\b",
    cuts="qui|que|dont|où|parce|mais|et|quand|lorsque|si|puisque|pendant",
    relatives="qui|que|dont|où",
    first_person=r"(?:je\b|j['\u2019])",
    denials=r"\b(?:ne|pas|jamais|sans|aucune?)\b|\bn['\u2019]",
    endings="aient|ait|ais|ent|ons|ez|er|ir|ées|és|ée|é|es|e|s",
    past_endings="ait|aient",
    single=frozenset({"live", "family", "favourite"}),
)
