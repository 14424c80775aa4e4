from concurrent.futures import ThreadPoolExecutor

from memoryd_server.models.tokenization.recent_count import RecentCounts


def test_a_count_is_cached_for_each_tokenizer() -> None:
    recent = RecentCounts()
    assert recent.find("a fox", "t") is None
    recent.keep("a fox", "t", 2)
    recent.keep("a fox", "other", 3)
    assert (recent.find("a fox", "t"), recent.find("a fox", "other"), recent.find("a hen", "t")) == (2, 3, None)


def test_counts_of_zero_and_of_lone_surrogates_are_cached() -> None:
    recent = RecentCounts()
    recent.keep("", "t", 0)
    recent.keep("\ud800", "t", 1)
    assert (recent.find("", "t"), recent.find("\ud800", "t")) == (0, 1)


def test_the_least_recently_used_counts_above_the_maximum_are_evicted() -> None:
    recent = RecentCounts(kept_max=10)
    recent.keep("asked", "t", 1)
    recent.keep("silent", "t", 2)
    for number in range(100):
        recent.keep(str(number), "t", number)
        assert recent.find("asked", "t") == 1
        assert len(recent) <= 10
    assert recent.find("silent", "t") is None


def test_threads_can_share_the_cache() -> None:
    recent = RecentCounts(kept_max=50)

    def count(number: int) -> None:
        for turn in range(500):
            text = f"{(number + turn) % 100}"
            assert recent.find(text, "t") in (None, len(text))
            recent.keep(text, "t", len(text))

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(count, range(8)))
    assert len(recent) == 50
