"""The records that the command ``measure`` of the conformance programs reads: see conformance/README.md."""

import memoryd

KEY = "measured"
CONVERSATION = "measured"
SUBJECTS = ("lease", "kitchen", "garden", "train", "invoice", "piano", "river", "doctor", "school", "bicycle")
PEOPLE = ("Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gwen", "Hugo", "Ida", "Jon")


def write(agent: memoryd.Agent, memories: int = 100, messages: int = 20) -> None:
    """Write an entry, memories and a conversation."""
    agent.set(KEY, "x" * 198)
    agent.memories.create_many(
        memoryd.MemoryDraft(f"{PEOPLE[number % 10]} signed paper {number} about the {SUBJECTS[number // 10 % 10]}.")
        for number in range(memories)
    )
    agent.conversations.append(
        CONVERSATION,
        [
            memoryd.MessageDraft("user" if number % 2 == 0 else "assistant", f"Sentence {number} is about a lease.")
            for number in range(messages)
        ],
    )
