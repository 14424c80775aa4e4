"""English: the claims that people make most often about themselves, others and things."""

from memoryd_server.domain.memories.kinship.english_relation import RELATIONS, REWRITES
from memoryd_server.domain.memories.kinship.english_value import BROADER, CLASSES, NOUNS, SYNONYMS
from memoryd_server.domain.memories.kinship.language import Language, opposites, table, words

ENGLISH = Language(
    "english",
    marks=words(
        "the is are were has have user i my his her their to of and for with on at works lives likes prefers not "
        "does it we our uses "
        "from be by wants uses a"
    ),
    rewrites=REWRITES,
    relations=RELATIONS,
    nouns=NOUNS,
    definite=words("favourite favorite preferred default primary main only current next best"),
    neutral=words("current new official exact full actual own"),
    events=words(
        "meeting standup appointment call flight train party wedding exam interview lunch dinner conference "
        "workshop class lecture "
        "sync review demo launch release concert ceremony event session deadline trip vacation holiday webinar "
        "match game retro "
        "retrospective kickoff deployment migration checkup presentation rehearsal barbecue surgery election "
        "funeral bus ferry "
        "movie film show talk course hearing birthday anniversary delivery reservation booking shift test"
    ),
    classes=CLASSES,
    broader=BROADER,
    synonyms=SYNONYMS,
    articles=words("a an the"),
    indefinite=words("a an some another"),
    ended=words("anymore longer more"),
    negations=words("not no never nobody nothing none neither without"),
    auxiliaries=words("do does did has have had been is are am was were be being"),
    adverbs=words(
        "currently now still also already just really very actually always usually generally recently today "
        "definitely strongly "
        "absolutely truly mostly mainly officially certainly that any ever longer anymore personally normally"
    ),
    past=words("used formerly previously once originally earlier past had former ex was were"),
    uncertain=words(
        "will would might may could should wants want hopes plans plan planning hope considering thinking wishes "
        "dreams maybe "
        "perhaps possibly probably if unless whether going considers intends wondering almost nearly shall thought "
        "imagine pretend "
        "claims guess guesses suppose supposedly allegedly interested applied applying let lets"
    ),
    reporting=words(
        "if when that who which whether because although while says said thinks believes asks knows unless since "
        "after before what where how why"
    ),
    boundaries=words(", and but while whereas although ; because which who where or"),
    pronouns=words("he she they it"),
    subjects=table(
        """
        i, me, myself, users, user = user
        my, mine = user 's
        our = we 's
        """
    ),
    places=words("in at on under behind near inside"),
    moments=words("on at in by from"),
    since=words("since from for"),
    qualifiers=words(
        "for in on at with as since from until till during when while if because after before near by without "
        "through via over to "
        "than under of despite although who which that where and but , ; instead rather every each again lately "
        "last next this yesterday today tomorrow alongside including "
        "because using so except"
    ),
    comparisons=words("over to than instead rather"),
    possessive=words("of for"),
    moment_words=words(
        "monday mondays tuesday tuesdays wednesday wednesdays thursday thursdays friday fridays saturday saturdays "
        "sunday sundays "
        "weekend weekends weekday weekdays morning mornings evening evenings afternoon night nights summer winter "
        "spring autumn "
        "today tomorrow yesterday tonight week month year weekly daily monthly noon breakfast lunch dinner"
    ),
    opposites=opposites(
        "on/off up/down open/closed enabled/disabled online/offline alive/dead allowed/forbidden "
        "available/unavailable "
        "approved/rejected true/false active/inactive required/optional mandatory/optional public/private full/empty "
        "possible/impossible legal/illegal safe/unsafe accepts/rejects accepted/rejected supports/opposes wins/loses "
        "works/fails passes/fails locked/unlocked included/excluded succeeded/failed passed/failed likes/hates "
        "loves/hates "
        "expensive/cheap always/never everyone/nobody everything/nothing agrees/disagrees agreed/disagreed "
        "happy/unhappy "
        "correct/incorrect valid/invalid like/dislike healthy/sick visible/hidden compatible/incompatible early/late "
        "synchronous/asynchronous trusts/distrusts hot/cold easy/difficult"
    ),
    prefixes=("un", "dis", "non-", "in", "im"),
    helpers=words("do does did any ever"),
    participles=frozenset(),
    has_names=True,
    many=words(
        "friend brother sister sibling son daughter child kid cousin uncle aunt nephew niece grandfather "
        "grandmother grandson "
        "granddaughter colleague coworker neighbour neighbor roommate flatmate teammate pet cat dog hobby interest "
        "goal skill "
        "language project task client customer student teacher book song game idea problem meeting appointment "
        "relative "
        "sponsor competitor supplier partner product feature member employee patient plan dream fear habit idol "
        "hero answer"
    ),
    adverb_ending="ly",
    fillers=words(
        "currently now still already just really very actually presently definitely officially recently finally"
    ),
    countries=words(
        "germany france italy spain portugal austria switzerland belgium netherlands luxembourg denmark sweden "
        "norway finland iceland "
        "ireland uk england scotland wales britain poland czechia hungary romania bulgaria greece turkey croatia "
        "serbia slovenia "
        "slovakia estonia latvia lithuania ukraine russia usa canada mexico brazil argentina chile peru colombia "
        "china japan korea "
        "india pakistan bangladesh thailand vietnam indonesia malaysia singapore philippines australia egypt "
        "morocco tunisia nigeria "
        "kenya ethiopia ghana israel jordan lebanon iran iraq europe asia africa america california texas florida "
        "bavaria ontario "
        "quebec tuscany catalonia queensland scandinavia cuba venezuela ecuador bolivia uruguay malta cyprus nepal "
        "taiwan"
    ),
    present=words("is are am be has have can must"),
    verb_ending="s",
    plain_verb_subjects=words("user we they you"),
    past_verbs=r"was|were|had|did|went|ran|saw|bought|met|ate|flew|drove|took|made|got|paid|spent|won|lost|came|left|gave|said|told|"
    r"wrote|slept|drank|swam|rode|sold|sent|built|broke|fell|felt|found|held|kept|led|sang|sat|stood|taught|"
    r"thought|began|became|"
    r"caught|chose|grew|heard|hit|knew|threw|wore|woke|climbed|(?!need|speed|indeed|bleed|breed|exceed|feed|"
    r"seed)\w{2,}ed",
    each=words("every each another some there"),
    first_person=words("i me my mine"),
    over=words("until till ago"),
    ages=frozenset({"year old", "years old"}),
)
