"""The reasons for which a memory was found, as they are returned with it."""

from memoryd_server.ports.retrieval import Match
from memoryd_server.retrieval.agreement import Agreement
from memoryd_server.retrieval.holdings import Holdings


def reason_of(
    holdings: Holdings, agreement: Agreement, row: int, score: float, salience: float, led_from: int | None
) -> Match:
    """Return the match of a row, with its reasons."""
    terms, around = agreement.terms, tuple(holdings.conversations.around(row))
    matched, context = [], []
    for term, word in agreement.looked_for.items():
        if terms.has(row, term):
            matched.append(word)
        elif any(terms.has(near, term, with_speaker=False) for near in around) or holdings.calendar.has(row, term):
            context.append(word)
    phrase = agreement.phrase
    return Match(
        holdings.table.memory_at(row).memory_id,
        score,
        words=float(agreement.words[row]),
        meaning=float(agreement.meaning[row]),
        salience=salience,
        linked_from=holdings.table.memory_at(led_from).memory_id if led_from is not None else "",
        matched_words=tuple(matched),
        context_words=tuple(context),
        time_phrase=phrase.text if phrase is not None and agreement.timely[row] else "",
    )
