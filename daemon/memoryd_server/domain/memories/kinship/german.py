"""German: the claims that people make most often about themselves, others and things."""

from memoryd_server.domain.memories.kinship.language import (
    Exclusion,
    Language,
    Relation,
    classes,
    opposites,
    table,
    words,
)

_BETWEEN = r"(?: seit \S+)?"
"""Words between a verb and its preposition."""

REWRITES = (
    ("nicht nie", r"(\S+) (nicht mehr|nicht|nie)", r"\2 \1"),
    ("lieber", r"(?:trinke?t?|isst|esse|mag|nutzt|fährt) lieber (.+?) als (.+)", r"bevorzugt \1 als \2"),
    ("aufgehört", r"(?:habe?|hat) aufgehört zu (\S+)", r"nicht \1"),
)

RELATIONS = (
    Relation("job", rf"arbeite[tn]?{_BETWEEN} als|ist{_BETWEEN} von beruf"),
    Relation("employer", rf"(?:arbeite[tn]?|ist|sind|bin){_BETWEEN} (?:bei|für)(?: (?:der firma|dem unternehmen))?"),
    Relation("employer", r"(?:ist|bin|sind) bei(?= \S+(?: \S+)? (?:angestellt|beschäftigt|tätig))"),
    Relation("employer", r"hat bei|hat (?=\S+ verlassen)", is_negative=True),
    Relation(
        "home",
        rf"(?:wohn(?:t|e|en)|leb(?:t|e|en)){_BETWEEN} in|(?:ist|bin) in(?= \S+ (?:zuhause|wohnhaft|ansässig))",
    ),
    Relation(
        "home",
        r"(?:ist|bin|sind) nach(?= \S+(?: \S+)? (?:gezogen|umgezogen))|zog nach",
        is_event=True,
    ),
    Relation(
        "spouse",
        r"(?:ist|bin|sind) mit(?= \S+(?: \S+)? verheiratet)",
        implied_class="family",
        implied_value="verheiratet",
    ),
    Relation(
        "fiancé", r"(?:ist|bin|sind) mit(?= \S+(?: \S+)? verlobt)", implied_class="family", implied_value="verlobt"
    ),
    Relation("birthday", r"(?:wurde|ist|bin) am(?= d:\S+ geboren)"),
    Relation("birthplace", r"(?:wurde|ist|bin) in(?= \S+(?: \S+)? geboren)"),
    Relation("origin", r"komm(?:t|e) (?:ursprünglich )?aus|stamm(?:t|e) aus"),
    Relation("native language", r"spricht als muttersprache"),
    Relation("name", r"hei(?:ß|ss)(?:t|e|en)"),
    Relation(
        "preference",
        rf"bevorzug(?:t|e|en){_BETWEEN}|(?:trinkt|isst|mag) lieber",
        Exclusion.COMPARABLE,
        has_contexts=True,
    ),
    Relation("like", r"mag|mögen|lieb(?:t|e|en)", Exclusion.OPPOSITE),
    Relation("like", r"hass(?:t|e|en)|verabscheu(?:t|e|en)", Exclusion.OPPOSITE, is_negative=True),
    Relation(
        "allergy",
        rf"(?:ist|bin|sind){_BETWEEN} allergisch (?:gegen|auf)|(?:hat|habe) eine allergie gegen",
        Exclusion.OPPOSITE,
    ),
    Relation("due", r"(?:ist|sind) (?:am |bis (?:zum )?)?fällig(?: am)?|muss bis (?:zum )?"),
    Relation(
        "time",
        r"(?:wurde|ist) auf (?:den )?(?=.{1,30} (?:verschoben|verlegt|angesetzt))|findet (?:am|um)|beginnt (?:am|um)",
    ),
    Relation("price", r"kostet(?= \d)"),
    Relation("weight", r"wiegt(?= \d)"),
    Relation("income", r"verdient(?= \d)"),
    Relation("place", r"(?:liegt|befindet sich|steht) (?:in|im|am|auf|unter)"),
    Relation("platform", r"läuft (?:auf|unter|mit)", Exclusion.COMPARABLE),
    Relation(
        "use",
        rf"(?:benutz|nutz|verwend)(?:t|e|en|et){_BETWEEN}",
        Exclusion.COMPARABLE,
        has_contexts=True,
    ),
    Relation("car", r"fährt einen"),
    Relation("studies", r"studier(?:t|e)(?! in| an)", Exclusion.COMPARABLE),
    Relation("count", r"(?:hat|habe|haben)(?= (?:\d+|keine?) [^\d\s]+)"),
    Relation("have", r"(?:hat|habe|haben|besitzt)(?= eine?n? )", Exclusion.OPPOSITE),
    Relation("be", r"ist|bin|sind|lautet", Exclusion.COMPARABLE),
)

GERMAN = Language(
    "german",
    marks=words(
        "der die das ist bin sind hat habe haben ich mein meine meinem meinen nutzer nutzerin benutzer und von mit "
        "für bei wohnt lebt "
        "arbeitet mag nicht kein keine ein eine einen wir unser unsere wurde am im um zum seit sie er"
    ),
    rewrites=REWRITES,
    relations=RELATIONS,
    nouns=table(
        """
        geburtstag, geburtsdatum = birthday
        geburtsort = birthplace
        heimatort, heimatstadt = origin
        arbeitgeber, arbeitgeberin = employer
        beruf, job, position = job
        chef, chefin, vorgesetzter, vorgesetzte = boss
        mann, ehemann, frau, ehefrau = spouse
        name, vorname = name
        nachname = surname
        alter = age
        e-mail, email, e-mail-adresse, emailadresse, mailadresse = email
        telefonnummer, handynummer, nummer, telefon = phone
        adresse, anschrift = address
        muttersprache = native language
        staatsangehörigkeit, nationalität = nationality
        frist, deadline, abgabetermin, abgabe = due
        termin, datum, besprechung, treffen, meeting, sitzung = time
        preis, miete = price
        gehalt = income
        version = version
        port = port
        passwort, kennwort, pin = password
        benutzername = username
        status, stand = status
        budget = budget
        datenbank = database
        betriebssystem = platform
        zeitzone = timezone
        hauptstadt = capital
        raum, zimmer = room
        schuhgröße = shoe size
        blutgruppe = blood type
        """
    ),
    definite=words("bevorzugte bevorzugter bevorzugtes liebster liebste liebstes"),
    neutral=words("aktuelle aktueller aktuelles neue neuer neues offizielle"),
    events=words(
        "termin besprechung treffen meeting sitzung flug zug feier party hochzeit prüfung interview arzttermin "
        "konferenz kurs"
    ),
    classes=classes(
        """
        family: ledig, verheiratet, geschieden, verwitwet, verlobt, single
        diet: vegetarier, vegetarierin, veganer, veganerin, vegetarisch, vegan
        drink: tee, kaffee, wasser, saft, bier, wein, rotwein, weißwein, milch, cola
        colour: rot, blau, grün, gelb, schwarz, weiß, orange, lila, violett, rosa, braun, grau
        season: frühling, sommer, herbst, winter
        database: postgresql, postgres, mysql, mariadb, sqlite, mongodb, oracle
        editor: vim, neovim, emacs, vs code, vscode, intellij, pycharm
        system: linux, windows, macos, ubuntu, debian, fedora, windows 10, windows 11
        browser: firefox, chrome, safari, edge
        status: aktiv, inaktiv, pausiert, abgeschlossen, fertig, abgebrochen, verspätet, offen,
            geschlossen, geplant, blockiert
        state: an, aus, online, offline, kaputt, repariert, verfügbar, erreichbar
        profession: lehrer, lehrerin, arzt, ärztin, krankenpfleger, krankenschwester, anwalt, anwältin,
            ingenieur, ingenieurin, entwickler, entwicklerin, programmierer, programmiererin, designer,
            designerin, buchhalter, buchhalterin, architekt, architektin, koch, köchin, bäcker, bäckerin,
            tischler, elektriker, pilot, pilotin, landwirt, wissenschaftler, wissenschaftlerin, professor,
            professorin, apotheker, apothekerin, zahnarzt, zahnärztin, tierarzt, tierärztin, psychologe,
            psychologin, berater, beraterin, polizist, polizistin, journalist, journalistin, student,
            studentin, musiker, musikerin, schauspieler, schauspielerin, friseur, friseurin, verkäufer,
            verkäuferin
        """
    ),
    broader=table(
        """
        ubuntu, debian, fedora = linux
        veganer, veganerin, vegan = vegetarisch
        """
    ),
    synonyms=table(
        """
        wohnt in, lebt in, wohne in, lebe in, wohnen in, leben in = lebt in
        arbeitet bei, arbeitet für, ist angestellt bei = arbeitet bei
        benutzt, nutzt, verwendet = nutzt
        bin, sind, ist = ist
        habe, haben, hat = hat
        mag, mögen, liebt, liebe = mag
        hasst, hasse = hasst
        wohne, wohnt = wohnt
        arbeite, arbeitet = arbeitet
        kinder, kind = kind
        e-mail, email, e-mail-adresse = email
        auto, wagen = auto
        fahrrad, rad = fahrrad
        """
    ),
    articles=words("der die das den dem des ein eine einen einem einer"),
    indefinite=words("ein eine einen einem einer"),
    ended=words("mehr"),
    negations=words("nicht nie niemals kein keine keinen keinem keiner nichts"),
    auxiliaries=words("ist hat wird war habe bin sind"),
    adverbs=words("derzeit jetzt nun noch immer auch schon wirklich sehr gerne gern eigentlich meistens aktuell"),
    past=words("früher ehemals damals vorher war hatte einst"),
    uncertain=words("wird will möchte würde könnte vielleicht wohl soll sollte plant überlegt"),
    reporting=words("wenn dass weil ob obwohl während sagt meint glaubt fragt weiß seitdem"),
    boundaries=words(", und aber während weil"),
    pronouns=words("er sie es"),
    subjects=table(
        """
        ich, mich, mir, nutzer, nutzerin, nutzers, benutzer, benutzerin, benutzers, user = user
        mein, meine, meinen, meinem, meiner = user 's
        unser, unsere, unserem, unseren = wir 's
        """
    ),
    places=words("in im am auf unter hinter bei"),
    moments=words("am um im in ab"),
    since=words("seit ab"),
    qualifiers=words(
        "für in im an am auf mit als seit von vom bis während wenn weil bei nach vor ohne über und aber , "
        "gegenüber statt morgens abends"
    ),
    comparisons=words("gegenüber als statt"),
    possessive=words("von für des"),
    moment_words=words(
        "montag montags dienstag mittwoch donnerstag freitag samstag sonntag wochenende morgen morgens abend "
        "abends nachmittag nacht "
        "sommer winter heute gestern woche monat jahr"
    ),
    definite_beginnings=("lieblings",),
    opposites=opposites("an/aus offen/geschlossen online/offline erlaubt/verboten aktiv/inaktiv mag/hasst immer/nie"),
    prefixes=("un",),
    helpers=frozenset(),
    participles=words(
        "gezogen umgezogen angestellt beschäftigt tätig verheiratet verlobt geboren verschoben verlegt angesetzt "
        "zuhause "
        "wohnhaft ansässig verlassen"
    ),
    has_names=False,
    many=frozenset(),
    adverb_ending="\0",
    fillers=words("derzeit jetzt nun noch schon wirklich sehr aktuell zurzeit momentan inzwischen mittlerweile"),
    countries=words(
        "deutschland österreich schweiz frankreich italien spanien portugal belgien niederlande dänemark schweden "
        "norwegen finnland "
        "england schottland großbritannien polen tschechien ungarn griechenland türkei kroatien russland ukraine "
        "usa kanada mexiko "
        "brasilien china japan indien australien europa bayern sachsen hessen tirol"
    ),
    present=words("ist sind bin hat habe haben kann muss"),
    verb_ending="t",
    plain_verb_subjects=words("user wir"),
    past_verbs=r"war|waren|wurde|hatte|ging|lief|sah|kaufte|traf|aß|flog|fuhr|nahm|machte|bekam|gewann|verlor|kam|gab|sagte|schrieb|"
    r"\w{3,}te|ge\w{2,}(?:t|en)",
    each=words("jeder jede jedes jeden es"),
    first_person=words("ich mich mir mein meine meinen meinem meiner"),
    over=words("bis"),
    ages=frozenset({"jahre", "jahre alt"}),
)
