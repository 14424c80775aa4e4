"""Replies to a customer: ``python front_desk.py ada "My kettle leaks."``. ``--setup`` stores the handbook before."""

import sys
from contextlib import suppress

import memoryd

SECTIONS = [
    memoryd.TextSection("You are the support desk of a shop for kettles.", name="rules"),
    memoryd.NotesSection(max_tokens=300),
    memoryd.DocumentsSection(max_tokens=500),
    memoryd.MemoriesSection(limit=5),
    memoryd.MessagesSection(priority=1),
]


def setup(desk: memoryd.Agent) -> None:
    """Store what is true for every customer: records of no user."""
    desk.notes.create("Tone", "Be brief and kind.", note_id="tone")
    text = "# Warranty\n\nA kettle that leaks is replaced within two years.\n"
    desk.documents.create(text, document_id="handbook", title="Handbook", media_type="text/markdown")


def reply(desk: memoryd.Agent, customer: str, text: str) -> str:
    """Store what the customer says, and return what the model replies."""
    talk = f"desk-{customer}"
    with suppress(memoryd.errors.RecordExists):
        desk.conversations.create(talk, user_id=customer)
    # One change: a message that is stored is also waiting for the consolidator.
    with desk.transaction() as tx:
        tx.conversations.append(talk, [memoryd.MessageDraft("user", text, name=customer)])
        tx.fragments.create(text, user_id=customer, participants=[customer], ttl=86_400)
    desk.fragments.flush()
    hers: memoryd.RecordFilter = {"user_ids": [customer, ""]}
    context = desk.compose(talk, SECTIONS, max_tokens=2_000, filter=hers)
    response = model([message.text for message in context.messages], text)
    desk.conversations.append(talk, [memoryd.MessageDraft("assistant", response)])
    return response


def model(prompt: list[str], question: str) -> str:
    """Stand in for a language model: reply with what the prompt has about the question."""
    known = [line for message in prompt for line in message.splitlines()]
    if "leak" in question and any("replaced within two years" in line for line in known):
        return "A kettle that leaks is replaced within two years."
    if "floor" in question and question.endswith("?"):
        said = [line for line in known if "floor" in line and line.startswith("- ")]
        return f"You said: {said[0].removeprefix('- ')}" if said else "You have not said."
    return "Thank you, I noted that."


def main() -> int:
    try:
        with memoryd.connect(origin="front-desk") as client:
            desk = client.agent("support")
            if sys.argv[1:] == ["--setup"]:
                setup(desk)
            else:
                customer, text = sys.argv[1:]
                print(reply(desk, customer, text))
    except memoryd.MemorydError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
