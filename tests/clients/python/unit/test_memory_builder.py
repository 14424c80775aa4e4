from datetime import UTC, datetime

import pytest

from memoryd import Embedding, MemoryBuilder, MemoryContext, MemoryDraft, MemoryLinkDraft, MemoryLinkType, Provenance

MOMENT = datetime(2026, 1, 15, tzinfo=UTC)


def test_a_draft_has_what_was_set_on_its_builder() -> None:
    built = (
        MemoryBuilder()
        .content("The user prefers dark mode")
        .user_id("user-123")
        .project_id("p")
        .memory_id("m")
        .type("semantic")
        .provenance(Provenance.explicit("told so"))
        .tags("ui", "taste")
        .metadata({"turn": 1})
        .importance(0.75)
        .occur_time(MOMENT)
        .expire_time(MOMENT)
        .embedding([1, 2])
        .linked_to("one")
        .linked_to("two", "supersedes", strength=1.0)
        .allow_duplicates()
        .skip_contradictions()
        .build()
    )
    assert built == MemoryDraft(
        "The user prefers dark mode",
        "user-123",
        project_id="p",
        memory_id="m",
        type="semantic",
        provenance=Provenance.explicit("told so"),
        tags=("ui", "taste"),
        metadata={"turn": 1},
        importance=0.75,
        occur_time=MOMENT,
        expire_time=MOMENT,
        embedding=Embedding((1.0, 2.0)),
        links=(MemoryLinkDraft("one", MemoryLinkType.RELATED), MemoryLinkDraft("two", "supersedes", 1.0)),
        allow_duplicates=True,
        skip_contradictions=True,
    )


@pytest.mark.parametrize("builder", [MemoryBuilder().user_id("u"), MemoryBuilder().user_id("u").content("")])
def test_a_memory_without_content_is_not_built(builder: MemoryBuilder) -> None:
    with pytest.raises(ValueError, match="content is missing"):
        builder.build()


def test_a_memory_may_be_of_no_user() -> None:
    assert MemoryBuilder().content("c").build().user_id == ""


def test_a_context_says_who_where_and_how() -> None:
    context = MemoryContext("u", conversation_id="c", project_id="p", document_id="d", learning_context="chat")
    built = MemoryBuilder().from_context(context).content("x").build()
    assert built == MemoryDraft("x", "u", project_id="p", provenance=Provenance("c", "d", "chat"))


def test_a_builder_starts_many_memories_and_stays_unchanged() -> None:
    begun = MemoryBuilder().user_id("u").linked_to("one")
    first, second = begun.content("a").linked_to("two").build(), begun.content("b").build()
    assert ([link.to_memory_id for link in first.links], first.content) == (["one", "two"], "a")
    assert ([link.to_memory_id for link in second.links], second.content) == (["one"], "b")


def test_the_last_expiry_replaces_an_earlier_one() -> None:
    begun = MemoryBuilder().content("c").user_id("u")
    built = begun.expire_time(MOMENT).ttl(5).build()
    assert (built.ttl, built.expire_time) == (5, None)
    built = begun.ttl(5).expire_time(MOMENT).build()
    assert (built.ttl, built.expire_time) == (None, MOMENT)


def test_a_vector_is_read_at_once_and_is_numbers() -> None:
    numbers = [1.0]
    built = MemoryBuilder().content("c").user_id("u").embedding(numbers).build()
    numbers.append(2.0)
    assert built.embedding == Embedding((1.0,))
    with pytest.raises(ValueError, match="could not convert"):
        MemoryBuilder().embedding("nonsense")  # type: ignore[arg-type]
