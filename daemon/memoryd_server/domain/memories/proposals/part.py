"""The parts of a sentence: its clauses, without what is asked, and without what was said to begin or to end."""

import re
from collections.abc import Iterator

import msgspec

from memoryd_server.domain.memories.proposals.doubt import DENYING
from memoryd_server.domain.memories.proposals.word import alternatives

_OWN_VERBS = alternatives(
    "is / isn't / are / aren't / was / were / has / have / had / got / will / lives? / works? / can / can't / "
    "does / do / doesn't / don't / uses / runs / loves / likes / hates / died / moved / needs? / owns / plays / "
    "just / also / "
    "starts? / teaches / faces? / gets? / goes / leaves? / ends? / expires? / blocks? / "
    "speaks? / only / turned / won't / turns"
)
_OWN = (
    r"(?:(?:i|i'm|im|i've|ive|i'll|i'd|we'll|we|we're|we've|weve)\s|"
    rf"(?:my|our)\s(?:[\w-]+'s\s|(?:[\w'-]+\s){{1,4}}(?:{_OWN_VERBS})\b))"
)
_WHEN = (
    r"(?:(?:now|nowadays|these days|currently|today|yesterday|last (?:week|month|year)|"
    r"at (?:work|home|school|uni)),?\s+)?"
)
_SUBJECT = f"{_WHEN}{_OWN}"
"""The beginning of a clause about the author or those who belong to them."""

_OPENING = re.compile(
    r"(?:(?:yeah|yes|yep|yup|no|nope|nah|well|oh|ah|aw+|wow|actually|so|and|but|also|hey|hi|hello|thanks|thank you|"
    r"thx|ok|okay|k|right|sure|by the way|btw|fyi|honestly|luckily|unfortunately|sadly|fortunately|anyway|hmm+|haha+|"
    r"lol|absolutely|totally|definitely|of course|same|true|cool|great|nice|awesome|perfect|likewise|plus|personally|"
    r"as for me|for me|you know|as you know|sorry|then|because|since|as|given that|seeing that|now that|though|"
    r"although|just so you know|for context|for the record|in general|(?:please )?(?:note|remember|keep in mind)(?: "
    r"that)?|the thing is|in fact|to be honest|tbh|god no|good|fine|hm|ps|p\.s\.|update|edit|correction|about me|for "
    r"reference|(?:some |quick )?background)"
    rf"(?:,? (?-i:[A-Z])[\w-]+)?(?:[,!.:\u2026-]+\s*|\s+(?={_SUBJECT})))+",
    re.IGNORECASE,
)
"""Words before a statement that do not change it."""

_OTHER = (
    r"(?:you|it|it's|its|he|he's|she|she's|they|they're|that|that's|this|there|there's|please|pls|who|let's|thanks|"
    r"thank you|mention|add|make|give|suggest|recommend|keep in mind|remember|note|just so|just fyi|ok|okay|right|"
    r"sorry|(?:[\w-]+\s){1,3}(?:is|are|was|were|isn't|aren't|should|will)\b)"
)
_JOINT = re.compile(
    rf"(?:,|;)?\s+(?P<joined>and|but)\s+(?:also\s+|then\s+|so\s+)?(?={_SUBJECT})|;\s+"
    rf"|,\s+(?:(?:so|then|plus|also|because|since|as|though)\s+)?(?={_SUBJECT})"
    r"|(?<!not)(?<!just)(?<!only)(?<!n't)(?<!soon)(?<!long)(?<!far)(?<!well)(?<!much)\s+(?:because|since|as)\s+"
    r"(?=(?:i'm|im|i am|i've|i have|my|we're|we have)\s)"
    rf"|\s+(?:lol|lmao|haha+|sorry|thx|tho|anymore|atm|rn)\s+(?={_SUBJECT})"
    r"|(?P<run_on>(?<=\d)|(?<=\d\w))\s+(?=(?:i|im|i'm|ive|i've) \w)"
    r"|\s+(?:and|but|so)\s+(?=(?:this|that|it|he|she|they|you|there)\b)"
    rf"|\s+[-\u2013\u2014]+\s+(?={_SUBJECT})"
    rf"|,\s+(?={_OTHER}\b)",
    re.IGNORECASE,
)
"""The place between two clauses, of which the second has a subject of its own."""
_LEAD = re.compile(
    rf"{_SUBJECT}|(?:no|nope|not|without|can'?t|cannot|don'?t|dont|nothing|never|yes|{_OTHER}|suggest|recommend|"
    rf"give|show|find|"
    r"book|plan|explain|list|skip|avoid|keep|the)\b",
    re.IGNORECASE,
)
"""The beginning of what may stand before a comma without changing the statement behind it."""

# Typists end a refusal with a number, without a comma: "cant do 8h i work".
_REFUSAL = re.compile(r"(?:no|nope|not|can'?t|cannot|won'?t|don'?t)\s", re.IGNORECASE)
_NAMED = re.compile(r"(?:(?:my|our) (?:[\w-]+ ){0,2}[\w-]+|(?-i:[A-Z])\w+)", re.IGNORECASE)

_AUXILIARIES = (
    r"(?:do|does|did|is|are|am|was|were|can|could|would|will|should|shall|have|has|may|must|don't|doesn't|didn't|"
    r"isn't|aren't|wasn't|can't|couldn't|won't|wouldn't|shouldn't|haven't|hasn't|dont|cant|isnt)"
)
_ASKED = r"(?:i|you|u|we|it|he|she|they|this|that|there|these|those|the|my|your|a|an|anyone|anybody|someone)"
_PERSON = r"(?:i|you|u|we|it|he|she|they|this|that|there)"
_ASKING_WORDS = (
    r"(?:(?:what|how|where|why|which|who|whose|whom|when(?! i was))\b|(?:what|how|where|who)'s\b|"
    r"any (?:idea|ideas|tips|advice|suggestions?)\b|(?:and )?(?:you|yours|u)\s*\?|right\s*\?)"
)
_ASKING = re.compile(
    r"(?:^|[,;:.!\u2013\u2014]\s*|\s-+\s*)(?:so |and |but |then |also |please )?"
    rf"(?:{_AUXILIARIES}\s+{_ASKED}\b|{_ASKING_WORDS})"
    rf"|\b(?:and|so|but|or|then)\s+(?:{_AUXILIARIES}\s+{_PERSON}\b|{_ASKING_WORDS})"
    # Typists ask without a comma, too.
    r"|\s(?:(?:can|could|would|will|do|did|are) (?:you|u)|(?:should|can|could|do|must) i|is there an?|are there any|"
    r"(?:what|how|where|when|why|which \w+) (?:should|can|could|do|would|must) (?:i|we|you|u))\b",
    re.IGNORECASE,
)
"""The beginning of a question."""
_ASKED_WITHIN = re.compile(rf"\b(?:{_AUXILIARIES}\s+{_ASKED}|what|how|where|why|which|who|whether)\b", re.IGNORECASE)
_PARENTHESIS = re.compile(rf"\((?={_SUBJECT})([^()?]*)\)", re.IGNORECASE)
_BEHIND_QUESTION = re.compile(
    r"[^,]*,\s+(?=(?:i'm|im|i've|ive|i am|i have|i live|i work|i don'?t|i can'?t|we're|we have|"
    r"my (?:[\w-]+ ){1,3}(?:is|has|are|have))\s)",
    re.IGNORECASE,
)
"""A question of a typist, and the comma behind it."""
_SUBORDINATE = re.compile(
    r"\b(?:when|if|that|think|thinks|sa(?:y|ys|id)|t(?:ell|old)|because|while|whenever|whether)\b", re.IGNORECASE
)
_FORMULA = re.compile(
    r",?\s+(?:(?:if|in case) (?:that|it) (?:helps|matters|is relevant)|if you(?:'re curious| must know| ask me| "
    r"wonder)"
    r"|just so you know|(?<!do )(?<!did )you know(?: that)?|mind you)(?=\s*(?:[,.!;]|$))",
    re.IGNORECASE,
)
"""Politeness behind a statement, which changes nothing of it."""


class Part(msgspec.Struct, frozen=True):
    """A part of a sentence. ``is_joined`` is true if "and" or "but" without a comma joins it to the part before."""

    start: int
    end: int
    is_joined: bool = False


def stated_in(sentence: str) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each text of a sentence that does not ask: before, within or behind a question."""
    for enclosed in _PARENTHESIS.finditer(sentence):
        yield enclosed.start(1), enclosed.end(1)
    end = _stated_end(sentence)
    if end > 0:
        yield 0, end
    elif "?" not in sentence:
        # Typists ask first: "what can i cook, im vegetarian".
        behind = _BEHIND_QUESTION.match(sentence)
        if behind is not None and not _SUBORDINATE.search(behind[0]):
            yield behind.end(), len(sentence)


def _stated_end(sentence: str) -> int:
    """Return where the statements of a sentence end and its question begins: 0 if it asks as a whole."""
    asking = _ASKING.search(sentence)
    if asking is not None:
        return 0 if DENYING.search(sentence[asking.start() :]) else asking.start()
    if "?" not in sentence:
        return len(sentence)
    last = max(_JOINT.finditer(sentence), key=lambda joint: joint.start(), default=None)
    if last is None or not _ASKED_WITHIN.search(sentence, last.end()) or DENYING.search(sentence[last.end() :]):
        return 0
    return last.start()


def without_formulas(sentence: str) -> str:
    """Return a sentence of the same length with spaces for the politeness in it."""
    return _FORMULA.sub(lambda formula: " " * len(formula[0]), sentence)


def parts_of(sentence: str, start: int) -> Iterator[Part]:
    """Yield the parts of a sentence from a place in it that may be understood each by itself."""
    opening = _OPENING.match(sentence, start)
    start = start if opening is None else opening.end()
    is_joined = False
    for joint in _JOINT.finditer(sentence, start):
        if "," in joint[0] and joint["joined"] is None and not _LEAD.match(sentence, start):
            continue
        # "My partner and I" is one subject.
        if joint["joined"] is not None and _NAMED.fullmatch(sentence, start, joint.start()):
            continue
        if joint["run_on"] is not None and not _REFUSAL.match(sentence, start):
            continue
        yield Part(start, joint.start(), is_joined)
        start = joint.end()
        is_joined = joint["joined"] is not None and not joint[0].startswith((",", ";"))
    yield Part(start, len(sentence), is_joined)
