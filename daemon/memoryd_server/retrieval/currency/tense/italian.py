"""Italian."""

from memoryd_server.retrieval.currency.tense.table import Tense

ITALIAN = Tense(
    "it",
    verbs="""
        be: è sono essere / era erano fu
        have: ha ho hanno avere / aveva avevano ebbe
        live: vive vivono vivo vivere abita abitano abito abitare trasferito trasferita / viveva vivevano abitava
        work: lavora lavorano lavoro lavorare / lavorava lavoravano
        drink: beve bevono bevo bere / beveva bevevano
        eat: mangia mangiano mangio mangiare / mangiava mangiavano
        drive: guida guidano guido guidare / guidava
        use: usa usano uso usare utilizza utilizzare / usava usavano utilizzava
        favourite: preferito preferita /
        family: sposato sposata divorziato divorziata celibe nubile vedovo vedova /
    """,
    past=(
        r"\bnon\b(.*?)\bpiù\b(?! (?:\w+ )?(?:di|che|del\w*)\b)",
        r"\bprima\b(?! d[i']|\b del\w*\b| che\b)",
        r"\b(?:in passato|un tempo|una volta|precedentemente|in precedenza|anticamente)\b(?! a\b| al\w*\b)",
        r"\bha smesso di\b(?= \w+re\b)",
        r"\bex[- ](?=\w)",
    ),
    former=r"\bprima\b(?! d[i']|\b del\w*\b| che\b)"
    r"|\b(?:in passato|un tempo|una volta|precedentemente|in precedenza|precedente|non più)\b"
    r"|\bex[- ]",
    present=r"\b(?:adesso|attualmente|al momento|in questo momento|oggigiorno|al giorno d'oggi|"
    r"(?<!che )(?<!['\u2019])ora)\b",
    current=r"\b(?:ancora|oggi|attuale)\b",
    opening=r"(?:cosa|che cosa|che|chi|dove|dov'è|quale|quali|qual|quant[oaie]|come|per chi|con chi|in che)\b",
    cuts="che|chi|perché|ma|e|quando|mentre|se|dove|di cui",
    relatives="che|cui|il quale|la quale|dove",
    first_person=r"io\b",
    denials=r"\b(?:non|mai|senza)\b",
    endings="avano|evano|ivano|ava|eva|iva|ando|endo|are|ere|ire|ato|uto|ito|ano|ono|a|e|i|o",
    past_endings="[aei]va|[aei]vano",
    single=frozenset({"live", "family", "favourite"}),
)
