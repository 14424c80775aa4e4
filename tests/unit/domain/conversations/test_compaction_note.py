from tests.unit.domain.sample import message

from memoryd_server.domain.conversations.compaction_note import notes_of
from memoryd_server.domain.conversations.conversation import Conversation
from memoryd_server.domain.limit import Limits
from memoryd_server.domain.notes.note_change import CreateNote

TALK = Conversation("talk", 1, 0, 0, 1, 1, 1, 0, user_id="zoe")


def test_a_note_says_which_messages_it_holds_and_matters_as_much_as_they_do() -> None:
    messages = [message(3, "one", importance=0.6), message(41, "two", importance=0.9), message(42, "three")]
    assert notes_of(messages, TALK, "ann", "n", Limits(note_bytes=20)) == (
        CreateNote("n000", "Conversation talk, messages 3 to 41", "user: one\nuser: two", "ann", 0.9, "zoe"),
        CreateNote("n001", "Conversation talk, message 42", "user: three", "ann", 0.5, "zoe"),
    )


def test_what_says_nothing_is_no_note() -> None:
    assert notes_of([message(1, "")], TALK, "", "n", Limits()) == ()


def test_one_more_note_than_allowed_is_enough_to_be_refused() -> None:
    messages = [message(number, "x" * 20) for number in range(1, 9)]
    assert len(notes_of(messages, TALK, "", "n", Limits(note_bytes=20, notes_per_agent=2))) == 3
