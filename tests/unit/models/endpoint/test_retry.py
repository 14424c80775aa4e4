import pytest

from memoryd_server.models.endpoint.retry import delay_s, is_about_the_request, is_transient, requested_delay_s


def test_each_delay_is_twice_the_previous_one_up_to_a_maximum() -> None:
    assert [delay_s(retry, 0.0) for retry in range(8)] == [0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10.0, 10.0]
    assert delay_s(1_000, 0.0) == 10.0


def test_jitter_shortens_a_delay_by_up_to_half() -> None:
    assert delay_s(1, 1.0) == 0.2
    assert delay_s(1, 0.5) == pytest.approx(0.3)


def test_failures_of_the_server_are_transient() -> None:
    assert [code for code in range(100, 700) if is_transient(code)] == [408, 429, *range(500, 600)]


def test_failures_of_the_request_are_not_transient() -> None:
    blamed = [code for code in range(100, 700) if is_about_the_request(code)]
    assert blamed == [400, 413, 422]
    assert not any(map(is_transient, blamed))


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry-After": "0"}, 0.0),
        ({"Retry-After": " 120 "}, 120.0),
        ({"Retry-After": "-1"}, None),
        ({"Retry-After": "1.5"}, None),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "²"}, None),
        ({"Retry-After": "Sun, 22 Nov 2026 12:00:30 GMT", "Date": "Sun, 22 Nov 2026 12:00:00 GMT"}, 30.0),
        ({"Retry-After": "Sun, 22 Nov 2026 11:59:00 GMT", "Date": "Sun, 22 Nov 2026 12:00:00 GMT"}, 0.0),
        ({"Retry-After": "Sun, 22 Nov 2026 12:00:30 GMT"}, None),
        ({"Retry-After": "Sun, 22 Nov 2026 12:00:30 -0000", "Date": "Sun, 22 Nov 2026 12:00:00 GMT"}, None),
    ],
)
def test_the_requested_delay_is_in_seconds_or_until_a_date(headers: dict[str, str], seconds: float | None) -> None:
    assert requested_delay_s(headers) == seconds
