"""The forms of facts: patterns of the beginning of a clause, with the names of form.py in angle brackets."""

_LIVING = (
    (
        "<I> <adv><not>(?:live|reside) <adv>(?:in (?!(?:fear|hope|denial|hell|a bubble|a nightmare|the moment|the "
        r"past|peace|dread)\b)|at\b|near\b|with (?!(?:it|regret)\b)|on (?:the|a|an|my|our|campus|(?-i:[A-Z]))|"
        r"alone\b|by (?:the|a|my)\b|outside\b|next to)"
    ),
    "<Am> <adv><no>(?:originally )?(?:from|based in|living in|living with|located in) <thing>",
    "<I> (?:originally )?come from (?-i:[A-Z])",
    "<I> (?:was|were) (?:(?:born|raised|born and raised) (?:in|on|into)|raised|brought up) <thing>",
    "<I> (?:grew up (?:in|on|near|with)|majored in) <thing>",
    r"<I> <adv><not>live (?:[\w-]+ ){1,3}(?:from|away from|outside|north of|south of|east of|west of) <thing>",
    "<I> go by (?-i:[A-Z])",
    "(?:everyone|everybody|people|my friends|most people) calls? me (?-i:[A-Z])",
    (
        r"(?:we're|we are) (?:an? (?:team|family|group|company|band|household|couple) of|(?:\d+|two|three|four|five|"
        r"six|seven|eight) (?:people|developers|devs|engineers|friends|adults))\b"
    ),
    r"<I> weigh \d",
    r"<Am> <adv>\d[\d.,]* ?(?:m|cm|metres|meters|ft|foot|feet|kg|kilos|lbs|pounds)\b",
    r"<I> pay .{0,40}\b(?:rent|a month|per month|a year)\b",
    r"<I> earn .?\d",
    (
        "my (?:<NATIONALITIES>) is (?:not )?(?:bad|rusty|good|basic|fluent|poor|better|terrible|limited|okay|ok|"
        r"very|quite|so|pretty)\b"
    ),
    r"(?:i am|i'm) <adv>\d{1,3}(?: years old|$| and\b)",
    (
        "i'm (?!(?:ok|okay|good|fine|sorry|back|done|here|ready|lost|stuck|confused|happy|sad|tired|sure|not|in|"
        "on)$)(?-i:[A-Z][a-z]+)$"
    ),
    r"my name is (?-i:[A-Z])[\w-]*",
    r"<My> <some>(?:<ATTRIBUTES>)(?: is|'s| are) (?:not |on |at |in |to )?(?!(?:<EMPTY_VALUES>)\b)\w",
    r"(?-i:[A-Z])[\w-]+ (?:is|isn't|is not) my (?:first|second|third|native|mother) (?:language|tongue)",
)
"""Homes, origins, names and measures."""

_WORK = (
    r"<I> (?:was|were) (?:an?|the) .*\b(?:<SPANS>)",
    (
        r"<I> <adv>(?:lived|worked|taught|played|served|volunteered|freelanced) (?!on\b).*\b(?:<SPANS>|until "
        r"(?:<SPANS>|<time>|\d{4}))"
    ),
    r"<I> (?:served in|studied) (?!(?:for|hard|all)\b)<thing>",
    (
        "<I> (?:did|got|wrote|finished) my (?:phd|master's|masters|bachelor's|degree|thesis|dissertation|training|"
        r"apprenticeship) (?:on|in|at|about)\b"
    ),
    (
        r"<I> <adv><not>work <adv>(?:as|at|for|in|with|from) (?!(?:the moment|(?:an?|the|\d+|\w+) (?:file|csv|"
        r"hours?|minutes?|days?)|progress|\d)\b)<thing>"
    ),
    r"<Am> <adv>(?:working )?in (?:<SUBJECTS>)\b(?! (?:mode|hell))",
    (
        r"<I> <adv>(?:run|lead|head|manage) (?!tests?\b|scripts?\b|commands?\b)[\w-]+ (?:at|for) (?:(?:an?|the|our|"
        r"my) \w|(?-i:[A-Z]))"
    ),
    r"<I> <adv>maintain (?:a|an|the|my|our|two|three) \w",
    r"<I> <adv>(?:start|finish|begin|leave) (?:work|school) at\b",
    r"<I> <adv>(?:have|get|take) \w+days? off\b",
    r"<I> <adv><not>work (?:from )?\d\S* ?(?:to|until|till|-) ?\d",
    (
        r"<I> <adv><not>work (?:\w+ )?(?:shifts|nights|weekends|part[- ]time|full[- ]time|remotely|freelance|\d+ "
        r"hours|\d+ days)\b"
    ),
    "<Am> <adv><no>(?:working|interning|employed) (?:as|at|for) <thing>",
    (
        "<Am> <adv><no>(?:studying|majoring in|minoring in|training for|saving for|saving up for|learning|taking "
        "classes in|teaching) <thing>"
    ),
    (
        "<Am> <adv><no>doing (?:a|an|my) <some>(?:phd|master's|masters|mba|bachelor's|apprenticeship|residency|"
        r"degree)\b"
    ),
    (
        "<Am> <adv><no>(?:writing|building|developing|restoring|renovating|making|designing|recording) (?:a|an|my|"
        r"our) (?:[\w-]+ ){0,3}(?:<PROJECTS>)\b"
    ),
    (
        "<Am> <adv>trying to (?:lose|quit|stop|learn|save|cut down|eat less|eat more|get pregnant|conceive|"
        "gain)(?: <thing>|$)"
    ),
    (
        "<I> <adv><not>(?:study|speak|teach|own|rent|drive|volunteer|coach|foster|collect|homeschool|subscribe to) "
        "<other><thing>"
    ),
    (
        r"<I> <adv>(?:<TRADE_VERBS>) (?:(?:all )?<many>|all (?:of )?(?:my|our) \w|my own \w)(?!.*\b(?:now|today|"
        "first|then)$)"
    ),
    r"<I> <adv>[\w-]+ (?:[\w'-]+ ){1,4}for a living\b",
    (
        r"<I> <adv>write (?:[\w'-]+ )?(?:poetry|poems|novels|songs|books|stories|plays|thrillers|fiction|columns|"
        r"romance)\b"
    ),
    "<I> <adv>(?:blog|podcast) about <thing>",
    (
        r"<I> <adv>(?:run|own|co-own|manage|lead|head|co-run) (?:a|an|the|my own|our own|two|three|four|five|\d+) "
        r"(?:[\w'-]+ ){0,3}(?:<VENTURES>)\b"
    ),
    (
        "<I> (?:can|know how to) (?:speak|read|play) (?:(?-i:[A-Z])|the (?:piano|guitar|violin|drums|flute|cello|"
        "trumpet)|music|chess)"
    ),
    "<I> (?:code|program|write|develop) <adv>in (?-i:[A-Z])",
    (
        "<Am> <adv>looking for (?:a |an )?(?:new )?(?:job|work|flat|apartment|house|internship|apprenticeship|"
        r"place to live)\b"
    ),
    "<Am> <adv><no>(?:new to|a (?:complete )?beginner (?:at|in|with)|fluent in) <kind>",
    r"<Am> (?:halfway through|finishing) (?:a|my) <some>(?:phd|degree|apprenticeship|master's|thesis|training)\b",
)
"""Work, studies and lasting projects."""

_HABITS = (
    (
        r"<I> <adv><not>(?:eat|drink|smoke) <other>(?!(?:\d\w*|at|in|on|out|with|up|a|an|my|before|"
        r"after)\b)<thing><momentary>"
    ),
    r"<I> <adv><not>wear <other>(?!\d)<thing><momentary>",
    r"<I> <adv><not>use <other>(?!(?:a|an|\d\w*)\b)(?!.*\b(?:to|instead|as)\b)<thing>",
    r"<I> <adv><not>play (?:the |in a |on a )?(?!(?:with|a role|a part|around|by|for|\w+ly)\b)<thing>",
    "<I> <adv>(?:sing|dance|act|perform|row|sail|climb) (?:in|with|at) (?:a|an|the|my|our) <thing>",
    "<I> <adv>(?:make|bake|brew|grow|sew|roast|build|mill) (?:all )?my own <thing>",
    "<I> <adv>listen to <kind>",
    "<I> <adv>(?:read|watch|cook|play) (?:mostly|mainly|only|lots of|a lot of) <kind>",
    (
        "<I> <adv>go (?:running|swimming|cycling|climbing|hiking|dancing|skiing|fishing|sailing|surfing|riding|"
        r"bowling|birding)\b"
    ),
    r"<I> <adv>(?:keep|eat|cook) (?:kosher|halal|vegan|vegetarian|gluten-free|low-carb|keto|plant-based)\b",
    "<I> fast (?:during|on) <thing>",
    "<I> (?:heat|cook) with <kind>",
    r"<I> <adv>(?:keep|breed|raise) (?:[\w-]+ ){0,2}(?:<ANIMALS>)\b",
    r"<I> (?:<LASTING_ADVERBS>) (?:(?:<HABIT_VERBS>) <other>|<does> )(?!(?:once|twice)\b)<kind><momentary>",
    (
        "<I> <adv>(?:do|keep|have|use|(?!(?:send|copy|paste|download|install|move|delete|remove|import|export|"
        r"check|read|try)\b)<does>) (?:all (?:of )?(?:my|our)|everything|most of (?:my|our)) <some>?(?:in|on|with|"
        "from|by|at|via|using) <thing>"
    ),
    (
        r"<I> <adv>(?:read|type|work|draw|shoot|code|program|play|write|edit|design|record) (?:\w+ )?on (?:a|an|my) "
        "<thing>"
    ),
    r"<I> (?:always|never) (?:<HABIT_VERBS>) (?:a|an|my|the) \w",
    r"<I> <adv><not>(?:<HABIT_VERBS>)\b(?: [\w'-]+){0,5}? <often>",
    (
        r"<I> <adv><not>(?:cycle|bike|walk|commute|drive|run|take (?:the|a) \w+) to (?:work|school|the office|uni|"
        r"university)\b"
    ),
    r"<I> <adv>sleep (?:badly|poorly|on my \w+|little|with)\b",
    (
        "<I> used to (?:live|work|play|study|teach|own|have|smoke|drive|be|run|keep|drink|eat) (?!(?:an? "
        r")?(?:problems?|issues?|trouble)\b)<thing>"
    ),
    (
        "<Have> <adv>(?:been|lived|worked|known|had|played|studied|practi[cs]ed|used|owned|run|taught|kept|driven|"
        r"coached|sung|collected|suffered)\b(?! (?:waiting|trying|getting|having|stuck|debugging|fighting|"
        r"struggling|seeing|playing for|doing)\b).* (?:<SPANS>)"
    ),
    (
        "<I> (?:haven't|have not) (?:eaten|drunk|smoked|driven|flown|owned|worked|lived|celebrated|had a drink|had "
        r"alcohol|touched \w+) .*\b(?:<SPANS>)"
    ),
    (
        "<Have> never (?:been (?:to|abroad|on|in)|used|tried|eaten|driven|learned|learnt|written|flown|owned|"
        "worked with|lived|smoked) <kind>"
    ),
    "<Have> <adv>been to (?-i:[A-Z])",
    (
        r"<Have> <adv>(?:written|published|run|climbed|sailed|won|raised|lost) (?:\d+|two|three|four|five|six|seven|"
        r"several|many) (?!(?:[\w-]+ )?(?:<EMPTY_OBJECTS>)\b)<kind>"
    ),
    (
        "<I> get (?:all )?(?:our|my) (?:internet|electricity|power|groceries|milk|eggs|bread|coffee|vegetables|veg|"
        "meat|water|news|medication|insulin) (?:from|delivered) ?<thing>"
    ),
    "<I> (?:garden|cook|bake|eat|live|work|travel|sleep|commute|paint) without (?:any )?<kind>",
)
"""Habits, and activities of years."""

_REFUSALS = (
    "<I> <is unable to> (?:<REFUSED_VERBS>) <kind><momentary>",
    (
        "<I> <is unable to> (?:(?:lift|climb|carry) <kind>|(?:kneel|bend|jump|lift)$|(?:stand|sit|walk) (?:far|long|"
        r"for long)\b|(?:see|hear) well\b)<momentary>"
    ),
    "<Am> not allowed (?:to )?<thing><momentary>",
    "<I> <adv>(?:have|need) to avoid <kind><momentary>",
    r"<I> (?:don't|do not|never) (?:<HABIT_VERBS>|deploy|ship|release|merge)\b(?: [\w'-]+){0,3}? <often>",
    r"we (?:never|always|only) (?:deploy|force push|squash|merge|rebase|ship|release|review|pair|commit|push)\b",
    "<I> <refuses to> (?:<AVOIDED_VERBS>) <kind><momentary>",
    "<I> <refuses to> (?:<ABLE_VERBS>)(?: anymore| any more| at all| alcohol|$)",
    (
        r"<I> (?:don't|do not) (?:<HABIT_VERBS>|<ABLE_VERBS>|own|have)\b(?: [\w'-]+){0,4} (?:anymore|any more|any "
        "longer)$"
    ),
    "<Am> forced to use <thing>",
    (
        r"(?:[\w-]+ ){1,3}(?:is|are) (?:blocked|forbidden|banned|not allowed|disabled) (?:for us|at our company|at "
        r"work)\b"
    ),
)
"""Refusals and bans."""

_HEALTH = (
    r"<Am> <adv><no>(?:<STATES>)\b",
    (
        r"<My> (?:[\w-]+ )?(?:knees?|back|eyes|eyesight|hearing|hips?|heart|shoulder|hands|skin|memory) (?:is|are) "
        r"(?:\w+ )?(?:bad|poor|weak|shot|stiff|sensitive|dry)\b"
    ),
    "<Am> <adv>recovering from <thing>",
    (
        "<I> <adv>get (?:migraines|carsick|seasick|motion sick|hay fever|heartburn|nosebleeds|panic attacks|cold "
        r"sores|sunburnt)\b"
    ),
    (
        r"(?!(?:the|this|my|your)\b)<thing>[\w'-]*(?: [\w'-]+)? gives? me (?:migraines?|hives|heartburn|a rash|"
        r"headaches|nightmares)\b"
    ),
    r"<I> <adv><not>(?:have|own|suffer from|live with) (?:<ILLNESSES>|<ANIMALS>)\b<alone>",
    r"<I> (?:take|inject|use) (?:[\w-]+ ){1,3}for my (?:[\w-]+ )?\w+",
    r"<I> <adv>(?:take|inject) (?:metformin|insulin|statins|antidepressants|blood thinners|medication)\b",
)
"""Health and other lasting states."""

_THINGS = (
    (
        r"<I> <adv><not>(?:have|own) (?!(?:been|had|to|got|never|just|not)\b)(?:\w+ "
        r"<owned>)?(?:<BELONGINGS>)\b<alone><momentary>"
    ),
    r"(?:i've|we've) (?:(?:no|an?|\d+|two|three|four|several) )<owned>(?:<BELONGINGS>)\b<alone><momentary>",
    (
        r"(?:<I> <adv>(?:have|own|use|shoot with|bought)|<Have> <adv>(?:got|bought)) (?:an? |the )?<owned>"
        r"(?:<MAKES>)\b(?! (?:account|app|file|service|driver|call|meeting|problem|issue|api|code|error|to|"
        "statement|case))<alone>"
    ),
    r"<Have> <adv>got (?:(?:no|a|an|my|\d+|two|three|four) )?<owned>(?:<BELONGINGS>)\b<alone><momentary>",
    (
        "<My> <some>(?:garden|balcony|terrace|flat|apartment|house|kitchen|living room|bedroom|windows?|roof|oven) "
        r"(?:faces?|has|have|gets?|looks|is (?:[\w-]+-facing|on the \w+ floor|\d+ (?:m2|m\u00b2|square|sqm)))\b"
    ),
    r"<My> <some>(?:<POSSESSIONS>) (?:runs|has) (?-i:[A-Z\d])",
    (
        r"<My> <some>(?:<SYSTEMS>) (?:is|are) (?:in |on |all |still )?(?:(?!OK\b)(?-i:[A-Z])|(?:fully |mostly |all "
        ")?(?:remote|distributed))"
    ),
    (
        r"<Am> <adv>on (?:windows|macos|mac|linux|arch|ubuntu|debian|fedora|nixos|android|ios|gentoo|mint)\b(?! "
        "(?:machine|laptop))"
    ),
    r"<My> <some>(?:<POSSESSIONS>)(?: is|'s| are) (?:<named>|from (?:the )?\d|on the \w+ floor)",
    (
        r"<I> (?:drive|ride|play|own|use|have|shoot with|type on|code on|fly) (?:an? |the )(?:[\w-]+ "
        r")?(?-i:[A-Z])\w+(?!.*\b(?:to|error|problem|issue|account|file|table|question|class|function|form|server|"
        r"app)\b)"
    ),
    (
        "(?:<My> <some>(?:<SYSTEMS>)|the (?:company|team|office|firm|school)) <adv>(?:uses|use|runs on|run on|is "
        r"written in|is built on|is built with|is based in) (?!\d)<thing>"
    ),
    (
        r"<I> (?:run|host|deploy|store|keep|track|ship|write|do|develop|test) (?:everything|all (?:of )?our [\w-]+|"
        r"all [\w-]+|our [\w-]+) (?:on|in|with|via) <thing>"
    ),
    r"<Am> <adv>on (?-i:[A-Z])\w+ \d",
    (
        r"we (?:deploy|build|test|develop|host|monitor|ship|release|track|manage|communicate|document) (?:[\w-]+ "
        r")?(?:with|on|to|in|via) (?-i:[A-Z])(?!\w*day\b)"
    ),
)
"""Possessions, and the systems of those who work together."""

_KIN = (
    "<Kin> (?:doesn't|does not|never|only|always|don't|do not) <does> <kind><momentary>",
    (
        r"<Kin>(?:'s name)? (?:is|are) <no>(?:an? (?!(?:<BAD_COMPANY>)\b)|in (?-i:[A-Z])|in (?:college|kindergarten|"
        r"the army)|at (?:university|college|uni)|from |called |named |(?:<STATES>)\b|\d+(?:$| (?:years|months|"
        r"weeks|and|or|now)\b))"
    ),
    r"<Kin> was an? (?!(?:<BAD_COMPANY>)\b)",
    (
        r"<Kin> <adv>go(?:es)? to (?:(?:an?|the) )?(?:[\w-]+ )?(?:school|kindergarten|university|college|nursery|"
        r"church)\b"
    ),
    "<Kin> works? (?:nights|shifts|part[- ]time|remotely|from home|abroad)",
    r"<My> (?:[\w-]+ ){0,2}(?:<ROLES>) is (?:called|named) (?-i:[A-Z])",
    r"<Kin> (?:is|are) (?:<Kin>|(?!OK\b)(?-i:[A-Z])[\w-]+$)",
    r"<My> (?:[\w-]+ ){0,2}(?:<ROLES>) (?:is|was) (?:<Kin>|(?-i:[A-Z])[\w-]+$)",
    r"(?-i:[A-Z])[\w-]+ (?:is|was) (?:my|our) (?:[\w-]+ )?(?:<ROLES>|<KIN>)\b",
    r"<Kin>(?:'s)? (?:names?|birthday|hometown|job|favou?rite [\w-]+)(?: is|'s| are) \w",
    r"<Kin> <adv>(?:does not |doesn't |don't |do not )?(?:<KIN_VERBS>) (?!\d)<thing>",
    "<Kin> (?:can't|cannot|won't|doesn't|don't|never) (?:<REFUSED_VERBS>|hears?|sees?) <kind><momentary>",
    (
        r"<Kin>(?: has| have|'s got| has got| suffers from) (?:(?:no|an?|\w+) "
        r")?<owned>(?:<BELONGINGS>)\b<alone><momentary>"
    ),
)
"""The same of those who belong to the author."""

FACTS = (*_LIVING, *_WORK, *_HABITS, *_REFUSALS, *_HEALTH, *_THINGS, *_KIN)
