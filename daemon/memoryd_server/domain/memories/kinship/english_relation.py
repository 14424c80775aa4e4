"""English: verb phrases between a subject and the value of an attribute."""

from memoryd_server.domain.memories.kinship.language import Exclusion, Relation

REWRITES = (
    ("not no never", r"(is|are|am|was|were|has|have|been) (not|no longer|never)", r"\2 \1"),
    ("allergy", r"(?:has|have|suffers? from) an? (?:severe |mild |strong |bad )?(\S+) allergy", r"is allergic to \1"),
    ("allerg", r"(?:has|have) no (?:known )?allerg(?:y|ies) to", r"not is allergic to"),
    ("of", r"(?:has|have) an? (budget|deadline|salary|population|capacity|height|weight|price|size) of", r"'s \1 is"),
    ("ed", r"(?:has|have) (?!lived|worked|moved|need)(\w{3,}ed)", r"\1"),
    ("natively", r"speaks? (\S+) natively", r"is a native speaker of \1"),
    ("native", r"(?:is|are|am) a native (\S+) speaker", r"is a native speaker of \1"),
    ("called", r"(?:prefers?|likes?|wants?|would like) to be called", "goes by"),
    ("smoker", r"(?:is|are|am) an? smoker", "smokes"),
    ("fluent", r"(?:is|are|am) fluent in (\S+)", r"speaks \1 fluently"),
    ("would", r"would (?:rather|prefer to)", r"prefers to"),
    ("would", r"would prefer", "prefers"),
    ("than", r"likes? (.+?) (?:more|better) than (.+)", r"prefers \1 over \2"),
    ("than of to", r"(?:rather than|instead of|as opposed to)", r"over"),
    ("will", r"will (?:be(?: held)?)(?= (?:on|at|due|d:\S+|t:\S+))", r"is"),
    ("will", r"will (take place|start|begin|end|open|close|cost|arrive|depart)", r"\1"),
    ("ing", r"(quit|stopped|gave up|ceased) (\w+?)(?:ing)", r"not \2"),
    ("at", r"(?:lives|resides) (?:together )?at", r"address is"),
)

RELATIONS = (
    Relation("job", r"(?:was|has been|got|has) promoted to|became(?= an? )|has become(?= an? )", is_event=True),
    Relation(
        "job", r"works? (?:now )?as|work as|(?:is|am|are) employed as|has a job as|earns? (?:a|his|her|my) living as"
    ),
    Relation(
        "employer",
        r"works? (?:full time |part time |remotely )?(?:for|at)|(?:is|are|am|been) (?:working|employed) (?:for|at|"
        r"by|with)|"
        r"(?:has|have) (?:been working|worked) (?:for|at)|(?:has|have) a (?:new )?job (?:at|with)",
        implied_class="employment",
        implied_value="employed",
    ),
    Relation(
        "employer",
        r"(?:has |have )?(?:joined|(?:started|began) (?:working |a new job |a job |work )?(?:at|for)|took a (?:new "
        r")?job (?:at|with)|"
        r"was hired by|switched jobs to)(?! the)",
        is_event=True,
        implied_class="employment",
        implied_value="employed",
    ),
    Relation(
        "employer",
        r"left|quit|resigned from|was fired from|stopped working (?:for|at)",
        is_negative=True,
        is_event=True,
    ),
    Relation(
        "home",
        r"(?:lives?|resides?|dwells?|stays permanently) in|(?:is|are|am|been) (?:living|based|residing|domiciled) in|"
        r"(?:has|have) (?:been living|lived) in|(?:is|are|am) (?:a )?residents? of",
    ),
    Relation(
        "home",
        r"(?:has |have )?(?:just )?(?:moved|relocated|emigrated) (?:from \S+ )?(?:back )?to|settled (?:down )?in",
        is_event=True,
    ),
    Relation("home", r"moved (?:away )?from|moved out of", is_negative=True, is_event=True),
    Relation(
        "spouse", r"(?:is|are|am|got|has been) (?:now )?married to", implied_class="family", implied_value="married"
    ),
    Relation(
        "fiancé", r"(?:is|are|am|got|has been) (?:now )?engaged to", implied_class="family", implied_value="engaged"
    ),
    Relation("partner", r"(?:is|are|am) (?:dating|in a relationship with|going out with)"),
    Relation("boss", r"reports? (?:directly )?to|(?:is|are|am) (?:managed|supervised) by|works? under"),
    Relation("leader", r"leads|heads|chairs|(?:is|am|are) in charge of|coaches", is_inverse=True),
    Relation("leader", r"(?:is|are) (?:led|headed|run|chaired) by"),
    Relation("owner", r"(?:is|are) owned by|belongs? to"),
    Relation("team", r"(?:is|am|are|works?) (?:on|in) the (?=\S+(?: \S+)? team\b)"),
    Relation("birthday", r"(?:was|were|is) born on|(?:was|were|is) born(?= d:)"),
    Relation("birthplace", r"(?:was|were|is) born in(?= [^\d])(?! d:)"),
    Relation("birthday", r"(?:was|were|is) born in(?= (?:\d|d:))"),
    Relation("origin", r"(?:is|are|am) (?:originally )?from|comes? from|hails? from|grew up in"),
    Relation("native language", r"(?:is|am|are) (?:a )?native speakers? of|natively speaks?|speaks? natively"),
    Relation("name", r"(?:is|are|am) (?:called|named)|goes by|go by"),
    Relation("nickname", r"(?:is|are|am) nicknamed"),
    Relation(
        "answer language",
        r"(?:wants?|prefers?|expects?|needs?|likes?) (?:all |the |your |to get )*(?:answers?|responses?|replies|"
        r"messages|emails|instructions)(?: to be)?(?: written)? in",
    ),
    Relation(
        "preference",
        r"prefers?|would rather have|favou?rs|prefer",
        Exclusion.COMPARABLE,
        has_contexts=True,
    ),
    Relation(
        "like",
        r"likes?|loves?|enjoys?|adores?|(?:is|am|are) (?:very |really |quite )?(?:fond of|into|keen on|crazy about)|"
        r"(?:is|am|are) (?:a )?(?:big |huge |great )?fans? of",
        Exclusion.OPPOSITE,
    ),
    Relation(
        "like",
        r"dislikes?|hates?|loathes?|detests?|despises?|can not stand|can not bear|(?:is|am|are) averse to",
        Exclusion.OPPOSITE,
        is_negative=True,
    ),
    Relation(
        "allergy",
        r"(?:is|am|are) (?:severely |highly |very |slightly )?allergic to|(?:has|have|suffers? from) (?:an? )?"
        r"(?:severe |mild )?allerg(?:y|ies) to",
        Exclusion.OPPOSITE,
    ),
    Relation(
        "due",
        r"(?:is|are) due(?: (?:on|by|at|in))?|must be (?:submitted|finished|done|delivered|ready|completed) (?:by|"
        r"on)|"
        r"(?:has|have|needs?) to be (?:submitted|finished|done|delivered|ready|completed) (?:by|on)|expires?(?: "
        r"(?:on|in|at))?",
    ),
    Relation(
        "time",
        r"(?:(?:is|are|was|were|has been|have been|got) )?(?:moved|rescheduled|postponed|pushed|shifted|delayed|"
        r"brought forward) (?:back )?(?:to|until)|"
        r"(?:(?:is|are|was|were|has been|have been) )?(?:scheduled|planned|set|booked) (?:for|on|at)|takes? place "
        r"(?:at|on|in)|"
        r"(?:starts?|begins?)(?: (?:at|on|in))?(?= (?:d:|t:|\d|monday|tuesday|wednesday|thursday|friday|saturday|"
        r"sunday|tomorrow|today))",
    ),
    Relation("end", r"(?:ends?|finishes)(?: (?:at|on|in))?(?= (?:d:|t:|\d|monday|tuesday|wednesday|thursday|friday))"),
    Relation("opening", r"opens?(?: (?:at|on))?(?= (?:d:|t:|\d))"),
    Relation("closing", r"closes?(?: (?:at|on))?(?= (?:d:|t:|\d))"),
    Relation("departure", r"(?:leaves?|departs?)(?: (?:at|on))?(?= (?:d:|t:))"),
    Relation("arrival", r"(?:arrives?|lands?)(?: (?:at|on))?(?= (?:d:|t:))"),
    Relation("price", r"costs?(?= \d)|(?:is|are) priced at|(?:is|are) sold for"),
    Relation("weight", r"weighs?(?= \d)"),
    Relation("income", r"earns?(?= \d)|makes?(?= \d+ (?:dollars?|euros?|pounds?))"),
    Relation("port", r"(?:listens|runs|is running|is listening|is served) on port"),
    Relation("platform", r"(?:is |are )?(?:runs?|running)(?: on)?", Exclusion.COMPARABLE),
    Relation("host", r"(?:is|are) (?:hosted|deployed|running|served) (?:on|at|in|by|to)|deploys? to"),
    Relation("written in", r"(?:is|are) (?:written|implemented|coded|programmed) in"),
    Relation("license", r"(?:is|are) licensed under"),
    Relation(
        "place",
        r"(?:is|are) (?:stored|kept|located|situated|saved|hidden|parked|headquartered) (?=in|at|on|under|"
        r"behind)(?:in|at|on|under|behind)|lies? in|sits? in",
    ),
    Relation("use", r"uses?|(?:is|are|am) (?:now )?using", Exclusion.COMPARABLE, has_contexts=True),
    Relation(
        "use",
        r"(?:has |have )?(?:switched|migrated) (?:from .{1,30}? )?to",
        Exclusion.COMPARABLE,
        is_event=True,
        has_contexts=True,
    ),
    Relation("car", r"drives?(?= an? \S+(?: \S+){0,2}$)"),
    Relation(
        "studies",
        r"(?:studies|study|(?:is|am|are) studying|(?:is|am|are) majoring in|majors in)(?! (?:for|at|in)\b)",
        Exclusion.COMPARABLE,
    ),
    Relation(
        "school",
        r"(?:studies|study|(?:is|am|are) studying|(?:is|am|are) enrolled|goes to school|(?:is|am|are) a student) at",
    ),
    Relation("shoe size", r"wears? (?:shoe )?size"),
    Relation("blood type", r"(?:has|have) blood type"),
    Relation("employer", r"employs", is_inverse=True),
    Relation(
        "housemate",
        r"(?:lives?|is living|resides?) (?:together )?with",
        Exclusion.OPPOSITE,
        implied_class="household",
        implied_value="with others",
    ),
    Relation("class household", r"(?:lives?|is living)(?= alone\b)"),
    Relation("colour", r"(?:is|are) (?:painted|coloured|dyed)", Exclusion.COMPARABLE),
    Relation(
        "time",
        r"(?:meets?|happens?|occurs?|repeats?) (?:on|every|each)"
        r"(?= (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)s?\b)",
    ),
    Relation(
        "eats",
        r"eats?(?= (?:meat|chicken|beef|pork|steak|steaks|bacon|ham|turkey)\b)",
        Exclusion.OPPOSITE,
        implied_class="diet",
        implied_value="omnivore",
    ),
    Relation("graduation", r"graduated in", is_event=True),
    Relation(
        "founding",
        r"(?:was|were) (?:founded|established|built|opened|released|launched|created|invented|written|published|"
        r"signed) (?:in|on)(?= (?:\d|d:))",
        is_event=True,
    ),
    Relation("death", r"(?:died|passed away) (?:in|on)(?= (?:\d|d:))", is_event=True),
    Relation("marriage", r"got married (?:in|on)(?= (?:\d|d:))", is_event=True),
    Relation("bedtime", r"goes to (?:bed|sleep)(?: at)?(?= (?:t:|\d))"),
    Relation("waking", r"(?:wakes|gets) up(?: at)?(?= (?:t:|\d))"),
    Relation("plan", r"(?:is|am|are) on the(?= \S+ (?:plan|tier|subscription)\b)"),
    Relation("bank", r"banks (?:with|at)"),
    Relation("club", r"plays for"),
    Relation("residence permit", r"(?:is|am|are) (?:staying|lodging) (?:at|with)"),
    Relation("diet", r"follows? an?|(?:is|am|are) on an?(?= \S+ diet)", Exclusion.COMPARABLE),
    Relation("count", r"(?:has|have)(?= (?:\d+|no) [^\d\s]+)"),
    Relation("have", r"(?:has|have|owns?)(?= an? )", Exclusion.OPPOSITE),
    Relation("be", r"is|are|am", Exclusion.COMPARABLE),
    Relation("be", r"(?:has |have )?(?:became|become|got)|turned(?= \d)", Exclusion.COMPARABLE, is_event=True),
)
