"""Composes a context of a long conversation for a model, and prints its manifest, which gives the reasons.

The conversation is the first minutes after the tank of Apollo 13 burst, as NASA recorded them. Run it while a daemon
runs: ``python compose.py``. MEMORYD_ADDRESS is the daemon's address, by default 127.0.0.1:7600.
"""

import contextlib
import sys

import memoryd

CONVERSATION = "air-to-ground"
QUESTION = "Which bus was low on voltage first?"
TRANSCRIPT = """\
Lovell: I believe we've had a problem here.
Lousma: This is Houston. Say again, please.
Lovell: Houston, we've had a problem. We've had a MAIN B BUS UNDERVOLT.
Lousma: Roger. MAIN B UNDERVOLT.
Lousma: Okay, stand by, 13. We're looking at it.
Haise: Okay. Right now, Houston, the voltage is looking good. And we had a pretty large bang associated with the \
CAUTION AND WARNING there. And as I recall, MAIN B was the one that had had an amp spike on it once before.
Lousma: Roger, Fred.
Haise: In the interim here, we're starting to go ahead and button up the tunnel again.
Haise: That jolt must have rocked the sensor on QUANTITY 2. It was oscillating down around 20 to 60 percent. Now it's \
full-scale high again.
Lovell: And, Houston, we had a RESTART on our computer and we had a PGNCS light and the RESTART RESET.
Lousma: Roger. RESTART and a PGNCS light.
Haise: Okay, AC 2 is showing zip. I'm going to try to reconfigure on that, Jack.
Haise: Yes. We got a MAIN BUS A UNDERVOLT now, too, showing.
Lousma: MAIN A UNDERVOLT.
Haise: It's reading about 25-1/2, MAIN B is reading zip right now.
Lousma: 13, Houston. We'd like you to attempt to reconnect fuel cell 1 to MAIN A and fuel cell 3 to MAIN B."""


def main() -> int:
    try:
        with memoryd.connect(origin="compose") as client:
            agent = client.agent("compose")
            with contextlib.suppress(memoryd.errors.AgentNotFound):
                agent.end()
            store(agent)
            report(compose(agent))
    except memoryd.MemorydError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def store(agent: memoryd.Agent) -> None:
    """Store the transcript as messages and as memories, and a note about the style of answers."""
    agent.notes.create("Style", "Answer in one sentence", note_id="style")
    lines = [line.split(": ", 1) for line in TRANSCRIPT.splitlines()]
    agent.conversations.append(
        CONVERSATION, [memoryd.MessageDraft("user", text, name=speaker) for speaker, text in lines]
    )
    agent.memories.create_many(
        memoryd.MemoryDraft(
            f"{speaker}: {text}",
            "crew",
            memory_id=f"turn-{number}",
            provenance=memoryd.Provenance(conversation_id=CONVERSATION, position=number),
            allow_duplicates=True,
            skip_contradictions=True,
        )
        for number, (speaker, text) in enumerate(lines, 1)
    )


def compose(agent: memoryd.Agent) -> memoryd.ComposedContext:
    """Return a context of at most 200 tokens."""
    return agent.compose(
        CONVERSATION,
        [
            memoryd.TextSection("You fly with Apollo 13.", name="role", max_tokens=15),
            memoryd.NotesSection(max_tokens=25),
            memoryd.MemoriesSection(limit=4, max_tokens=100),
            memoryd.MessagesSection(max_tokens=60),
        ],
        max_tokens=200,
        model="gpt-5",
        query=QUESTION,
        include_manifest=True,
        all_users=True,
    )


def report(context: memoryd.ComposedContext) -> None:
    for message in context.messages:
        speaker = f"{message.role} ({message.name})" if message.name else message.role
        print(f"{speaker}: {message.content}".rstrip())
    print(f"\n{context.token_count} of {context.max_tokens} tokens, counted by {context.tokenizer}:")
    for usage in context.usages:
        print(
            f"  {usage.section:8} {usage.token_count:4} tokens, {usage.included_count} in, {usage.left_out_count} out"
        )
    print("The manifest:")
    for item in context.manifest:
        print(f"  {item.token_count:4}  {item.record.kind} {item.record}: {item.outcome.replace('_', ' ')}")


if __name__ == "__main__":
    sys.exit(main())
