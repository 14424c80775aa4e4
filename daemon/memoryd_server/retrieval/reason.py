"""The reasons for which a memory was found, as they are returned with it."""

from memoryd_server.ports.retrieval import Match, MentionedTime
from memoryd_server.retrieval.agreement import Agreement
from memoryd_server.retrieval.holdings import Holdings


def reason_of(
    holdings: Holdings, agreement: Agreement, row: int, score: float, salience: float, led_from: int | None
) -> Match:
    """Return the match of a row, with its reasons."""
    terms, own = agreement.terms, agreement.terms.terms_at(row)
    near: set[str] = set()
    if not own >= agreement.looked_for.keys():
        near.update(*(terms.terms_at(each, with_speaker=False) for each in holdings.conversations.around(row)))
    matched, context = [], []
    for term, word in agreement.looked_for.items():
        if term in own:
            matched.append(word)
        elif term in near or holdings.calendar.has(row, term):
            context.append(word)
    texts = (period.phrase.text for period in agreement.periods if period.rows[row])
    memory = holdings.table.memory_at(row)
    return Match(
        memory.memory_id,
        score,
        words=float(agreement.words[row]),
        meaning=float(agreement.meaning[row]),
        salience=salience,
        linked_from=holdings.table.memory_at(led_from).memory_id if led_from is not None else "",
        matched_words=tuple(matched),
        context_words=tuple(context),
        time_phrase=next(texts, ""),
        mentioned_times=tuple(
            MentionedTime(memory.content[each.first : each.last], each.start, each.end)
            for each in holdings.calendar.mentions.at(row)
        ),
    )
