from memoryd_server.tokenization.recent_count import RecentCounts


def counted(recent: RecentCounts, text: str, tokenizer: str = "t", count: int = 1) -> tuple[int, bool]:
    """The count, and whether it was counted anew."""
    asked: list[None] = []

    def counting() -> int:
        asked.append(None)
        return count

    return recent.count(text, tokenizer, counting), bool(asked)


def test_a_text_is_counted_once_for_each_tokenizer() -> None:
    recent = RecentCounts()
    assert counted(recent, "a fox", count=2) == (2, True)
    assert counted(recent, "a fox", count=9) == (2, False)
    assert counted(recent, "a fox", tokenizer="other", count=3) == (3, True)


def test_what_was_not_asked_for_longest_is_forgotten() -> None:
    recent = RecentCounts(kept_max=2)
    counted(recent, "a")
    counted(recent, "b")
    counted(recent, "a")
    counted(recent, "c")
    assert len(recent) == 2
    assert [counted(recent, text)[1] for text in ("a", "c", "b")] == [False, False, True]


def test_a_count_of_zero_is_remembered_and_odd_text_is_counted() -> None:
    recent = RecentCounts()
    assert counted(recent, "", count=0) == (0, True)
    assert counted(recent, "", count=5) == (0, False)
    assert counted(recent, "\ud800", count=1) == (1, True)
