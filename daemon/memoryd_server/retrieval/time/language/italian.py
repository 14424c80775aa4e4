"""Italian."""

from memoryd_server.retrieval.time.grammar.lexicon import FEW, Kind, counted, lexicon, numbered
from memoryd_server.retrieval.time.grammar.unit import Unit

ITALIAN = lexicon(
    {
        Kind.NUMBER: {
            **counted("uno due tre quattro cinque sei sette otto nove dieci undici dodici"),
            "un|una": (1, 1),
            "alcuni|alcune|qualche|diversi|diverse": FEW,
            "un paio di": (2, 2),
        },
        Kind.ORDINAL: {"primo|prima": 1, "secondo|seconda": 2, "terzo|terza": 3, "quarto|quarta": 4},
        Kind.UNIT: {
            "minuto|minuti": Unit.MINUTE,
            "ora|ore": Unit.HOUR,
            "giorno|giorni": Unit.DAY,
            "fine settimana|weekend|week end": Unit.WEEKEND,
            "settimana|settimane": Unit.WEEK,
            "mese|mesi": Unit.MONTH,
            "trimestre|trimestri": Unit.QUARTER,
            "anno|anni": Unit.YEAR,
            "decennio|decenni": Unit.DECADE,
            "secolo": Unit.CENTURY,
        },
        Kind.MONTH: numbered(
            "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre"
        ),
        Kind.WEEKDAY: numbered("lunedì martedì mercoledì giovedì venerdì sabato domenica", 0),
        Kind.SEASON: {"primavera": 3, "estate": 6, "autunno": 9, "inverno": 12},
        Kind.HOLIDAY: {
            "natale": (12, 24, 3),
            "vigilia di natale": (12, 24, 1),
            "capodanno": (1, 1, 1),
            "ferragosto": (8, 15, 1),
        },
        Kind.DAY: {
            "oggi|stasera|stamattina|stamani|stanotte|oggi pomeriggio": 0,
            "ieri|ieri sera|ieri mattina|ieri notte|ieri pomeriggio|la notte scorsa": -1,
            "altro ieri|altroieri|ieri l altro": -2,
            "domani|domani mattina|domani sera": 1,
            "dopodomani": 2,
        },
        Kind.NOW: "adesso,ora",
        Kind.PART_OF_DAY: "mattina,pomeriggio,sera,notte",
        Kind.WHICH: {
            "scorso|scorsa|scorsi|scorse|passato|passata|passati|ultimo|ultima|ultimi|ultime": -1,
            "questo|questa|questi|queste|quest": 0,
            "prossimo|prossima|prossimi|prossime": 1,
        },
        Kind.AGO: "fa",
        Kind.AHEAD: "tra,fra",
        Kind.AT: {
            "in|nel|nell|nella|negli|nei|nelle|durante|nel mese di|nel corso del|nel corso dell": "in",
            "a|ad|al": "to",
        },
        Kind.OF: "di,del,dell,della,dello,dei",
        Kind.THE: "il,lo,la,i,gli,le,l",
        Kind.SINCE: "da,dal,dall,dalla,dallo,a partire da,a partire dal,fin da,fin dal",
        Kind.UNTIL: "fino a,fino al,fino alla,fino all,sino a",
        Kind.BEFORE: "prima di,prima del,prima della,prima dell",
        Kind.AFTER: "dopo,dopo il,dopo la",
        Kind.BETWEEN: "tra il,fra il",
        Kind.AND: "e,ed",
        Kind.OR: "o",
        Kind.PART: {"inizio|all inizio|agli inizi": 0, "metà|a metà": 1, "fine|alla fine": 2},
        Kind.HALF: "mezzo,mezza",
        Kind.RECENT: "recentemente,ultimamente,di recente",
        Kind.OWN: "mio,mia,tuo,tua,suo,sua,nostro,nostra",
        Kind.EACH: "ogni,tutti i,tutte le",
    },
    ambiguous="estate ora ore weekend natale",
    weak="prima",
    past="era erano stato stata aveva avevano ha hanno ho abbiamo fatto detto andato andata visto",
    present="deve devo devono",
    future="sarà avrà andrà andremo faremo farà",
    which_follows=True,
)
