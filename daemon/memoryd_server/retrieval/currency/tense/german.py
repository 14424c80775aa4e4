"""German."""

from memoryd_server.retrieval.currency.tense.table import Tense

GERMAN = Tense(
    "de",
    verbs="""
        be: ist sind bin sein / war waren gewesen
        have: hat habe haben / hatte hatten gehabt
        live: wohnt wohne wohnen lebt lebe leben zog gezogen umgezogen / wohnte wohnten gewohnt lebte gelebt
        work: arbeitet arbeite arbeiten / arbeitete arbeiteten gearbeitet
        drink: trinkt trinke trinken / trank tranken getrunken
        eat: isst esse essen / aß aßen gegessen
        use: nutzt nutze nutzen benutzt benutze benutzen verwendet / nutzte benutzte genutzt verwendete
        like: mag mögen / mochte mochten gemocht
        drive: fährt fahre fahren / fuhr fuhren gefahren
        play: spielt spiele spielen / spielte gespielt
        read: liest lese lesen / las lasen gelesen
        speak: spricht spreche sprechen / sprach gesprochen
        go: geht gehe gehen / ging gingen gegangen
        wear: trägt trage tragen / trug getragen
        write: schreibt schreibe schreiben / schrieb geschrieben
        family: verheiratet geschieden ledig verwitwet verlobt single /
    """,
    past=(
        r"\bnicht mehr\b",
        r"\bkein(?:e[nmrs]?)?\b(.*?)\bmehr\b",
        r"\bfrüher\b(?! (?:als|auf|ins|zu|los)\b)",
        r"\b(?:frühere[nmrs]?|ehemals|ehemalige[nmrs]?|damals|einst|vormals|vorher|zuvor|bis vor kurzem)\b",
        r"\bhat aufgehört,? zu\b",
        r"\bhat aufgehört,(.*) zu\b",
        r"\bEx-(?=\w)",
    ),
    former=r"\b(?:früher\w*|ehemals|ehemalig\w*|vorherig\w*|damals|zuvor|vorher|ursprünglich|einst|nicht mehr)\b|\bex-",
    present=r"\b(?:jetzt|derzeit|zurzeit|zur zeit|momentan|gegenwärtig|im moment|heutzutage|mittlerweile|inzwischen)\b",
    current=r"^\W*\w+ \w+ noch\b|\b(?:immer noch|noch immer|heute|nun|aktuell\w*|jetzige\w*)\b",
    opening=r"(?:was|wer|wem|wen|wessen|wo|wohin|welche\w*|wie|für wen|bei wem|ist|hat|mag)\b",
    cuts="und|aber|weil|als|wie|dass|wenn|sondern",
    relatives="der|die|das|den|dem|deren|dessen|denen|wo",
    first_person=r"ich\b",
    denials=r"\b(?:nicht|nie|niemals|kein(?:e[nmrs]?)?|ohne)\b",
    endings="e?te[nt]?|e?st|e?t|en|e|n|er",
    past_endings="te|ten",
    single=frozenset({"be", "live", "work", "family"}),
    participle=r"\w{0,4}ge\w+(?:t|en)|\w+iert",
)
