"""Claims: what a sentence says of which subject, as an attribute with a value."""

import re
from collections.abc import Iterator, Sequence

import msgspec

from memoryd_server.domain.memories.kinship.attribute import is_of_kind
from memoryd_server.domain.memories.kinship.english import ENGLISH
from memoryd_server.domain.memories.kinship.german import GERMAN
from memoryd_server.domain.memories.kinship.language import Exclusion, Language, Relation
from memoryd_server.domain.memories.kinship.sentence import Sentence

LANGUAGES = (ENGLISH, GERMAN)

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_MOMENT = re.compile(r"[dt]:")
_SUBJECT_WORDS_MAX = 8
"""Maximum words of a subject: longer ones are clauses, of which little can be said by form."""
_VALUE_WORDS_MAX = 12
"""Maximum words behind a verb, for the same reason."""
_NOUN_WORDS_MAX = 3
"""Maximum words of a name of an attribute, as "date of birth" has."""


class Claim(msgspec.Struct, frozen=True):
    """An attribute of a subject and its value.

    ``subject`` and ``value`` are words. ``contexts`` are the circumstances under which it is claimed, such as "in the
    evening", and ``moments`` the times among them. ``loser`` is what the value is preferred to. ``rest`` is what else
    the sentence says of it. ``is_event`` is true if the sentence says how the value came about ("moved to"),
    ``is_implied`` if it says something else, from which this follows.
    """

    subject: frozenset[str]
    attribute: str
    value: tuple[str, ...]
    exclusion: Exclusion
    language: Language
    is_negative: bool = False
    is_event: bool = False
    is_implied: bool = False
    has_contexts: bool = False
    contexts: frozenset[str] = frozenset()
    moments: frozenset[str] = frozenset()
    loser: tuple[str, ...] = ()
    rest: tuple[str, ...] = ()


def claims_in(sentence: Sentence) -> Sequence[Claim]:
    """Return the claims of a sentence, in their order; none if it says what is not so, or not certain."""
    return [] if sentence.is_question else list(_claims(sentence))


def _claims(sentence: Sentence) -> Iterator[Claim]:
    language = sentence.language
    text = language.rewritten(" ".join(word for word in sentence.words if word not in language.fillers))
    first_subject: tuple[str, ...] = ()
    for verb, before, behind in _clauses(text, language):
        parts = _subject_of(before, language)
        if parts is None:
            continue
        subject, is_negative, is_certain = parts
        if first_subject and (not subject or (len(subject) == 1 and subject[0] in language.pronouns)):
            subject = first_subject
        first_subject = first_subject or subject
        is_unknown = len(subject) == 1 and subject[0] in language.pronouns and not sentence.is_all
        if subject and is_certain and not is_unknown:
            relation = language.relations[int((verb.lastgroup or "r0")[1:])]
            yield from _claim_of(relation, subject, is_negative, behind, sentence)


def _clauses(text: str, language: Language) -> Iterator[tuple[re.Match[str], list[str], list[str]]]:
    """Yield each verb phrase of a sentence that begins a clause, with the words before and behind it.

    A verb phrase without a boundary before it is a part of the value of the one before: "likes what is new".
    """
    verbs: list[re.Match[str]] = []
    befores: list[list[str]] = []
    behinds: list[list[str]] = []
    for verb in language.relation_pattern.finditer(text):
        if verbs:
            between = text[verbs[-1].end() : verb.start()].split()
            places = [place for place, word in enumerate(between) if word in language.boundaries]
            if not places:
                continue
            behinds.append(between[: places[-1]])
            befores.append(between[places[-1] + 1 :])
        else:
            befores.append(text[: verb.start()].split())
        verbs.append(verb)
    if verbs:
        behinds.append(text[verbs[-1].end() :].split())
    yield from zip(verbs, befores, behinds, strict=True)


def _subject_of(words: list[str], language: Language) -> tuple[tuple[str, ...], bool, bool] | None:
    """Return the words of a subject, whether it is denied, and whether what is said of it is so, now and certainly.

    None if the words are no subject.
    """
    ending: list[str] = []
    while words and words[-1] in language.before_verbs:
        ending.append(words[-1])
        words = words[:-1]
    if words and words[0] in language.adverbs:
        words = words[1:]
    if any(word in language.reporting for word in words) or len(words) > _SUBJECT_WORDS_MAX:
        return None
    is_negative = any(word in language.negations for word in ending)
    is_certain = not any(word in language.past or word in language.uncertain for word in ending)
    is_certain = is_certain and not any(word in language.uncertain for word in words)
    return tuple(word for word in words if word != ","), is_negative, is_certain


def _claim_of(
    relation: Relation,
    subject: tuple[str, ...],
    is_negative: bool,
    behind: list[str],
    sentence: Sentence,
) -> Iterator[Claim]:
    language = sentence.language
    if relation.attribute == "count":
        yield from _count(subject, behind, language)
        return
    behind, denied, is_certain = _value_of(behind, language)
    if not is_certain or len(behind) > _VALUE_WORDS_MAX:
        return
    negative = is_negative ^ denied ^ relation.is_negative
    if relation.attribute == "be":
        claims = _be(subject, behind, negative, sentence)
        yield from (msgspec.structs.replace(each, is_event=relation.is_event) for each in claims)
        return
    value, rest = _cut(behind, language)
    loser: tuple[str, ...] = ()
    if relation.attribute == "preference" and rest and rest[0] in language.comparisons:
        loser, rest = _loser(rest, language)
    subject, attribute = _bare(subject, language), relation.attribute
    has_contexts = relation.has_contexts
    exclusion = relation.exclusion
    if relation.attribute == "use" and len(rest) > 1 and rest[0] in language.possessive:
        # "We use X for Y" says what "Y uses X" says.
        subject, rest, exclusion = _bare(tuple(rest[1:]), language), [], Exclusion.ANY
    if not value:
        return
    if relation.is_inverse:
        subject, value = _bare(tuple(value), language), list(subject)
    if relation.implied_class:
        implied, name = [relation.implied_value], f"class {relation.implied_class}"
        made = _made(subject, name, implied, rest, Exclusion.ANY, language, negative)
        yield msgspec.structs.replace(made, is_implied=True, is_event=relation.is_event)
    yield Claim(
        frozenset(subject),
        attribute,
        _canonical(value, language),
        exclusion,
        language,
        negative,
        relation.is_event,
        has_contexts=has_contexts,
        contexts=frozenset(rest) if has_contexts else frozenset(),
        moments=_moments(rest, language),
        loser=_canonical(list(loser), language),
        rest=tuple(rest),
    )


def _value_of(words: list[str], language: Language) -> tuple[list[str], bool, bool]:
    """Return the words of a value without adverbs, whether they deny, and whether they say what is so now."""
    denied, kept = False, list(words)
    while len(kept) > 1 and kept[-1] in language.participles:
        kept.pop()
    if len(kept) > 1 and kept[0].endswith(language.adverb_ending):
        kept = kept[1:]
    while kept and kept[0] in language.adverbs | language.negations | language.past | language.uncertain:
        word = kept.pop(0)
        if word in language.negations:
            denied = not denied
        elif word in language.past or word in language.uncertain:
            return kept, denied, False
    while kept and kept[-1] in language.adverbs:
        if kept.pop() in language.ended:
            denied = True
    return kept, denied, not any(word in language.over for word in kept)


def _cut(words: list[str], language: Language) -> tuple[list[str], list[str]]:
    """Return the words of a value up to its first qualifier, and the rest."""
    for place, word in enumerate(words):
        if place and word in language.qualifiers:
            return words[:place], words[place:]
    return words, []


def _loser(rest: list[str], language: Language) -> tuple[tuple[str, ...], list[str]]:
    words = rest[1:]
    if words and words[0] in language.comparisons | language.possessive:
        words = words[1:]
    loser, left = _cut(words, language)
    return tuple(loser), left


def _moments(words: Sequence[str], language: Language) -> frozenset[str]:
    """Return the words for times among those of a qualifier. Since when something is so does not matter."""
    found = set()
    for place, word in enumerate(words):
        is_since = any(each in language.since for each in words[max(place - 2, 0) : place])
        if (word in language.moment_words or _MOMENT.match(word)) and not is_since:
            found.add(word.removesuffix("s"))
    return frozenset(found)


def _bare(words: tuple[str, ...], language: Language) -> tuple[str, ...]:
    kept = [word for word in words if word not in language.articles and word != "'s"]
    return tuple(word.removesuffix("s") if len(word) > 3 else word for word in kept)


def _canonical(words: Sequence[str], language: Language) -> tuple[str, ...]:
    kept = [word for word in words if word not in language.articles and word not in (",", "'s")]
    return tuple(language.canonical(" ".join(kept)).split())


def _count(subject: tuple[str, ...], behind: list[str], language: Language) -> Iterator[Claim]:
    value, rest = _cut(behind, language)
    if len(value) < 2:
        return
    amount = value[0] if _is_number(value[0]) else "0"
    noun = language.canonical(" ".join(value[1:]))
    yield Claim(
        frozenset(_bare(subject, language)),
        f"number of {noun.removesuffix('s')}",
        (amount,),
        Exclusion.ANY,
        language,
        moments=_moments(rest, language),
        rest=tuple(rest),
    )


def _is_number(word: str) -> bool:
    return _NUMBER.fullmatch(word) is not None


def _be(subject: tuple[str, ...], behind: list[str], is_negative: bool, sentence: Sentence) -> Iterator[Claim]:
    """Yield the claim of "subject is value": of a named attribute, a class, a place, a time or none of these."""
    language = sentence.language
    named = _attribute_of(subject, behind, sentence)
    if named is not None:
        yield _made(*named, Exclusion.ANY, language, is_negative)
        return
    value, rest = _cut(behind, language)
    for held, left in ((behind, []), (value, rest)):
        name = language.class_of(held)
        if name is not None:
            attribute = "job" if name == "profession" else f"class {name}"
            yield _made(subject, attribute, held, left, Exclusion.ANY, language, is_negative)
            return
    is_moment = any(_MOMENT.match(word) or word in language.moment_words for word in value[:1])
    if _is_age(behind, language):
        yield _made(subject, "age", behind[:1], [], Exclusion.ANY, language, is_negative)
    elif behind and behind[0] in language.places | language.moments and len(behind) > 1:
        yield from _placed(subject, behind, is_negative, language)
    elif is_moment and _is_event(subject, language):
        yield _made(subject, "time", behind, [], Exclusion.ANY, language, is_negative)
    elif value:
        yield _made(subject, "be", value, rest, Exclusion.OPPOSITE, language, is_negative)


def _attribute_of(
    subject: tuple[str, ...], behind: list[str], sentence: Sentence
) -> tuple[tuple[str, ...], str, list[str], list[str]] | None:
    """Return the owner, the attribute, its value and the rest for "Ann's boss is Carl", or "Carl is Ann's boss"."""
    language, whole = sentence.language, tuple(behind)
    named = _named(subject, language)
    if named is not None:
        value, rest = _cut(behind[1:] if behind and behind[0] in language.moments else behind, language)
        if is_of_kind(named[1], value, sentence.names, language):
            return *named, value, rest
    elif _is_own_name(subject, behind, sentence):
        place = len(subject) - 1 - subject[::-1].index("'s")
        return subject[:place], " ".join(subject[place + 1 :]), behind, []
    turned = _named(whole, language) if "'s" in whole or any(word in language.possessive for word in whole) else None
    if turned is not None and is_of_kind(turned[1], subject, sentence.names, language):
        return *turned, list(subject), []
    return None


def _is_own_name(subject: Sequence[str], behind: Sequence[str], sentence: Sentence) -> bool:
    """Return True for "Ann's gym is FitX": what she has one of, and a name, perhaps behind an article."""
    language = sentence.language
    if not language.has_names or "'s" not in subject or subject[-1] in language.many or subject[-1].endswith("s"):
        return False
    name = [word for word in behind if word not in language.articles]
    return (
        bool(name) and len(behind) - len(name) <= 1 and all(word in sentence.names or _is_number(word) for word in name)
    )


def _is_age(words: list[str], language: Language) -> bool:
    return bool(words) and _is_number(words[0]) and (len(words) == 1 or " ".join(words[1:]) in language.ages)


def _is_event(subject: Sequence[str], language: Language) -> bool:
    return any(word in language.events or word.removesuffix("s") in language.events for word in subject)


def _placed(subject: tuple[str, ...], behind: list[str], is_negative: bool, language: Language) -> Iterator[Claim]:
    is_time = any(_MOMENT.match(word) or word in language.moment_words for word in behind[1:3])
    if is_time:
        if _is_event(subject, language):
            yield _made(subject, "time", behind[1:], [], Exclusion.ANY, language, is_negative)
    elif behind[0] in language.places and not _is_number(behind[1]):
        value, rest = _cut(behind[1:], language)
        yield _made(subject, "place", value, rest, Exclusion.ANY, language, is_negative)


def _made(
    subject: Sequence[str],
    attribute: str,
    value: Sequence[str],
    rest: Sequence[str],
    exclusion: Exclusion,
    language: Language,
    is_negative: bool,
) -> Claim:
    return Claim(
        frozenset(_bare(tuple(subject), language)),
        attribute,
        _canonical(value, language),
        exclusion,
        language,
        is_negative,
        moments=_moments(rest, language),
        rest=tuple(rest),
    )


def _named(words: Sequence[str], language: Language) -> tuple[tuple[str, ...], str] | None:
    """Return whose attribute the words name, and which; None if they name none.

    "Ann's birthday" names the birthday of ann.
    """
    if not words or words[0] in language.indefinite:
        return None
    name, owner = list(words), list[str]()
    for place, word in enumerate(words):
        if word in language.possessive:
            name, owner = name[:place], name[place + 1 :]
            break
    if "'s" in name:
        place = len(name) - 1 - name[::-1].index("'s")
        name, owner = name[place + 1 :], name[:place] + owner
    name = [word for word in name if word not in language.articles and word not in language.neutral]
    for place, word in enumerate(name):
        if word.startswith(language.definite_beginnings or ("\0",)):
            return (*name[:place], *owner), language.canonical(" ".join(name[place:]))
    chosen = next((place for place, word in enumerate(name) if word in language.definite), None)
    if chosen is not None and len(name) > chosen + 1:
        return (*name[:chosen], *owner), language.canonical(" ".join(name[chosen:]))
    for count in range(min(_NOUN_WORDS_MAX, len(name)), 0, -1):
        attribute = language.nouns.get(" ".join(name[-count:]))
        if attribute is not None:
            return (*name[:-count], *owner), attribute
    return None
