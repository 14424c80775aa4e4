"""Dutch."""

import re

from memoryd_server.retrieval.time.grammar.lexicon import FEW, Kind, counted, lexicon, numbered
from memoryd_server.retrieval.time.grammar.unit import Unit

DUTCH = lexicon(
    {
        Kind.NUMBER: {
            **counted("één twee drie vier vijf zes zeven acht negen tien elf twaalf"),
            "paar|een paar|enkele|enige|verschillende": FEW,
        },
        Kind.ORDINAL: {"eerste": 1, "tweede": 2, "derde": 3, "vierde": 4},
        Kind.UNIT: {
            "minuut|minuten": Unit.MINUTE,
            "uur|uren": Unit.HOUR,
            "dag|dagen": Unit.DAY,
            "weekend|weekeinde": Unit.WEEKEND,
            "week|weken": Unit.WEEK,
            "maand|maanden": Unit.MONTH,
            "kwartaal|kwartalen": Unit.QUARTER,
            "jaar|jaren": Unit.YEAR,
            "decennium": Unit.DECADE,
            "eeuw": Unit.CENTURY,
        },
        Kind.MONTH: numbered("januari februari maart april mei juni juli augustus september oktober november december"),
        Kind.WEEKDAY: numbered("maandag dinsdag woensdag donderdag vrijdag zaterdag zondag", 0),
        Kind.SEASON: {"lente|voorjaar": 3, "zomer": 6, "herfst|najaar": 9, "winter": 12},
        Kind.HOLIDAY: {"kerst|kerstmis": (12, 24, 3), "oudejaarsavond": (12, 31, 1), "nieuwjaar": (1, 1, 1)},
        Kind.DAY: {
            "vandaag|vanavond|vanochtend|vanmorgen|vanmiddag": 0,
            "gisteren|gisteravond|gistermiddag|gisterochtend|afgelopen nacht": -1,
            "eergisteren": -2,
            "morgen|morgenavond|morgenochtend": 1,
            "overmorgen": 2,
        },
        Kind.NOW: "nu",
        Kind.PART_OF_DAY: "ochtend,middag,avond,nacht",
        Kind.WHICH: {
            "vorige|vorig|afgelopen|laatste|voorbije": -1,
            "deze|dit": 0,
            "volgende|volgend|komende|komend": 1,
        },
        Kind.AGO: "geleden",
        Kind.AHEAD: "over",
        Kind.AT: {"in|tijdens|gedurende|in de loop van": "in", "op|met|rond": "on"},
        Kind.OF: {"van|van het": "from"},
        Kind.THE: "de,het",
        Kind.SINCE: "sinds,vanaf,sedert",
        Kind.UNTIL: "tot,tot en met,t m",
        Kind.BEFORE: "voor,vóór",
        Kind.AFTER: "na",
        Kind.BETWEEN: "tussen",
        Kind.AND: "en",
        Kind.OR: "of",
        Kind.PART: {"begin": 0, "midden|half|medio": 1, "eind|einde": 2},
        Kind.HALF: "half,halve",
        Kind.RECENT: "onlangs,recent,recentelijk,de laatste tijd",
        Kind.OWN: "mijn,jouw,zijn,haar,onze,ons,hun",
        Kind.EACH: "elke,elk,iedere,ieder,per",
    },
    ambiguous="morgen week weekend uur lente",
    weak="mei",
    past="was waren had hadden werd werden ging gingen kwam kwamen deed deden zei zag",
    present="is zijn moet moeten",
    future="zal zullen zult gepland",
    past_form=re.compile(r"ge[a-z]{2,}(?:t|d|en)"),
)
