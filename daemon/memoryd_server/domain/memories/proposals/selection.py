"""The check of what a model proposes: it chooses among the clauses of a message, and can add nothing to them."""

import enum
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from memoryd_server.domain.memories.kinship.claim import LANGUAGES
from memoryd_server.domain.memories.kinship.wording import bare_words
from memoryd_server.domain.memories.proposals.batch import Batch, choices_of
from memoryd_server.domain.memories.proposals.proposal import Proposal, StatementKind
from memoryd_server.domain.memories.proposals.statement import TRAILING, Clause

SELECTED_PER_TEXT_MAX = 5
"""Maximum number of proposals for one text: nobody states more in a message that is worth remembering."""
SELECTED_MAX = 64
"""Maximum number of proposals for all texts that a model is shown at a time."""

_NEGATIONS = frozenset[str]().union(*(each.negations for each in LANGUAGES))


class Suggestion(msgspec.Struct, frozen=True):
    """An unchecked proposal of a model. ``number`` is that of the text, ``evidence`` the sentence that has ``text``."""

    number: int
    evidence: str
    text: str
    kind: StatementKind


class Fault(enum.Enum):
    """A reason to drop a suggestion. The values are those of the log."""

    MALFORMED = "malformed"
    NUMBER = "number"
    EVIDENCE = "evidence"
    TEXT = "text"
    NEGATION = "negation"
    REPEATED = "repeated"
    SURPLUS = "surplus"


class Selection(msgspec.Struct, frozen=True):
    """The proposals for each text of a batch, and how many suggestions were dropped, by their faults."""

    proposals: Sequence[Sequence[Proposal]]
    dropped: Mapping[Fault, int]


def selected(suggestions: Iterable[Suggestion], batch: Batch) -> Selection:
    """Return what remains of a model's suggestions.

    A suggestion must name a text that was shown, one of its sentences, and a clause of that, word for word but for
    spaces, apostrophes and the punctuation at its end. A clause that loses a negation with the remark behind it is
    dropped. A sentence that several texts have is evidence in each.
    """
    chosen: dict[str, dict[str, Proposal]] = {}
    counts: Counter[int] = Counter()
    dropped: Counter[Fault] = Counter()
    shown = {each.number: each.sentences for each in batch.shown}
    for suggestion in suggestions:
        found = _proposal_of(suggestion, shown.get(suggestion.number))
        if isinstance(found, Proposal) and found.text in chosen.get(found.sentence, {}):
            found = Fault.REPEATED
        elif counts[suggestion.number] == SELECTED_PER_TEXT_MAX or counts.total() == SELECTED_MAX:
            found = Fault.SURPLUS
        if isinstance(found, Fault):
            dropped[found] += 1
            continue
        counts[suggestion.number] += 1
        chosen.setdefault(found.sentence, {})[found.text] = found
    return Selection([_proposals_of(sentences, chosen) for sentences in batch.texts], dropped)


def _proposals_of(sentences: Iterable[str], chosen: Mapping[str, Mapping[str, Proposal]]) -> Sequence[Proposal]:
    """Return the proposals for one text. One that states the same twice has it once."""
    found: dict[str, Proposal] = {}
    for sentence in sentences:
        for proposal in chosen.get(sentence, {}).values():
            found.setdefault(proposal.text.casefold(), proposal)
    return list(found.values())


def _proposal_of(suggestion: Suggestion, sentences: Sequence[str] | None) -> Proposal | Fault:
    if sentences is None:
        return Fault.NUMBER
    evidence = _plain(suggestion.evidence)
    sentence = next((each for each in sentences if _plain(each) == evidence), None)
    if sentence is None:
        return Fault.EVIDENCE
    clause = _clause_of(sentence, _plain(suggestion.text))
    if clause is None:
        return Fault.TEXT
    if _denials_in(clause.whole) != _denials_in(clause.text):
        return Fault.NEGATION
    return Proposal(suggestion.kind, clause.text, sentence)


def _clause_of(sentence: str, text: str) -> Clause | None:
    clauses = choices_of(sentence)
    for clause in clauses:
        if text in (_plain(clause.text), _plain(clause.whole)):
            return clause
    # With the "Well," before it.
    return clauses[0] if len(clauses) == 1 and text == _plain(sentence) else None


def _plain(text: str) -> str:
    return " ".join(text.replace("\u2019", "'").split()).rstrip(TRAILING)


def _denials_in(text: str) -> Counter[str]:
    return Counter(word for word in bare_words(text) if word in _NEGATIONS)
