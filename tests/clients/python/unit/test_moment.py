from datetime import UTC, datetime, timedelta, timezone

import pytest

from memoryd.model.moment import datetime_from, duration_of, timestamp_of


def test_a_time_is_returned_in_utc() -> None:
    moment = datetime(2026, 5, 6, 7, 8, 9, 123456, tzinfo=timezone(timedelta(hours=2)))
    back = datetime_from(timestamp_of(moment))
    assert (back, back.tzinfo) == (moment, UTC)


def test_a_moment_without_a_time_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="time zone"):
        timestamp_of(datetime(2026, 5, 6))


@pytest.mark.parametrize("length", [timedelta(seconds=1, milliseconds=500), 1.5])
def test_a_length_of_time_is_a_timedelta_or_seconds(length: timedelta | float) -> None:
    assert duration_of(length).ToTimedelta() == timedelta(milliseconds=1500)


@pytest.mark.parametrize("length", [float("nan"), float("inf"), 1e308, 2.0**63])
def test_a_length_of_time_that_is_none_is_refused_in_plain_words(length: float) -> None:
    with pytest.raises(ValueError, match="a duration must be a number of seconds"):
        duration_of(length)
