import asyncio

import pytest
from tests.unit.stores.redis.routes import ENOUGH_S, SHORT_S

from memoryd_server.domain.error import HistoryLost, StorageFull, StoreUnavailable
from memoryd_server.stores.redis.servers.link import Disconnected
from memoryd_server.stores.redis.servers.request import Request, Requests

pytestmark = pytest.mark.hurried


def request(requests: Requests) -> Request:
    return Request("reads", 0, (("PING",),), lambda reply, _: reply, 0, requests)


async def test_every_request_fails_at_its_deadline(caplog: pytest.LogCaptureFixture) -> None:
    requests = Requests(SHORT_S)
    for _ in range(2):
        given_up = [request(requests) for _ in range(3)]
        given_up[1].note_failure(Disconnected("the server is away"))
        for each in given_up:
            with pytest.raises(StoreUnavailable):
                await each.future
    assert [vars(record)["error"] for record in caplog.records] == [
        f"the store did not respond within {SHORT_S} s",
        "the server is away",
    ]


async def test_each_request_has_its_own_deadline() -> None:
    requests = Requests(SHORT_S)
    first = request(requests)
    first.deadline -= SHORT_S
    second = request(requests)
    second.deadline += ENOUGH_S
    with pytest.raises(StoreUnavailable):
        await first.future
    assert not second.future.done()
    requests.close()
    with pytest.raises(StoreUnavailable):
        await second.future


async def test_an_answered_or_cancelled_request_does_not_time_out(caplog: pytest.LogCaptureFixture) -> None:
    requests = Requests(SHORT_S)
    answered, refused, cancelled, given_up = [request(requests) for _ in range(4)]
    answered.succeed([1])
    refused.refuse(HistoryLost("a"))
    cancelled.future.cancel()
    assert list(requests._waiting) == [cancelled, given_up]
    with pytest.raises(StoreUnavailable):
        await given_up.future
    assert await answered.future == 1
    with pytest.raises(HistoryLost):
        await refused.future
    assert cancelled.future.cancelled()
    assert not requests._waiting
    assert len(caplog.records) == 1


async def test_late_replies_are_ignored() -> None:
    requests = Requests(SHORT_S)
    late = request(requests)
    with pytest.raises(StoreUnavailable):
        await late.future
    late.succeed([1])
    late.give_up()
    late.refuse(StorageFull())


async def test_closing_fails_all_requests_and_stops_the_timer(caplog: pytest.LogCaptureFixture) -> None:
    requests = Requests(ENOUGH_S)
    waiting = [request(requests) for _ in range(3)]
    requests.close()
    refusals = await asyncio.gather(*(each.future for each in waiting), return_exceptions=True)
    assert {type(each) for each in refusals} == {StoreUnavailable}
    assert requests._timer is None
    assert not caplog.records
