"""The forms of other statements: patterns of the beginning of a clause, with the names of form.py in angle brackets."""

PREFERENCES = (
    "<I> <adv><not><adv>(?:prefer|love|like|enjoy|adore) <other><liked><thing>",
    "<I> <adv><not>prefer to (?!(?:go with|keep|use|see|have|do|leave|wait|start|stay|be|take|get))<thing>",
    "<I> <adv>(?:hate|dislike|detest|loathe|can't stand|cannot stand|avoid) <other><liked><thing>",
    (
        "<Am> <adv><no><adv>(?:a (?:big |huge )?fan of|fond of|passionate about|addicted to|obsessed with|into|"
        "crazy about) <other><thing>"
    ),
    r"<My> <some>?(?:least )?favou?rite (?:[\w-]+ ){1,3}?(?:is|are) <thing>",
    r"(?=<thing>)[\w' -]{3,40} (?:is|are) (?:one of )?<My> (?:all-time |absolute )?favou?rites?\b",
    (
        r"<I> (?:don't|do not|never) want (?:any )?<kind>[\w -]* in (?:my|our) (?:house|home|garden|kitchen|bedroom|"
        r"office|life)\b"
    ),
    r"call me (?-i:[A-Z])(?!\w*day$)[\w-]+$",
)

DECISIONS = (
    (
        "(?:<I>|<Have>) <adv>(?:decided|chosen|chose|agreed|opted|settled) (?:(?:in|at|during|after|last|yesterday|"
        r"today|together)(?: [\w'-]+){0,3}? )?<no>(?:to|on|against|for|that) "
        r"(?!(?:\w+ly )?(?:make (?:a|some)|go (?:to|have|"
        "for|out|home|see)|have|watch|eat|order|get|stay|take a|restart|reinstall|reboot|try|check|debug|delete|"
        r"add|ask|look|call|see|wait|give|do|disagree|differ)\b)<thing>"
    ),
    "(?:<I>|<Have>) <adv>(?:chosen|chose|picked|settled on|went with|gone with) (?-i:[A-Z])",
    "we're not (?:doing|using|supporting|shipping|buying|hiring) <thing>",
    "(?:the team|<I>) voted (?:for|against|to) <thing>",
    "<Will> (?:use|switch to|go with|migrate to|ship|release|drop|keep|adopt) <thing>",
    (
        "<Am> <no>(?:going with|dropping|switching (?:to|from)|migrating (?:to|from)|replacing|adopting|"
        r"deprecating|sticking with) (?!(?:the )?(?:main|master|dev)\b)<thing>"
    ),
    (
        "(?:<I>|<Have>) <adv>(?:postponed|rescheduled|cancelled|canceled|delayed|moved) (?:the|our|my) "
        r"<some>(?:<APPOINTMENTS>|launch|release|party|holiday|move)\b"
    ),
    (
        "(?:<My>|the) <some>(?:<VENTURES>|<PROJECTS>|baby|dog|puppy|cat|kitten) (?:will be|is going to be|is) "
        "(?:called|named) (?-i:[A-Z])"
    ),
    r"<Am> <no>moving (?:all )?(?:my|our) [\w-]+ (?:to|into|over to) <thing>",
)

EVENTS = (
    r"(?:<I>|<Have>|<Kin>(?:'s| has)?) <adv>(?:<LIFE_EVENTS>)\b",
    r"<Kin>(?:'s| has)? <adv>(?:<DEATHS>)\b",
    r"(?:<I>|<Have>|<Kin>) <adv><not><trifle><event>.*\b<time>",
    r"(?:<I>|<Have>|<Kin>) <adv><not><event>.*\b<long ago>",
    "<time>,? (?:<I>|<Kin>) <adv><trifle><event>",
    "<long ago>,? (?:<I>|<Kin>) <adv><event>",
    r"(?:<I> have|<Have> got) (?:a|an|my) <some>(?:<APPOINTMENTS>)\b.*\b<time>",
    r"<Kin> has (?:a|an|his|her|their) <some>(?:<APPOINTMENTS>)\b.*\b<time>",
    r"<Am> <adv><no><later>(?:<PLANNED_VERBS>)\b<going>.*\b<time>",
    r"<Kin> (?:is|are) <later>on (?:[\w-]+ )?(?:leave|holidays?|vacation|sabbatical)\b.*\b<time>",
    (
        "(?:<My>|the) <some>(?:<APPOINTMENTS>|launch|release|party|move|funeral|ceremony|due date) (?:is|takes "
        "place) <date>"
    ),
    r"<Am> <adv>expecting (?:a|our|my|twins)\b",
    r"<Kin> (?:is|are) <later>(?:<PLANNED_VERBS>)\b.*\b<time>",
    (
        r"<Am> <later>(?:on (?:[\w-]+ )?(?:leave|holidays?|vacation|sabbatical|call|tour)|(?:in|at) (?-i:[A-Z])\w*|"
        r"away|off)\b.*\b<time>"
    ),
    (
        r"(?:<I>|<Have>|<Kin>(?: has)?) <adv>[a-z]{3,}ed (?!(?:[\w'-]+ )?(?:[\w'-]+ "
        r")?(?:<EMPTY_OBJECTS>)\b)<thing>.*\b(?:<LONG_TIMES>)"
    ),
    r"(?:<My> <some>[\w-]+|the baby) (?:is|are) due\b.*\b<date>",
    r"(?:<I>|<Kin>|<My> <some>[\w-]+) (?:<COMING_VERBS>)\b.*\b<date>",
    r"<I>'ll be (?:in|at|away|on|off|out|\d+)\b.*\b<time>",
)
