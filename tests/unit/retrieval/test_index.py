import msgspec
import pytest
from tests.unit.record_filters import of_memories
from tests.unit.retrieval.sample import (
    IDENTITY,
    NOW,
    embedding,
    found,
    index_of,
    memory,
    moment,
    query,
    search,
    talk,
    vector,
)

from memoryd_server.domain.limit import DAY_NS
from memoryd_server.domain.memories.embedding import EmbeddingIdentity
from memoryd_server.domain.memories.memory import Memory, Provenance
from memoryd_server.ports.retrieval import IndexedMemory
from memoryd_server.retrieval.index import Index


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("the teapot was broken", "Who breaks teapots? broken"),
        ("她住在北京", "北京"),
        ("她住在北京", "住"),
        ("happy 🎉", "🎉"),
        ("היא גרה בירושלים", "בירושלים"),
        ("قهوة", "قَهْوَة"),
        ('drop table; " OR 1', 'own:"drop*" NEAR('),
        ("a" * 1_000_000, "a" * 1_000_000),
        ("filler " * 150_000 + "needle", "needle"),
        ("nul \0 byte", "\0 byte"),
    ],
)
def test_a_memory_is_found_by_its_words_in_any_script_and_at_any_length(content: str, text: str) -> None:
    assert found(index_of([memory(content), memory("something else", 2)]), text) == ["m1"]


@pytest.mark.parametrize("text", ["", "   ", "?!", "what is it", "\ud800", "unheard"])
def test_a_query_without_a_known_term_has_no_match(text: str) -> None:
    assert index_of([memory("what is it"), memory("tea", 2)]).search(query(text)).total == 0


def test_a_memory_without_words_is_no_match() -> None:
    assert found(index_of([memory(""), memory("the", 2), memory("tea", 3)]), "tea the") == ["m3"]


def test_the_reply_to_a_question_is_found_by_the_words_of_the_question() -> None:
    index = index_of(talk("Ann: Where did you buy the kettle?", "Bob: At the market in Leeds.", "Ann: I was at home."))
    match = search(index, "Where was the kettle sold? kettle")[0]
    assert (match.memory_id, match.matched_words, match.context_words) == ("m2", (), ("kettle",))


def test_the_words_of_two_neighbours_on_each_side_are_context() -> None:
    index = index_of(talk(*(f"number{number} alpha beta" for number in range(1, 7))))
    assert set(found(index, "number3")) == {"m1", "m2", "m3", "m4", "m5"}
    assert found(index, "number3")[:3] == ["m3", "m4", "m5"]


def test_the_name_of_a_speaker_is_no_context_of_neighbours() -> None:
    assert found(index_of(talk("Ann: tea leaves", "Bob: coffee beans")), "Ann") == ["m1"]


@pytest.mark.parametrize("change", ["user_id", "project_id"])
def test_words_never_reach_a_memory_of_another_user_or_project(change: str) -> None:
    first, second = talk("green tea", "black coffee")
    index = index_of([first, *talk("-", "black coffee", **{change: "other"})[1:]])
    assert found(index, "tea") == ["m1"]
    index.put([IndexedMemory(second)])
    assert found(index, "tea") == ["m1", "m2"]


def test_memories_become_neighbours_when_those_between_them_are_removed() -> None:
    index = index_of(talk("alpha one", "two", "three", "four"))
    assert "m4" not in found(index, "alpha")
    index.remove(["m2", "m2", "unknown"])
    assert "m4" in found(index, "alpha")


def test_the_order_of_a_conversation_is_by_position_then_by_creation() -> None:
    made = [
        memory(f"word{number}", number, "c", position) for number, position in ((1, 5), (2, 0), (3, 5), (4, 9), (5, 9))
    ]
    assert set(found(index_of(made), "word2")) == {"m2", "m1", "m3"}


def test_a_date_is_found_by_its_words_and_is_named_as_context() -> None:
    index = index_of(
        [memory("a walk", 1, occur_time=moment(2023, 5, 8)), memory("a walk", 2, occur_time=moment(2022, 3, 1))]
    )
    match = search(index, "walk monday may 8 2023")[0]
    assert (match.memory_id, match.context_words) == ("m1", ("monday", "may", "8", "2023"))


def test_memories_of_the_named_time_rank_first_and_match_without_a_word() -> None:
    index = index_of(
        [
            memory("tea with Ann", 1, occur_time=moment(2023, 5, 10)),
            memory("tea with Bob", 2, occur_time=moment(2023, 4, 10)),
            memory("a swim", 3, occur_time=moment(2023, 5, 11)),
        ]
    )
    matches = search(index, "tea last week")
    assert [(match.memory_id, match.time_phrase) for match in matches] == [
        ("m1", "last week"),
        ("m2", ""),
        ("m3", "last week"),
    ]


def test_a_period_includes_its_start_and_excludes_its_end() -> None:
    may, june = (moment(2022, month, 1) - DAY_NS // 2 for month in (5, 6))
    index = index_of(
        memory("a swim", number, occur_time=time) for number, time in enumerate((may - 1, may, june - 1, june), start=1)
    )
    matches = search(index, "swim in May 2022")
    assert {match.memory_id for match in matches if match.time_phrase} == {"m2", "m3"}


def test_a_question_ranks_behind_a_statement_of_the_same_words() -> None:
    assert found(index_of([memory("my cat is Oscar"), memory("is my cat Oscar?", 2)]), "cat Oscar") == ["m1", "m2"]


def test_a_memory_without_neighbours_ranks_before_a_turn_of_as_many_words() -> None:
    turns = [memory("green tea Oslo", 2, "c", 1), memory("nothing", 3, "c", 2)]
    assert found(index_of([memory("green tea Uji", 1), *turns]), "green tea")[:2] == ["m1", "m2"]


def test_a_link_of_no_strength_leads_to_no_memory() -> None:
    index = index_of(
        [memory("tea"), IndexedMemory(memory("a swim", 2)), IndexedMemory(memory("tea cup", 3), None, (("m2", 0.0),))]
    )
    assert set(found(index, "tea cup")) == {"m1", "m3"}


def test_equal_matches_are_newest_first() -> None:
    index = index_of(memory(f"tea {'xyz'[number]}", number + 1) for number in range(3))
    assert found(index, "tea") == ["m3", "m2", "m1"]
    assert found(index, "tea", limit=1) == ["m3"]


def test_a_change_of_content_removes_the_old_words() -> None:
    index = index_of([memory("tea")])
    index.put([IndexedMemory(memory("coffee"))])
    assert (found(index, "tea"), found(index, "coffee")) == ([], ["m1"])


def test_a_memory_that_moves_to_another_conversation_leaves_its_neighbours() -> None:
    index = index_of(talk("green tea", "black coffee"))
    index.put([IndexedMemory(memory("green tea", 1, provenance=Provenance("other")))])
    assert found(index, "tea") == ["m1"]


def test_a_vector_finds_memories_without_a_common_word_of_the_same_identity() -> None:
    index = index_of(
        [
            IndexedMemory(memory("a dog", 1), embedding("m1", 1, 0.1, 0, 0)),
            IndexedMemory(memory("a tax form", 2), embedding("m2", 0, 0, 1, 0)),
            IndexedMemory(memory("nothing said", 3), embedding("m3", 0, 0, 0, 0)),
        ]
    )
    options = {"vector": vector(2, 0, 0, 0), "identity": IDENTITY}
    assert found(index, "puppy", **options) == ["m1"]
    assert found(index, "puppy", vector=vector(0, 0, 0, 0), identity=IDENTITY) == []
    assert found(index, "puppy", vector=vector(2, 0, 0, 0), identity=EmbeddingIdentity("sample", "2", 4)) == []


@pytest.mark.parametrize(("cosine", "expected"), [(0.2, []), (0.6, ["m1"])])
def test_a_memory_without_a_word_of_the_query_is_found_only_by_a_near_vector(
    cosine: float, expected: list[str]
) -> None:
    index = index_of([IndexedMemory(memory("a dog"), embedding("m1", cosine, (1 - cosine**2) ** 0.5, 0, 0))])
    assert found(index, "puppy", vector=vector(1, 0, 0, 0), identity=IDENTITY) == expected


def test_a_vector_that_is_not_near_adds_to_the_score_of_the_words() -> None:
    index = index_of([IndexedMemory(memory("a dog"), embedding("m1", 0.2, 0.98, 0, 0)), memory("a dog", 2)])
    near, without = search(index, "dog", vector=vector(1, 0, 0, 0), identity=IDENTITY)[::-1]
    assert (near.memory_id, near.meaning > 0, without.meaning) == ("m1", True, 0)


def test_meaning_counts_by_the_share_of_it_that_is_known() -> None:
    index = index_of([IndexedMemory(memory("dog"), embedding("m1", 1, 0, 0, 0))])
    known, half, unknown = (
        search(index, "dog", meaning_known=share, vector=vector(1, 0, 0, 0), identity=IDENTITY)[0].score
        for share in (1, 0.5, 0)
    )
    assert known > half > unknown == search(index, "dog")[0].score


def test_a_removed_vector_is_no_longer_found() -> None:
    index = index_of([IndexedMemory(memory("dog"), embedding("m1", 1, 0, 0, 0))])
    index.put([IndexedMemory(memory("dog"))])
    assert found(index, "puppy", vector=vector(1, 0, 0, 0), identity=IDENTITY) == []


def test_a_link_leads_only_to_memories_that_meet_the_criteria() -> None:
    index = index_of(
        [
            IndexedMemory(memory("tea time", 1), links=(("m2", 0.8), ("m3", 1.0), ("gone", 1.0))),
            memory("a porcelain pot", 2),
            memory("a secret", 3, user_id="other"),
        ]
    )
    ranking = index.search(query("tea", of_memories()))
    assert [(match.memory_id, match.linked_from) for match in ranking.matches] == [
        ("m1", ""),
        ("m3", "m1"),
        ("m2", "m1"),
    ]
    assert ranking.total == 3
    assert found(index, "tea", follow_links=False) == ["m1"]
    alone = index_of([IndexedMemory(memory("tea", 1, user_id="u"), links=(("m3", 1.0),)), memory("x", 3, user_id="v")])
    assert found(alone, "tea", of_memories(user_id="u")) == ["m1"]


def test_the_links_of_each_of_the_best_matches_are_followed() -> None:
    matches = [IndexedMemory(memory(f"tea {'abcde'[n]}", n + 1), links=((f"m{n + 11}", 1.0),)) for n in range(5)]
    index = index_of([*matches, *(memory(f"pot number{n}", n + 11) for n in range(5))])
    linked = {match.memory_id: match.linked_from for match in search(index, "tea") if match.linked_from}
    assert linked == {f"m{n + 11}": f"m{n + 1}" for n in range(5)}


def test_a_link_never_lowers_the_score_of_a_match() -> None:
    matches = [IndexedMemory(memory("tea", 1), links=(("m2", 0.1),)), memory("tea with milk", 2)]
    alone = {match.memory_id: match.score for match in search(index_of(matches), "tea", follow_links=False)}
    linked = search(index_of(matches), "tea")
    assert {match.memory_id: match.score for match in linked} == alone
    assert [match.linked_from for match in linked] == ["", ""]


def test_a_memory_of_the_future_ranks_as_one_of_now() -> None:
    index = index_of(
        memory(f"tea {'xyz'[number]}", number + 1, occur_time=moment(year, 5, 17))
        for number, year in enumerate((2023, 2024, 2050))
    )
    assert found(index, "tea") == ["m3", "m2", "m1"]
    assert len({match.score for match in search(index, "tea")}) == 1


def test_a_vector_that_is_near_every_query_is_no_match() -> None:
    """Embedders differ in the cosine of unrelated texts: only a cosine that is higher than most counts."""
    ordinary = [
        IndexedMemory(memory(f"thing{number}", number), embedding(f"m{number}", 0.8, 0.6, 0, 0))
        for number in range(1, 201)
    ]
    near = IndexedMemory(memory("a dog", 201), embedding("m201", 0.99, 0.141, 0, 0))
    index = index_of([*ordinary, near])
    assert found(index, "puppy", vector=vector(1, 0, 0, 0), identity=IDENTITY) == ["m201"]


def test_near_duplicates_rank_below_other_matches() -> None:
    index = index_of(
        [
            memory("likes green tea in Uji with a large pot", 1),
            memory("likes green tea from Uji", 2),
            memory("Likes green tea from Uji!", 3),
            memory("liked the green tea from Uji", 4),
        ]
    )
    assert found(index, "green tea from Uji") == ["m4", "m1", "m3", "m2"]


def test_a_memory_that_differs_in_an_important_word_is_no_near_duplicate() -> None:
    index = index_of(
        [
            memory("likes green tea in Uji with a large pot", 1),
            memory("likes green tea from Uji", 2),
            memory("hates green tea from Uji", 3),
        ]
    )
    assert found(index, "green tea from Uji") == ["m3", "m2", "m1"]


def test_of_equal_matches_the_one_that_occurred_later_ranks_first() -> None:
    index = index_of([memory("tea with Ann", 1), memory("tea with Bob", 2, occur_time=moment(2022, 5, 17))])
    assert found(index, "tea") == ["m1", "m2"]


def test_salience_ranks_equal_matches_and_can_be_a_criterion() -> None:
    index = index_of(memory(f"tea word{number}", number, importance=number / 40) for number in range(40))
    assert found(index, "tea", limit=2) == ["m39", "m38"]
    oldest_first = index_of(memory(f"tea word{number}", number, importance=1 - number / 20) for number in range(20))
    assert found(oldest_first, "tea", limit=1) == ["m0"]
    reversed_ = index_of(memory(f"tea word{number}", number, importance=1 - number / 400) for number in range(400))
    assert found(reversed_, "tea", min_salience=0.995, limit=3) == ["m0", "m1", "m2"]


def test_recalls_since_a_memory_was_stored_count_in_its_salience() -> None:
    tea = [memory(f"tea word{number}", number) for number in range(2)]
    index = Index(lambda memory, _, __: memory.access_count / 10)
    index.put(map(IndexedMemory, tea))

    def with_recalls(stored: Memory) -> Memory:
        return stored.accessed(5, NOW) if stored is tea[0] else stored

    assert found(index, "tea") == ["m1", "m0"]
    assert found(index, "tea", with_recalls=with_recalls) == ["m0", "m1"]
    assert found(index, "tea", with_recalls=with_recalls, min_salience=0.5) == ["m0"]


def test_matches_below_the_minimum_score_are_omitted() -> None:
    index = index_of([memory("green tea"), memory("tea on a wooden table with some friends", 2)])
    best, other = search(index, "green tea")
    assert found(index, "green tea", min_score=(best.score + other.score) / 2) == ["m1"]


def test_similar_memories_are_returned_with_their_words_and_cosine() -> None:
    index = index_of(
        [
            IndexedMemory(memory("Ann likes green tea", 1), embedding("m1", 1, 1, 0, 0)),
            memory("Ann likes black coffee", 2),
            memory("rain", 3),
        ]
    )
    first, second = index.similar("ann liked green tea", vector(1, 1, 0, 0), IDENTITY, of_memories(), 5)
    assert (first.memory_id, first.words, first.cosine) == ("m1", 1.0, pytest.approx(1.0, abs=1e-3))
    assert (second.memory_id, second.words, second.cosine) == ("m2", pytest.approx(1 / 3), None)
    assert index.similar("", None, None, of_memories(), 5) == []
    assert index.similar("tea", None, None, of_memories(user_id="nobody"), 5) == []


def test_an_owner_is_a_user_with_one_project_or_none() -> None:
    index = index_of(
        memory("tea", number, user_id="u", project_id=project) for number, project in enumerate(("", "p", "q"), 1)
    )
    for number, project in enumerate(("", "p", "q"), 1):
        criteria = of_memories("u", project)
        assert [each.memory_id for each in index.similar("tea", None, None, criteria, 5)] == [f"m{number}"]
    assert found(index, "tea", of_memories("v", "")) == []


def test_the_size_grows_with_added_memories_and_shrinks_with_removed_ones() -> None:
    index = index_of([])
    empty = index.size_bytes
    index.put([IndexedMemory(memory("one two three"), embedding("m1", 1, 0, 0, 0))])
    full = index.size_bytes
    index.remove(["m1"])
    assert empty < index.size_bytes < full


@pytest.mark.parametrize("time", [-(2**63), 2**63 - 1])
def test_the_earliest_and_the_latest_times_can_be_searched(time: int) -> None:
    index = index_of([memory("tea", occur_time=time)])
    assert [found(index, "tea 999 years ago", now=now) for now in (-(2**63), 0, 2**63 - 1)] == [["m1"]] * 3


def test_a_word_is_as_rare_as_among_the_memories_that_meet_the_criteria() -> None:
    own = [memory("green tea", 1, user_id="u"), memory("tea", 2, user_id="u")]
    others = [memory("green grass", number, user_id="v") for number in range(3, 30)]
    criteria = of_memories(user_id="u")
    assert search(index_of(own + others), "green tea", criteria) == search(index_of(own), "green tea", criteria)


@pytest.mark.parametrize(
    ("contents", "text"),
    [
        (("Der Hund schläft auf dem Sofa", "Die Katze jagt Mäuse in der Scheune"), "Welche Maus jagte die Katze?"),
        (("Les chiens dorment dans la cour", "Les chevaux mangent dans la forêt"), "Où mange le cheval ?"),
        (("Собака спит на диване", "Бабушка печёт пироги для нас"), "Кто пёк пирог?"),
        (("El perro duerme en la casa", "Mi abuela canta canciones para los niños"), "¿Quién cantaba una cancion?"),
    ],
)
def test_a_word_is_found_in_the_forms_of_its_language(contents: tuple[str, ...], text: str) -> None:
    every = [*contents, "The dog sleeps on the sofa", "Ann bakes a cake"]
    index = index_of(memory(content, number) for number, content in enumerate(every, 1))
    assert found(index, text)[0] == "m2"


def test_an_english_word_is_found_in_memories_of_another_language_too() -> None:
    index = index_of([memory("Wir haben Python und Kubernetes gelernt", 1), memory("Das ist nicht so gut", 2)])
    assert found(index, "who knows python") == ["m1"]


@pytest.mark.parametrize(
    ("contents", "text"),
    [
        (("a list of orders", "calls get_user_by_id twice", "calls get_order twice"), "where is getUserById"),
        (("a list of orders", "calls getUserById twice", "calls getOrder twice"), "get-user-by-id"),
        (("writes C at school", "writes C# at work", "writes C++ for games"), "C#"),
        (("a net for fish", "services in .NET run", "a net"), "about .NET"),
        (("it costs 1,200", "it costs 1,500", "it costs 500"), "costs 1500"),
        (("it costs 1,200", "it costs 1500", "it costs 500"), "costs 1.5k"),
        (("release v2.1.3", "release v1.2.3", "release v1.3.2"), "what is in 1.2.3"),
        (("deploy 2026-05-03", "deploy 2026-03-05", "deploy 2025-03-05"), "on 05.03.2026 and 2026-03-05"),
        (("two dogs here", "three dogs here", "four dogs here"), "3 dogs"),
        (("two dogs here", "3 dogs here", "4 dogs here"), "three dogs"),
        (("the pin is 1", "the wi-fi is slow", "the door is red"), "wifi"),
    ],
)
def test_identifiers_numbers_and_dates_are_found_in_other_notations(contents: tuple[str, ...], text: str) -> None:
    for order in (1, -1):
        memories = [memory(content, number) for number, content in enumerate(contents, 1)][::order]
        assert found(index_of(memories), text)[0] == "m2"


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("what does the user not like?", "m2"),
        ("what doesn\u2019t the user like?", "m2"),
        ("what does the user hate?", "m2"),
        ("what does the user like?", "m3"),
    ],
)
@pytest.mark.parametrize("denial", ["User does not like tea", "User doesn't like tea", "User hates tea, not like cake"])
def test_a_negation_is_matched_by_a_negation(text: str, first: str, denial: str) -> None:
    memories = [memory("User likes rye bread", 3), memory(denial, 2), memory("User drinks black coffee", 1)]
    assert found(index_of(memories), text)[0] == first


def test_a_memory_is_found_by_its_aliases_like_by_its_content() -> None:
    index = index_of(
        [
            memory("Ann was in New York City", 1, aliases=("NYC", "the Big Apple")),
            memory("Ann grows a red apple tree", 2),
            memory("Ann was in Oslo", 3),
        ]
    )
    assert found(index, "when was she in nyc?") == ["m1"]
    assert found(index, "big apple") == ["m1", "m2"]
    assert search(index, "nyc")[0].matched_words == ("nyc",)


def test_a_memory_is_found_by_its_tags_after_one_that_has_the_word() -> None:
    index = index_of([memory("Ann was in Oslo", 2, tags=("travel",)), memory("Ann likes to travel", 1)])
    assert found(index, "travels") == ["m1", "m2"]


def test_aliases_and_tags_are_no_words_of_the_neighbours() -> None:
    first, *others = talk("Ann: hello there", "Bob: good morning", "Ann: what a day")
    labelled = msgspec.structs.replace(first, aliases=("zither",), tags=("music",))
    assert found(index_of([labelled, *others]), "zither music") == ["m1"]


def test_new_aliases_and_tags_replace_the_earlier_ones() -> None:
    index = index_of([memory("Ann was in Oslo", aliases=("Christiania",), tags=("travel",))])
    index.put([IndexedMemory(memory("Ann was in Oslo", aliases=("fjord city",), tags=("work",)))])
    assert found(index, "christiania travel") == []
    assert found(index, "fjord") == found(index, "work") == ["m1"]


def test_aliases_do_not_lengthen_a_memory() -> None:
    with_aliases, without = memory("green tea", 1, aliases=("matcha powder", "sencha leaves")), memory("green tea", 2)
    scores = [search(index_of([each]), "green tea")[0].score for each in (with_aliases, without)]
    assert scores[0] == scores[1]
