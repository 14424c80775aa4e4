"""French."""

from memoryd_server.retrieval.time.grammar.lexicon import FEW, Kind, counted, lexicon, numbered
from memoryd_server.retrieval.time.grammar.unit import Unit

FRENCH = lexicon(
    {
        Kind.NUMBER: {
            **counted("un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze"),
            "une": (1, 1),
            "quelques|plusieurs": FEW,
        },
        Kind.ORDINAL: {"premier|première": 1, "deuxième|seconde": 2, "troisième": 3, "quatrième": 4},
        Kind.UNIT: {
            "minute|minutes": Unit.MINUTE,
            "heure|heures": Unit.HOUR,
            "jour|jours|journée": Unit.DAY,
            "weekend|week end|weekends": Unit.WEEKEND,
            "semaine|semaines": Unit.WEEK,
            "mois": Unit.MONTH,
            "trimestre|trimestres": Unit.QUARTER,
            "an|ans|année|années": Unit.YEAR,
            "décennie|décennies": Unit.DECADE,
            "siècle": Unit.CENTURY,
        },
        Kind.MONTH: numbered(
            "janvier|janv février|févr|fév mars avril|avr mai juin juillet|juil août septembre|sept octobre|oct "
            "novembre|nov décembre|déc"
        ),
        Kind.WEEKDAY: numbered("lundi mardi mercredi jeudi vendredi samedi dimanche", 0),
        Kind.SEASON: {"printemps": 3, "été": 6, "automne": 9, "hiver": 12},
        Kind.HOLIDAY: {"noël": (12, 24, 3), "réveillon": (12, 31, 1), "jour de l an|nouvel an": (1, 1, 1)},
        Kind.DAY: {
            "aujourd hui|ce soir|ce matin|cet après midi": 0,
            "hier|la nuit dernière": -1,
            "avant hier": -2,
            "demain": 1,
            "après demain": 2,
        },
        Kind.NOW: "maintenant",
        Kind.PART_OF_DAY: "matin,soir,midi,nuit,après midi",
        Kind.WHICH: {
            "dernier|dernière|derniers|dernières|passé|passée|passés": -1,
            "ce|cet|cette|ces": 0,
            "prochain|prochaine|prochains|prochaines": 1,
        },
        Kind.AGO_BEFORE: "il y a,y a,voici,voilà",
        Kind.AHEAD: "dans",
        Kind.AT: {
            "en|pendant|durant|au cours de|au cours du|au cours des|au mois de|au mois d|courant|aux": "in",
            "à|au": "to",
        },
        Kind.OF: {"de|du": "from", "d|des": None},
        Kind.THE: "le,la,les,l",
        Kind.SINCE: "depuis,à partir de,à partir du,dès",
        Kind.UNTIL: "jusqu en,jusqu à,jusqu au,jusqu aux,jusque",
        Kind.BEFORE: "avant",
        Kind.AFTER: "après",
        Kind.BETWEEN: "entre",
        Kind.AND: "et",
        Kind.OR: "ou",
        Kind.PART: {
            "début|début de|au début de|au début du": 0,
            "mi|milieu": 1,
            "fin|fin de|à la fin de|à la fin du": 2,
        },
        Kind.HALF: "demi,demie",
        Kind.RECENT: "récemment,dernièrement,ces derniers temps",
        Kind.OWN: "mon,ma,mes,ton,ta,tes,son,sa,ses,notre,nos,votre,vos,leur,leurs",
        Kind.EACH: "chaque,tous les,toutes les,par",
    },
    ambiguous="an mars minute minutes weekend weekends sept oct dec",
    weak="mars été mai",
    past="était étaient étions avait avaient avions ai avons avez ont fut est allé a",
    present="doit dois doivent",
    future="va vas allons allez vont prévu prévue prochain",
    which_follows=True,
)
