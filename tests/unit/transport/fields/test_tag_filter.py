import pytest

from memoryd.v1.note_service_pb2 import ListNotesRequest
from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.limit import TAG_BYTES_MAX, TAGS_MAX
from memoryd_server.domain.values.tag_filter import TagFilter
from memoryd_server.transport.fields.tag_filter import tag_filter_of


def test_tags_are_decoded_without_repeats() -> None:
    request = ListNotesRequest(all_tags=["a", "a"], any_tags=["b", "c"])
    assert tag_filter_of(request) == TagFilter(frozenset("a"), frozenset("bc"))
    assert tag_filter_of(ListNotesRequest()) == TagFilter()


@pytest.mark.parametrize("field", ["all_tags", "any_tags"])
@pytest.mark.parametrize("tags", [[""], ["t" * (TAG_BYTES_MAX + 1)], list(map(str, range(TAGS_MAX + 1)))])
def test_tags_that_no_record_may_have_are_refused(field: str, tags: list[str]) -> None:
    request = ListNotesRequest()
    getattr(request, field).extend(tags)
    with pytest.raises(InvalidField) as refused:
        tag_filter_of(request)
    assert refused.value.field == field
