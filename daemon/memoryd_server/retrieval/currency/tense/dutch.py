"""Dutch."""

from memoryd_server.retrieval.currency.tense.table import Tense

DUTCH = Tense(
    "nl",
    verbs="""
        be: is zijn ben / was waren geweest
        have: heeft heb hebben / had hadden gehad
        live: woont woon wonen verhuisde verhuisd / woonde woonden gewoond
        work: werkt werk werken / werkte werkten gewerkt
        drink: drinkt drinken / dronk dronken gedronken
        eat: eet eten / at aten gegeten
        use: gebruikt gebruiken / gebruikte gebruikten
        drive: rijdt rijden / reed reden gereden
        play: speelt spelen / speelde gespeeld
        read: leest lezen / las lazen gelezen
        family: getrouwd gescheiden vrijgezel verloofd /
    """,
    past=(
        r"\bniet meer\b",
        r"\bgeen\b(.*?)\bmeer\b",
        r"\b(?:vroeger|voorheen|destijds|ooit|voormalige?|eertijds)\b",
        r"\bis gestopt met\b",
        r"\bex-(?=\w)",
    ),
    former=r"\b(?:vroeger|voorheen|destijds|vorige|voormalige?|niet meer)\b|\bex-",
    present=r"\b(?:nu|momenteel|tegenwoordig|op dit moment|thans|heden)\b",
    current=r"\b(?:nog steeds|vandaag|huidige?)\b",
    opening=r"(?:wat|wie|waar|welke?|hoe|voor wie|is|heeft)\b",
    cuts="en|maar|omdat|als|dan|dat|wanneer|terwijl",
    relatives="die|dat|wie|waar",
    first_person=r"ik\b",
    denials=r"\b(?:niet|nooit|geen|zonder)\b",
    endings="de|te|den|ten|en|t|d|e",
    past_endings="de|te|den|ten",
    single=frozenset({"live", "family"}),
    participle=r"\w{0,4}ge\w+(?:t|d|en)",
)
