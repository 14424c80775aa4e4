import pytest

from memoryd_server.ops.config.quantity import format_duration, format_size, parse_duration, parse_size


@pytest.mark.parametrize(
    ("text", "size"),
    [("0", 0), ("4096", 4096), ("512MiB", 512 * 2**20), ("1.5 kib", 1536), ("1GB", 10**9), ("7b", 7), ("2TiB", 2**41)],
)
def test_sizes_are_read_with_and_without_units(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "MiB", "-1", "1 parsec", "0x10", "9999999TiB", "9" * 400 + ".5", "1e9", "٣"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"not a size|too large"):
        parse_size(text)


@pytest.mark.parametrize(
    ("text", "seconds"), [("10", 10.0), ("250ms", 0.25), ("1.5s", 1.5), ("30m", 1800.0), ("7d", 604800.0), ("0", 0.0)]
)
def test_durations_are_read_with_and_without_units(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "s", "-1s", "nan", "inf", "1y", "40000d"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"not a duration|longer"):
        parse_duration(text)


@pytest.mark.parametrize("size", [0, 1, 1000, 1023, 1024, 512 * 2**20, 3 * 2**40, 2**63 - 1])
def test_a_size_is_read_as_it_was_written(size: int) -> None:
    assert parse_size(format_size(size)) == size


@pytest.mark.parametrize("seconds", [0.0, 0.25, 1.0, 90.0, 3600.0, 604800.0, 1.125])
def test_a_duration_is_read_as_it_was_written(seconds: float) -> None:
    assert parse_duration(format_duration(seconds)) == seconds


def test_the_largest_fitting_unit_is_written() -> None:
    assert format_size(2**20) == "1MiB"
    assert format_duration(604800.0) == "7d"
