"""Expressions of English for a time that is clear when the time of a message is known, as alternatives of patterns."""

from memoryd_server.domain.memories.proposals.word import alternatives

_DAYS = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_MONTHS = "(?:january|february|march|april|may|june|july|august|september|october|november|december)"
_SEASONS = "(?:summer|winter|spring|fall|autumn|semester)"
_COUNTS = r"(?:\d+|a|an|two|three|four|five|six|seven|eight|nine|ten|several|many|few|a few|couple(?: of)?)"
_HEDGES = "(?:over |almost |about |more than |the (?:last|past) )"

TIMES = alternatives(
    rf"""tomorrow / over the weekend / back in \d{{4}} / (?:last|next|this past|this)
    (?:week|weekend|month|year|{_SEASONS}|{_DAYS}|{_MONTHS}) / (?:{_COUNTS} )?(?:day|week|month|year)s? ago / in
    {_COUNTS} (?:day|week|month|year)s? / (?:on|by|since|until|till|from) (?:the )?(?:{_DAYS}|{_MONTHS} \d|\d) /
    (?:in|since|during|until|till|from|by|through|of|early|late|mid|mid-) ?(?:{_MONTHS}|(?:19|20)\d\d)\b / in (?:the
    )?{_SEASONS} / (?:at|over|for) (?:christmas|easter|new year|thanksgiving) / {_MONTHS} \d{{1,2}} /
    \d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTHS} / when i was (?:\d+|a kid|a child|little|young|\w+ years old)"""
)

LONG_TIMES = alternatives(
    rf"""last (?:year|{_SEASONS}|{_MONTHS}) / (?:in|since) (?:early |late )?(?:{_MONTHS}|(?:19|20)\d\d)\b / in (?:the
    )?{_SEASONS} / (?:{_COUNTS} )?years? ago / {_COUNTS} months ago"""
)
"""Times that people name of what they remember for long."""

TIMES_OF_DAY = alternatives("""yesterday / tonight / the other day / last night / this (?:morning|afternoon|evening)""")
"""Times of a day that is soon forgotten."""

DATES = alternatives(
    rf"""(?:on|by|until|before|for) (?:the )?(?:\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTHS}|{_MONTHS} \d|{_DAYS}) /
    (?:in|by|before|at the end of|end of|until) (?:{_MONTHS}|20\d\d)\b / next
    (?:{_DAYS}|week|month|year|{_SEASONS}|{_MONTHS}) / tomorrow"""
)
"""Times of what is due or comes."""

SPANS = alternatives(
    rf"""for {_HEDGES}*(?:{_COUNTS} )?(?:weeks|months?|years?|decades?|ages)\b / for {_HEDGES}*(?:\w+
    )(?:weeks|months?|years?|decades?)\b / since (?:(?:the )?(?:19|20)?\d\ds?|{_MONTHS}|{_SEASONS}|i
    was|childhood|birth|kindergarten|high school|college| university|school|(?:last|this)
    (?:year|month|{_SEASONS}|{_MONTHS})|my|our|the (?:pandemic|war)) / my (?:whole|entire) life / all my life / half
    my life"""
)
"""Expressions of how long something has been so."""
