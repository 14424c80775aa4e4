"""German."""

import re

from memoryd_server.retrieval.time.grammar.lexicon import FEW, Kind, counted, lexicon, numbered
from memoryd_server.retrieval.time.grammar.unit import Unit

GERMAN = lexicon(
    {
        Kind.NUMBER: {
            **counted("eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf"),
            "ein|eine|einem|einen|einer": (1, 1),
            "paar|ein paar|einige|einigen|mehrere|mehreren|wenige|wenigen": FEW,
        },
        Kind.ORDINAL: {
            "erste|ersten|erster|erstes": 1,
            "zweite|zweiten|zweiter|zweites": 2,
            "dritte|dritten|drittes": 3,
            "vierte|vierten|viertes": 4,
        },
        Kind.UNIT: {
            "minute|minuten": Unit.MINUTE,
            "stunde|stunden": Unit.HOUR,
            "tag|tage|tagen|tages": Unit.DAY,
            "wochenende|wochenenden|wochenendes": Unit.WEEKEND,
            "woche|wochen": Unit.WEEK,
            "monat|monate|monaten|monats": Unit.MONTH,
            "quartal|quartale|quartals": Unit.QUARTER,
            "jahr|jahre|jahren|jahres": Unit.YEAR,
            "jahrzehnt|jahrzehnts|jahrzehnte|jahrzehnten": Unit.DECADE,
            "jahrhundert|jahrhunderts": Unit.CENTURY,
        },
        Kind.MONTH: numbered(
            "januar|jänner|jan februar|feb märz|maerz april|apr mai juni|jun juli|jul august|aug september|sept|sep "
            "oktober|okt november|nov dezember|dez"
        ),
        Kind.WEEKDAY: numbered("montag dienstag mittwoch donnerstag freitag samstag|sonnabend sonntag", 0),
        Kind.SEASON: {
            "frühling|frühlings|frühjahr|frühjahrs": 3,
            "sommer|sommers": 6,
            "herbst|herbstes|herbsts": 9,
            "winter|winters": 12,
        },
        Kind.HOLIDAY: {
            "weihnachten": (12, 24, 3),
            "heiligabend": (12, 24, 1),
            "silvester": (12, 31, 1),
            "neujahr": (1, 1, 1),
        },
        Kind.DAY: {
            "heute": 0,
            "gestern|letzte nacht": -1,
            "vorgestern": -2,
            "vorvorgestern": -3,
            "morgen": 1,
            "übermorgen": 2,
        },
        Kind.NOW: "jetzt",
        Kind.PART_OF_DAY: "abend,nacht,mittag,vormittag,nachmittag,früh,mitternacht",
        Kind.WHICH: {
            "letzte|letzten|letzter|letztes|letztem|vergangene|vergangenen|vergangener|vergangenes|vorige|vorigen|voriges|"
            "vorherige|vorherigen": -1,
            "diese|diesen|dieser|dieses|diesem": 0,
            "nächste|nächsten|nächster|nächstes|nächstem|kommende|kommenden|kommendes|kommender": 1,
        },
        Kind.AHEAD: "in",
        Kind.AT: {
            "im|während|innerhalb|im monat|im laufe|in den|in der|in dem|über": "in",
            "am|an|zu": "on",
        },
        Kind.OF: "des",
        Kind.THE: "der,die,das,den,dem",
        Kind.SINCE: "seit,seit dem,seit der,ab,ab dem",
        Kind.UNTIL: "bis,bis zum,bis zur,bis ende",
        Kind.BEFORE: {"vor": "ago", "vor dem|vor der": None},
        Kind.AFTER: "nach,nach dem,nach der",
        Kind.FROM: "von,vom",
        Kind.BETWEEN: "zwischen,zwischen dem,zwischen der",
        Kind.AND: "und",
        Kind.OR: "oder",
        Kind.PART: {"anfang|frühen|zu beginn": 0, "mitte": 1, "ende|späten": 2},
        Kind.HALF: "halbes,halben,halbe,halb,hälfte",
        Kind.RECENT: "kürzlich,neulich,in letzter zeit,in der letzten zeit",
        Kind.OWN: "mein,meine,meinem,meinen,dein,deine,sein,seine,ihr,ihre,unser,unsere",
        Kind.EACH: "jeden,jede,jedes,jedem,pro,guten,schönen",
    },
    ambiguous="tag minute jan feb apr jun jul aug sept sep nov mitte",
    weak="jan jun sep dez mittwoch",
    past="war waren warst hatte hatten wurde wurden ging gingen kam kamen machte machten sagte fuhr aß sah gab",
    present="ist sind bin habe müssen muss soll will",
    future="werden werde wird wirst werdet geplant",
    past_form=re.compile(r"ge[a-z]{2,}(?:t|en)"),
)
