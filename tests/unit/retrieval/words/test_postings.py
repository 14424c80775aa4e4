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
