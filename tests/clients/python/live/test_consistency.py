from datetime import timedelta

import pytest

import memoryd
from memoryd import errors


def test_a_read_with_a_min_revision_has_every_change_up_to_it(agent: memoryd.Agent) -> None:
    revision = agent.set("k", 1).revision
    assert agent.get("k", min_revision=revision) == 1
    assert agent.get("k", max_staleness=timedelta(milliseconds=1_500)) == 1
    assert list(agent.keys(min_revision=revision)) == ["k"]
    with pytest.raises(errors.RevisionInFuture):
        agent.get("k", min_revision=revision + 1)


def test_a_staleness_of_more_than_a_day_is_refused(agent: memoryd.Agent) -> None:
    with pytest.raises(errors.InvalidArgument) as caught:
        agent.get("k", max_staleness=timedelta(days=2))
    assert list(caught.value.fields) == ["consistency.max_staleness"]


async def test_reads_of_aio_have_a_consistency(aio_agent: memoryd.aio.Agent) -> None:
    note = await aio_agent.notes.create("title", "content")
    assert await aio_agent.notes.get(note.note_id, min_revision=note.revision) == note
    with pytest.raises(errors.RevisionInFuture):
        _ = [each async for each in aio_agent.notes.list(min_revision=note.revision + 1)]
