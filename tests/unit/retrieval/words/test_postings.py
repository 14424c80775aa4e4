import random

import numpy as np

from memoryd_server.retrieval.words.postings import Postings

ROWS = 64


def test_a_kept_mask_follows_what_is_added_and_removed() -> None:
    postings, chance, there = Postings("tea", 0), random.Random(1), set[int]()
    for _ in range(300):
        row = chance.randrange(1, ROWS)
        if row in there:
            postings.remove(row)
            there.remove(row)
        else:
            postings.add(row, 1, is_speaker=False)
            there.add(row)
        mask = np.zeros(ROWS, np.bool_)
        postings.mark(mask)
        assert set(np.flatnonzero(mask).tolist()) == there


def test_rows_of_a_mask_remain_when_others_are_marked() -> None:
    postings = Postings("tea", 0)
    for row in range(1, ROWS, 2):
        postings.add(row, 1, is_speaker=False)
    mask = np.zeros(ROWS, np.bool_)
    mask[2] = True
    postings.mark(mask)
    assert mask[2]


def test_postings_hold_the_rows_that_they_have() -> None:
    postings = Postings("tea", 0)
    for row, is_speaker in ((3, False), (7, True), (9, False)):
        postings.add(row, 127 * (not is_speaker), is_speaker=is_speaker)
    assert postings.holds(np.arange(12)).nonzero()[0].tolist() == [3, 7, 9]


def test_what_a_very_common_term_counts_is_the_same_with_and_without_its_mask() -> None:
    chance, masked, bare, there = random.Random(2), Postings("ann", 0), Postings("ann", 0), set[int]()
    for step in range(400):
        row = chance.randrange(1, ROWS)
        count, is_speaker = (0, True) if chance.random() < 0.97 else (chance.randint(1, 3), chance.random() < 0.5)
        for each in (masked, bare):
            if row in there:
                each.remove(row)
            else:
                each.add(row, count, is_speaker=is_speaker)
        there ^= {row}
        if step % 7 == 0:
            masked.mark(np.zeros(ROWS, np.bool_))
        rows = np.arange(1, ROWS + 20)
        for one, other in zip(masked.at(rows), bare.at(rows), strict=True):
            assert one.tolist() == other.tolist()
        assert masked.said_rows.tolist() == bare.said_rows.tolist()
