"""English."""

import re

from memoryd_server.retrieval.time.grammar.lexicon import FEW, Kind, counted, lexicon, numbered
from memoryd_server.retrieval.time.grammar.unit import Unit

ENGLISH = lexicon(
    {
        Kind.NUMBER: {
            **counted(
                "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
                "seventeen eighteen nineteen twenty"
            ),
            "a|an": (1, 1),
            "thirty": (30, 30),
            "forty": (40, 40),
            "fifty": (50, 50),
            "sixty": (60, 60),
            "ninety": (90, 90),
            "hundred|a hundred": (100, 100),
            "a dozen|dozen": (12, 12),
            "a couple of|a couple|couple of|couple": (2, 2),
            "a few|few|several|some|a handful of": FEW,
        },
        Kind.ORDINAL: {
            **numbered(
                "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
                "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
            ),
            **{
                f"twenty {name}": number
                for name, number in numbered("first second third fourth fifth sixth seventh eighth ninth", 21).items()
            },
            "thirtieth": 30,
            "thirty first": 31,
        },
        Kind.UNIT: {
            "minute|minutes|min|mins": Unit.MINUTE,
            "hour|hours|hr|hrs": Unit.HOUR,
            "day|days|nights|evenings|mornings": Unit.DAY,
            "weekend|weekends|week end": Unit.WEEKEND,
            "week|weeks|wk|wks": Unit.WEEK,
            "fortnight|fortnights": Unit.FORTNIGHT,
            "month|months": Unit.MONTH,
            "quarter|quarters": Unit.QUARTER,
            "year|years|yr|yrs": Unit.YEAR,
            "decade|decades": Unit.DECADE,
            "century|centuries": Unit.CENTURY,
        },
        Kind.MONTH: {
            **numbered(
                "january|jan february|feb march|mar april|apr may june|jun july|jul august|aug september|sept|sep "
                "october|oct november|nov december|dec"
            ),
        },
        Kind.WEEKDAY: numbered(
            "monday|mon tuesday|tues|tue wednesday|wed thursday|thurs|thur|thu friday|fri saturday|sat sunday|sun", 0
        ),
        Kind.SEASON: {"spring|springtime": 3, "summer|summertime": 6, "autumn|fall": 9, "winter|wintertime": 12},
        Kind.HOLIDAY: {
            "christmas|xmas|christmastime": (12, 24, 3),
            "christmas eve": (12, 24, 1),
            "christmas day": (12, 25, 1),
            "boxing day": (12, 26, 1),
            "new year s eve|new years eve": (12, 31, 1),
            "new year s day|new years day": (1, 1, 1),
            "new year s|new years|new year": (1, 1, 1),
            "valentine s day|valentines day|valentine s": (2, 14, 1),
            "st patrick s day|saint patrick s day": (3, 17, 1),
            "halloween": (10, 31, 1),
            "independence day|fourth of july|4th of july": (7, 4, 1),
        },
        Kind.DAY: {
            "today|tonight": 0,
            "yesterday|last night|last evening": -1,
            "tomorrow": 1,
            "day before yesterday|night before last|night before yesterday": -2,
            "day after tomorrow|overmorrow": 2,
        },
        Kind.NOW: "now,right now,the present,present day,the present day",
        Kind.PART_OF_DAY: "morning,afternoon,evening,night,noon,midday,lunchtime,midnight",
        Kind.QUARTER: {"q1": (1, 3), "q2": (4, 3), "q3": (7, 3), "q4": (10, 3), "h1": (1, 6), "h2": (7, 6)},
        Kind.DECADE: {
            "twenties": 1920,
            "thirties": 1930,
            "forties": 1940,
            "fifties": 1950,
            "sixties": 1960,
            "seventies": 1970,
            "eighties": 1980,
            "nineties": 1990,
        },
        Kind.WHICH: {
            "last|past|this past|this last": -1,
            "this|current|these": 0,
            "next|coming|this coming|upcoming": 1,
        },
        Kind.AGO: "ago,back,earlier than now",
        Kind.AHEAD: "in",
        Kind.AT: {
            "during|throughout|in the month of|in the months of|the month of|within|back in": "in",
            "on|at|over|around": "on",
        },
        Kind.OF: "of",
        Kind.THE: "the",
        Kind.SINCE: "since,ever since,as of,starting in,starting on,starting from,beginning in,beginning on",
        Kind.UNTIL: "until,till,til,up to,up until,up till",
        Kind.BEFORE: {"before|prior to|earlier than": None, "shortly before|just before|right before": "near"},
        Kind.AFTER: {"after|later than": None, "shortly after|just after|right after": "near"},
        Kind.BY: "by,no later than,not later than",
        Kind.FROM: "from",
        Kind.TO: "to,through,thru",
        Kind.BETWEEN: "between,in between",
        Kind.AND: "and",
        Kind.OR: "or",
        Kind.ONWARD: "onward,onwards,forward",
        Kind.PART: {"early": 0, "mid|middle": 1, "late": 2, "earlier": 3, "later": 4},
        Kind.PART_OF: {"beginning|start|the beginning|the start": 0, "middle|the middle": 1, "end|the end": 2},
        Kind.HALF: "half",
        Kind.MORE: "more than,at least",
        Kind.LESS: "less than,fewer than",
        Kind.RECENT: "recently,lately,of late",
        Kind.FEW_DAYS_AGO: "the other day,the other night,the other evening,the other morning",
        Kind.OWN: "my,your,his,her,its,our,their,whose,final",
        Kind.EACH: "every,each,per,any,most,every other,every second,every third,once a,twice a",
    },
    weak="may april june august march mar jan jun sat sun fall spring mon wed second min mins dec sep new",
    past="""
    did didn was wasn were weren had hadn been happened remember recall came went got said met saw made took gave
    ate drank bought brought thought felt found kept left lost paid ran sat sent slept spoke spent stood taught wore won
    wrote became began broke built caught chose drew drove fell flew forgot grew heard held hid hit hung hurt knew led
    let lent lay met read rode rose sang sold shot shut swam threw understood woke hiked
    """,
    present="am is are do does have has can should must need want let isn aren don doesn",
    future="will ll won shall gonna going tomorrow upcoming due deadline planning plans scheduled planned",
    past_form=re.compile(
        r"(?!(?:need|indeed|hundred|speed|breed|embed|exceed|proceed|succeed|bleed|greed|naked|wed)$)(?:[a-z]{2,}ed|to(?:ld|ok))"
    ),
    following="""
    what where when who whom which why how did do does was were is are had has have will would could should can
    i we you he she it they a an my our your his her their its that and or but with at for because so if then
    there not no about near while as is just also too only s
    """,
    article_rolls=True,
)
