"""English."""

from memoryd_server.retrieval.currency.tense.table import Tense

ENGLISH = Tense(
    "en",
    verbs="""
        be: is are am be being / was were been
        have: has have having / had
        do: do does doing / did done
        live: live lives living reside resides moved relocated / lived resided
        work: work works working employed joined / worked
        drink: drink drinks drinking / drank drunk
        eat: eat eats eating / ate eaten
        use: use uses using / used
        like: like likes liking / liked
        love: love loves loving / loved
        prefer: prefer prefers preferring / preferred
        drive: drive drives driving / drove driven
        play: play plays playing / played
        study: study studies studying / studied
        teach: teach teaches teaching / taught
        speak: speak speaks speaking / spoke spoken
        read: read reads reading /
        write: write writes writing / wrote written
        wear: wear wears wearing / wore worn
        go: go goes going / went gone
        own: own owns owning / owned
        run: run runs running / ran
        smoke: smoke smokes smoking / smoked
        cost: cost costs costing /
        weigh: weigh weighs weighing / weighed
        collect: collect collects collecting / collected
        family: married divorced single widowed engaged unmarried separated /
        favourite: favourite favorite preferred /
        colour: colour color /
    """,
    past=(
        r"(?<!\bis )(?<!\bare )(?<!\bam )(?<!\bget )(?<!\bgets )(?<!\bgot )(?<!\bbe )\bused to\b",
        r"\bno longer\b",
        r"\b(?:formerly|previously|originally|in the past|back then|at one time|at first)\b",
        r"\bonce\b(?! an?\b| every\b| in\b| per\b| the\b| more\b)",
        r"\b(?:do|does)(?:n't| not)\b(.*)\b(?:anymore|any more|any longer)\b",
        r"\b(is|are|has|have)(?:n't| not)\b(.*)\b(?:anymore|any more|any longer)\b",
        r"\b(?:has |have )?(?:stopped|quit|gave up|given up|ceased)(?: to)?\b(?= \w+)",
        r"\b(?:former|previous|erstwhile)\b(?= \w)|\bex-(?=\w)",
    ),
    former=r"\b(?:previous|previously|former|formerly|originally|in the past|back then|at first|no longer|anymore|"
    r"used to|erstwhile)\b|\bdid\b.*\buse to\b|\bex-|(?:'s|\b(?:my|your|his|her|their|our)) old\b",
    present=r"\b(?:(?<!until )(?<!till )(?<!by )(?<!from )(?:right )?now\b(?! and then)|nowadays|currently|presently|"
    r"at present|at the (?:present )?moment|at the present time|these days)\b",
    current=r"\b(?:still(?! (?:water|life|image|photo)\b)|today|current(?= \w))\b",
    opening=r"(?:what|who|whose|whom|where|which|how|is|are|am|does|do|has|have|can)\b",
    cuts="who|which|whose|whom|that|because|since|while|when|where|whereas|although|though|if|unless|but|and|so|than|after",
    relatives="who|which|whose|whom|where|that",
    first_person=r"I\b",
    denials=r"\b(?:not|never|nobody|nothing|without)\b|n't\b",
    past_endings="ed",
    single=frozenset({"be", "live", "work", "family", "favourite", "weigh", "cost"}),
)
