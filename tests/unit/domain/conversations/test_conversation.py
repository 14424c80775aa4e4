from tests.unit.domain.sample import message_draft

from memoryd_server.domain.conversations.conversation import CONVERSATION, CONVERSATION_KEY, MESSAGE, message_key
from memoryd_server.domain.values.message import FilePart, TextPart


def test_the_text_of_a_draft_is_its_content_or_its_parts() -> None:
    assert message_draft("hello").text == "hello"
    assert message_draft("", parts=(TextPart("look at"), FilePart(name="map.png"))).text == "look at\n[file map.png]"


def test_a_message_is_known_by_its_number_within_its_conversation() -> None:
    assert (MESSAGE.record_id("c", message_key(7)), MESSAGE.place("c")) == ("7", {"conversation_id": "c"})


def test_a_conversation_is_known_by_its_id_alone() -> None:
    assert (CONVERSATION.record_id("c", CONVERSATION_KEY), CONVERSATION.place("c")) == ("c", {})
