"""Spanish."""

from memoryd_server.retrieval.time.grammar.lexicon import FEW, Kind, counted, lexicon, numbered
from memoryd_server.retrieval.time.grammar.unit import Unit

SPANISH = lexicon(
    {
        Kind.NUMBER: {
            **counted("uno dos tres cuatro cinco seis siete ocho nueve diez once doce"),
            "un|una": (1, 1),
            "unos|unas|algunos|algunas|varios|varias|unos cuantos|unas cuantas|unos pocos|unas pocas": FEW,
            "un par de": (2, 2),
        },
        Kind.ORDINAL: {"primer|primera|primero": 1, "segunda|segundo": 2, "tercer|tercera": 3, "cuarta|cuarto": 4},
        Kind.UNIT: {
            "minuto|minutos": Unit.MINUTE,
            "hora|horas": Unit.HOUR,
            "día|días": Unit.DAY,
            "fin de semana|fines de semana": Unit.WEEKEND,
            "semana|semanas": Unit.WEEK,
            "mes|meses": Unit.MONTH,
            "trimestre|trimestres": Unit.QUARTER,
            "año|años": Unit.YEAR,
            "década|décadas": Unit.DECADE,
            "siglo": Unit.CENTURY,
        },
        Kind.MONTH: numbered(
            "enero febrero marzo abril mayo junio julio agosto septiembre|setiembre octubre noviembre diciembre"
        ),
        Kind.WEEKDAY: numbered("lunes martes miércoles jueves viernes sábado domingo", 0),
        Kind.SEASON: {"primavera": 3, "verano": 6, "otoño": 9, "invierno": 12},
        Kind.HOLIDAY: {
            "navidad|navidades": (12, 24, 3),
            "nochebuena": (12, 24, 1),
            "nochevieja": (12, 31, 1),
            "año nuevo": (1, 1, 1),
        },
        Kind.DAY: {
            "hoy|esta noche|esta mañana|esta tarde": 0,
            "ayer|anoche|anoche|ayer por la tarde|ayer por la noche|ayer por la mañana": -1,
            "anteayer|antes de ayer|antier|anteanoche": -2,
            "mañana|mañana por la mañana|mañana por la tarde": 1,
            "pasado mañana": 2,
        },
        Kind.NOW: "ahora",
        Kind.PART_OF_DAY: "por la mañana,por la tarde,por la noche",
        Kind.WHICH: {
            "pasado|pasada|pasados|pasadas|último|última|últimos|últimas": -1,
            "este|esta|estos|estas": 0,
            "próximo|próxima|próximos|próximas|que viene": 1,
        },
        Kind.AGO: "atrás",
        Kind.AGO_BEFORE: "hace",
        Kind.AHEAD: "dentro de",
        Kind.AT: {"en|durante|a lo largo de|a lo largo del|en el mes de|en los|en las|en el|en la": "in"},
        Kind.OF: {"de|del": "from"},
        Kind.THE: "el,la,los,las,lo",
        Kind.SINCE: "desde,desde el,desde la,a partir de,a partir del",
        Kind.UNTIL: "hasta,hasta el,hasta la",
        Kind.BEFORE: "antes de,antes del",
        Kind.AFTER: "después de,después del,tras",
        Kind.BETWEEN: "entre,entre el,entre la",
        Kind.AND: "y,e",
        Kind.OR: "o",
        Kind.TO: "a,al",
        Kind.PART: {
            "principios|a principios|inicios|a inicios|comienzos|a comienzos": 0,
            "mediados|a mediados": 1,
            "finales|a finales|fines|a fines|fin": 2,
        },
        Kind.HALF: "medio,media",
        Kind.RECENT: "recientemente,últimamente",
        Kind.OWN: "mi,mis,tu,tus,su,sus,nuestro,nuestra",
        Kind.EACH: "cada,todos los,todas las,por",
    },
    ambiguous="mes hora",
    past="estaba estuvo era fue fueron fui fuimos había hizo hice hicimos hicieron dijo vi vio tuvo compré comió",
    present="es está debe tengo tiene",
    future="va vas voy vamos van será estará tendrá",
    which_follows=True,
)
