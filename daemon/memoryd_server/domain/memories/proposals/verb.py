"""Verbs of English by which the forms of statements are found, as alternatives of patterns."""

from memoryd_server.domain.memories.proposals.word import alternatives

KIN_VERBS = alternatives(
    """lives? / works? / stud(?:y|ies) / teach(?:es)? / speaks? / plays? / loves? / likes? / hates? / prefers? /
    enjoys? / owns? / runs? / drives? / uses? / eats? / drinks? / smokes? / wears? / collects? / needs? a wheelchair
    / blocks? / forbids? / bans? / requires? / goes to school / attends? / sleeps? / cooks? / sings? / sells? /
    grows? / rides? / writes? / allows? / suffers?"""
)
"""Verbs by which something lasting is said of those who belong to somebody."""

TRADE_VERBS = alternatives(
    """grow / breed / raise / sell / brew / restore / repair / collect / knit / sew / crochet / paint / draw / compose
    / illustrate / bake / shoot / photograph / carve / forage / garden / farm / hunt / freelance / blog / tutor /
    mentor / foster / coach / practi[cs]e / volunteer / babysit / meditate / translate / rent out / tune / weld /
    weave / spin / dye / referee / umpire / direct / conduct / research / cater / guide / groom / proofread /
    moderate / dj / woodwork / ferment / pickle / quilt / upcycle"""
)
"""Verbs of what somebody does for a living or for joy, with an object that is of no single thing."""

CHANCE_VERBS = alternatives(
    r"""get / gets / got / need / want / had / has / have / see / saw / know / knew / think / thought / understand /
    said / say / mean / meant / remember / forget / forgot / find / found / receive / take / try / notice / seem /
    call / pass / return / show / add / change / mix / mess / end / fail / lose / confuse / struggle / wonder / hear
    / feel / hope / wish / look / lack / require / miss / came / went / did / made / do / be / am / was / were /
    been / will / can / could / would / should / might / may / must / ask / guess / heard / gave /
    give / put / set / left / seen / done / gone / wrote / ran / care / just / ever / really / even / if / when / a
    / the / to / for / in / on / with / at / from / one / my / this / that / use / works? / runs? / comes? / shows?
    / gives? / returns? / happens? / appears? / turned / happened"""
)
"""Verbs of what happens to somebody, and other words, which say no habit behind "always" or "never"."""

HABIT_VERBS = alternatives(
    """buy / eat / drink / use / wear / cook / bake / order / sleep / wake / get up / go to / go by / go for / work /
    write / type / read / watch / listen to / run / ride / drive / fly / travel / shop / sit / avoid / skip / draw /
    paint / shoot / sing / play / garden / walk / cycle / bike / swim / commute / vote / pray / hike / ski / sew /
    knit / pay with / pay in / smoke / train / meditate / have breakfast / have lunch / have dinner / deploy on /
    take the (?:bus|train|tram|metro|subway|tube|ferry|stairs|bike) / speak / teach / study / visit / attend /
    volunteer / stretch / answer / do yoga / camp / sail / climb / dance"""
)
"""Verbs of what somebody does again and again."""

REFUSED_VERBS = alternatives(
    """eat / drink / watch / tolerate / digest / wear / have / ride / cook with / listen to / smell / taste / stomach /
    bear"""
)
"""Verbs of what somebody cannot do, with an object of a whole kind."""

AVOIDED_VERBS = alternatives(
    """eat / drink / watch / wear / ride / cook with / listen to / use / buy / read / celebrate / follow / trust /
    believe in / play / gamble on / want kids / want children / eat out"""
)
"""Verbs of what somebody does not do, with an object of a whole kind."""

ABLE_VERBS = alternatives(
    """swim / cook / drive / drink / smoke / sing / dance / ski / fly / vape / gamble / whistle / eat out / ride a bike
    / sew / type blind / touch-type / speak / read music / work out / wear glasses"""
)
"""Verbs that say something lasting without an object."""

LIFE_EVENTS = alternatives(
    r"""moved (?:to|from|back|into|in with) (?!(?:the
    (?:next|top|end|right|left|other)|main|master|line|another|step)\b)\w+ / graduated / retired / (?:was|were) born
    (?:in|on|at) \w+ / started (?:school|kindergarten|university|college|nursery|primary school|secondary school|day
    ?care) / (?:been|was|were|got) accepted (?:at|to|into|by|for) \w+ / got
    (?:married|engaged|divorced|promoted|laid off|fired|hired) / got my (?:[\w'-]+
    )?(?:licen[cs]e|degree|diploma|phd|citizenship|green card|visa|braces|diagnosis|first \w+) / got (?:a|an|the)
    (?:new )?(?:[\w-]+ )?(?:job|dog|cat|puppy|kitten|car|offer|promotion|tattoo|scholarship|degree) / got
    (?:a|an|the) (?:new )?(?:apartment|house|internship) / quit (?:my|smoking|drinking|the(?!
    (?:app|program|terminal|editor|session|shell|browser|game)))(?: \w+)? / adopted (?:a|an|two|three|my|our) \w+ /
    bought (?:a|an|my|our) (?:[\w-]+
    )?(?:house|flat|apartment|cottage|car|bike|boat|van|farm|puppy|horse|piano|guitar|
    e-bike|motorbike|camper|plot|dog|cat) / sold (?:my|our) \w+ / joined (?:a|an|the|my)
    (?!(?:calls?|meeting|tables?|channel|chat|queue|room|zoom)\b)\w+ / lost (?:my|his|her|their)
    (?:job|mother|mom|father|dad|dog|cat|wife|husband) / lost (?:my|his|her|their) grand(?:mother|father) / broke
    (?:my|his|her)
    (?!(?:builds?|code|config|installation|repo|head|pipeline|site|app|database|fast|promise|system)\b)\w+ / became
    (?:a|an|the) \w+ / had (?:a|our|my|his|her|their) (?:first |second
    )?(?:baby|surgery|miscarriage|operation|stroke|heart attack) / (?:was|were|been) diagnosed with \w+ / switched
    (?:from|to|jobs|majors)(?! (?:the|main|master|another|a different|dev|tab|branch)\b)(?: \w+)? /
    (?:opened|founded|published|launched) (?:a|my|our)
    (?!(?:files?|tickets?|pr|pull|issues?|terminal|new|tab|window|
    shell|bug|document|case|connection|session|port|pod|instance|container)\b)\w+ / started (?:a|an|my) (?:new
    )?(?:[\w-]+ )?(?:job|school|course|degree|company|business|shop|blog|podcast|channel|family|
    phd|diet|internship|apprenticeship|garden|band|club|studies|training|therapy|class|classes|program|career|hobby)
    / enrolled in \w+ / signed up for \w+ / won (?:a|the|my|first|second|third) \w+ / (?:started|began)
    (?:working|learning|taking|volunteering|studying|playing|dating|painting|running|teaching) \w+ / finished
    (?:my|our) (?:degree|thesis|first|phd|book|course|studies) / (?:passed|failed) (?:my|the) (?:[\w-]+
    )?(?:exams?|driving test|bar|interview|finals?|class|course|audition| defen[cs]e|viva|certification) / took over
    (?!(?:an|one|two|three|half|\d+)\b)\w+ / (?:given|gave) up (?!on\b|trying\b|waiting\b|looking\b|hope\b|and\b)\w+
    / (?:stopped|quit)
    (?:eating|drinking|smoking|using|buying|flying|driving|wearing|watching|working|vaping|taking)\b / handed in my
    notice / resigned / inherited (?:a|an|my|the|our|his|her|some) \w+ / broke up with my \w+ / gave birth /
    (?:cancelled|canceled|renewed) (?:my|our) (?!(?:order|request|build|job)\b)\w+ / moved (?:house|in together|last
    \w+|in \d+) / tore (?:my|his|her) \w+ / sprained (?:my|his|her) \w+ / came out as \w+ / emigrated / immigrated /
    dropped out of \w+"""
)
"""Events that are rare in a life, so that they matter without a date."""

DEATHS = "died|passed away"

PAST_VERBS = alternatives(
    """went / visited / attended / met / saw / took / ran / made / painted / read / watched / did / volunteered /
    participated / hiked / travell?ed / had / bought / got / started / finished / joined / gave / won / lost / moved
    / played / cooked / baked / celebrated / camped / signed / flew / drove / presented / performed / organi[sz]ed /
    hosted / competed / launched / shipped / released / deployed / adopted / planted / built / wrote / learned /
    tried / completed / submitted / interviewed / applied / graduated / turned / broke / injured / was in / were in
    / quit / left / opened / closed / sold / retired / became / began / stopped / switched / handed in / booked /
    founded / published / married / divorced"""
)

TRIFLING_VERBS = alternatives(
    """made / did / got / had / tried / turned / took / read / watched / saw / bought / ran / cooked / baked / played /
    started / finished / gave / painted / wrote / completed"""
)
"""Verbs of what happens each day, so that it matters only if its time is still remembered later."""

PLANNED_VERBS = alternatives(
    """going / moving / flying / travell?ing / starting / leaving / getting / visiting / running / hosting / seeing /
    taking / having / opening / launching / closing / quitting / retiring / graduating / marrying / expecting / due
    / turning / adopting / renovating / presenting / defending / speaking / off to / away / buying / selling"""
)

COMING_VERBS = alternatives(
    """starts? / begins? / finish / finishes / leaves? / fly / flies / moves? / arrives? / travels? / graduates? /
    retires? / turns? / defends? / comes? / visits? / ends? / has to / have to / need to / must / am due / marry /
    marries / expires? / runs? out / renews? / gets? married"""
)
"""Verbs that say with a date what will be."""
