"""Stores a talk as memories, and recalls them: by words, by meaning, and as they were before a change.

Run it while a daemon runs: ``python remember.py``. MEMORYD_ADDRESS is the daemon's address, by default 127.0.0.1:7600.
"""

import contextlib
import sys
from datetime import UTC, datetime

import memoryd

TALK = [
    ("Ada", "I moved to Lisbon in May, for the new job."),
    ("Bob", "Nice! How is the flat?"),
    ("Ada", "Small, but it has a balcony. I grow tomatoes there."),
    ("Bob", "My sister Carol breeds beagles near Porto, you should visit her."),
]


def main() -> int:
    try:
        with memoryd.connect(origin="remember") as client:
            agent = client.agent("remember")
            reset(agent)
            remember(agent.memories)
            recall(agent.memories)
            correct(agent.memories)
    except memoryd.MemorydError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def reset(agent: memoryd.Agent) -> None:
    with contextlib.suppress(memoryd.errors.AgentNotFound):
        agent.end()


def remember(memories: memoryd.Memories) -> None:
    talk = memoryd.MemoryContext("ada", conversation_id="talk-1", learning_context="a talk about moving")
    # Two turns of a talk may be equal: they must not be treated as duplicates.
    june = datetime(2026, 6, 3, tzinfo=UTC)
    turn = memoryd.MemoryBuilder().from_context(talk).occur_time(june).allow_duplicates().skip_contradictions()
    created = memories.create_many(turn.content(f"{speaker}: {text}") for speaker, text in TALK)
    print(f"remembered {len(created)} turns at revision {created[0].revision}")


def recall(memories: memoryd.Memories) -> None:
    for question in ("Where does Ada live now?", "Who has dogs?", "What grew on the balcony in June 2026?"):
        found = memories.recall(question, user_id="ada", limit=2)
        print(question)
        for match in found.memories:
            print(f"  {match.score:.2f} {match.memory.content} ({match.match_reason})")


def correct(memories: memoryd.Memories) -> None:
    old = memories.recall("Ada moved to Lisbon", user_id="ada").memories[0].memory
    new = memories.remember(
        "Ada: I live in Porto now.", user_id="ada", links=[memoryd.MemoryLinkDraft(old.memory_id, "supersedes")]
    )
    print("superseded:", [memory.content for memory in memories.list(user_id="ada", statuses=["superseded"])])
    print("known before:", memories.get(old.memory_id, read_time=old.update_time).status)
    print("sure:", memories.reinforce(new.memory_id).confidence)
    memories.forget(old.memory_id)
    print("forgotten:", [memory.content for memory in memories.list(user_id="ada", forgotten_only=True)])


if __name__ == "__main__":
    sys.exit(main())
