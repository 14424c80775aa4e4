"""The forms of English clauses in which people state lasting things of themselves and of those who belong to them.

A clause that has none of these forms is not proposed: a missed statement costs less than a false memory.
"""

import re

from memoryd_server.domain.memories.kinship.english import ENGLISH
from memoryd_server.domain.memories.proposals import moment, verb, word
from memoryd_server.domain.memories.proposals.fact import FACTS
from memoryd_server.domain.memories.proposals.pattern import DECISIONS, EVENTS, PREFERENCES
from memoryd_server.domain.memories.proposals.proposal import StatementKind

_PARTS = {
    **{name: words for module in (word, verb, moment) for name, words in vars(module).items() if name.isupper()},
    "I": r"(?:(?:(?:my|our) [\w-]+|(?-i:[A-Z])\w+) and )?(?:i|we)",
    "Have": "(?:i have|i've|we have|we've)",
    "is unable to": "(?:cannot|can't|can not|can no longer|could never)",
    "Am": "(?:i am|i'm|we are|we're)",
    "Will": (
        "(?:we will|we'll|we are going to|we're going to|we won't|we will not|we're not going to|we aren't going to)"
    ),
    "Kin": r"(?:my|our) (?:[\w-]+ ){0,2}?(?:<KIN>)\b(?: (?-i:[A-Z])[\w-]*)?",
    "My": "(?:my|our)",
    "not": "(?:do not |don't |did not |didn't )?",
    "no": "(?:not )?",
    "refuses to": "(?:cannot|can't|can not|can no longer|could never|don't|do not|no longer|never)",
    "adv": "(?:(?:<ADVERBS>) )*",
    "thing": r"(?!(?:<VAGUE_OBJECTS>)\b)\w",
    "kind": r"(?!(?:<VAGUE_OBJECTS>|the|a|an|my|our|another|\d+)\b)[^\W\d]",
    "many": (
        "(?!(?:<VAGUE_OBJECTS>|the|a|an|my|our|another|at|in|on|up|for|with|from|to|out|as|and|or|of|by|into|"
        r"about|over|off|down|away|through|only|just|\w+ly)\b)[^\W\d]"
    ),
    "liked": r"(?!(?:<BOUND_OBJECTS>)\b)(?!.*\b(?:more|better|best|most)$)",
    "other": r"(?!(?:the|how|when|it's|up|to)\b)",
    "some": r"(?:[\w'-]+ ){0,2}",
    "does": r"(?!(?:<CHANCE_VERBS>)\b)(?!\w+ed\b)[a-z]+",
    "owned": r"(?:(?!(?:of|with|in|at|for|about|from|to|on|that|where|by)\b)[\w'-]+ ){0,3}?",
    "event": (
        r"(?:<PAST_VERBS>)\b(?! (?:a |an |some |the |such |so |my )?(?:[\w-]+ )?(?:<EMPTY_OBJECTS>)\b)(?! "
        "(?:<TIMES>|<TIMES_OF_DAY>))"
    ),
    "trifle": r"(?!(?:<TRIFLING_VERBS>)\b)",
    "time": "(?:<TIMES>|<TIMES_OF_DAY>)",
    "long ago": "(?:<TIMES>)",
    "date": "(?:<DATES>)",
    "often": "(?:<FREQUENCIES>)",
    "alone": (
        "(?! (?:problems?|issues?|questions?|accident|trouble|crash|ideas?|loan|payments?|names?|food|"
        "guests?|party|exam|tests?|keys?|lock|service|manual|to (?:fix|repair|return|sell)|waiting|outside|in mind|"
        r"design|plan|cent(?:er|re))\b)"
    ),
    "named": r"(?:(?:an? |the )(?:[\w-]+ ){0,2})?(?!OK\b)(?-i:[A-Z\d])",
    "going": (
        r"(?! (?:(?:the|a|an|some) (?:[\w-]+ )?(?:<EMPTY_OBJECTS>|migrations?|sprint)\b|to (?:the )?(?:store|"
        r"shops?|gym|bed|work|school|supermarket|church|sleep|town|bank|post office|mall)\b))"
    ),
    "later": r"(?!.*\b(?:since|yesterday|ago|tonight|this (?:morning|afternoon|evening)|getting ready)\b)",
    "momentary": (
        r"(?!.*\b(?:today|tonight|tomorrow|now|yet|right now|for now|at the moment|this \w+|lately|until|"
        r"unless)\b)"
    ),
}
"""Meanings of the names in angle brackets, which may have such names in turn. Those in capitals are lists of words."""

_NAME = re.compile("<(" + "|".join(_PARTS) + ")>")


def _in_full(pattern: str) -> str:
    return _NAME.sub(lambda name: _in_full(_PARTS[name[1]]), pattern)


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(_in_full(pattern), re.IGNORECASE)


_FORMS = [
    (kind, _compiled(pattern))
    for kind, patterns in (
        (StatementKind.PREFERENCE, PREFERENCES),
        (StatementKind.DECISION, DECISIONS),
        (StatementKind.FACT, FACTS),
        (StatementKind.EVENT, EVENTS),
    )
    for pattern in patterns
]
_PROFESSION = _compiled(r"<Am> <adv><no>(?:an?|the) (?P<words>[\w' -]+)")
_BEHIND_PROFESSION = re.compile(r"\b(?:at|in|for|with|from|by|and|who|of|on)\b")

_TYPED = re.compile(r"\b(im|ive|weve|dont|didnt|doesnt|cant|wont|isnt|wasnt|arent)\b", re.IGNORECASE)
_WRITTEN = {"im": "i'm", "ive": "i've", "weve": "we've", "cant": "can't", "wont": "won't"}
_SCOPE = re.compile(
    r"(?:now|nowadays|these days|currently|today|at the moment|at (?:work|home|school|uni|university|my job|my "
    r"company|our "
    r"company|the office)|in (?:my|our) (?:job|team|company|family|free time|spare time|house)|since then),? "
    r"(?=(?:i|i'm|i've|we|we're|we've|my|our)\b)",
    re.IGNORECASE,
)
"""A place or a time at which a statement is true, before its subject."""


def kind_of(clause: str) -> StatementKind | None:
    """Return the kind of a clause's statement, None if it has none of the forms.

    Its words have single spaces between them, and its apostrophes are straight.
    """
    written = _SCOPE.sub("", _TYPED.sub(_with_apostrophe, clause), count=1)
    for kind, pattern in _FORMS:
        if pattern.match(written):
            return kind
    return StatementKind.FACT if _names_profession(written) else None


def _with_apostrophe(word: re.Match[str]) -> str:
    typed = word[1].lower()
    return _WRITTEN.get(typed, f"{typed[:-1]}'t")


def _names_profession(clause: str) -> bool:
    named = _PROFESSION.match(clause)
    if named is None:
        return False
    words = _BEHIND_PROFESSION.split(named["words"].lower())[0].split()
    # "a freelance graphic designer" is a designer.
    return any(ENGLISH.class_of(words[start:]) == "profession" for start in range(min(len(words), 4)))
