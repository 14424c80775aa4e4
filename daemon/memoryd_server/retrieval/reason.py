"""Reasons: why a memory was found, for who asks."""

from memoryd_server.ports.retrieval import Match
from memoryd_server.retrieval.agreement import Agreement
from memoryd_server.retrieval.holdings import Holdings


def reason_of(
    holdings: Holdings, agreement: Agreement, row: int, score: float, salience: float, led_from: int | None
) -> Match:
    """The match of a row, with its reasons."""
    own = {term for term in agreement.looked_for if holdings.terms.has(row, term)}
    context = {term for term in agreement.looked_for if term not in own and _is_around(holdings, row, term)}
    phrase = agreement.phrase
    return Match(
        holdings.table.memory_at(row).memory_id,
        score,
        words=float(agreement.words[row]),
        meaning=float(agreement.meaning[row]),
        salience=salience,
        linked_from=holdings.table.memory_at(led_from).memory_id if led_from is not None else "",
        matched_words=tuple(word for term, word in agreement.looked_for.items() if term in own),
        context_words=tuple(word for term, word in agreement.looked_for.items() if term in context),
        time_phrase=phrase.text if phrase is not None and agreement.timely[row] else "",
    )


def _is_around(holdings: Holdings, row: int, term: str) -> bool:
    """Whether the neighbours in the conversation say a term, or the memory's date has it."""
    return holdings.calendar.has(row, term) or any(
        holdings.terms.says(neighbour, term) for neighbour in holdings.conversations.around(row)
    )
