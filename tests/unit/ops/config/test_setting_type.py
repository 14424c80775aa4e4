import click
import pytest

from memoryd_server.ops.config.setting_type import ENDPOINT_URL, URL, Share


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("redis://h:1/0", "redis://h:1/0"),
        ("redis://ann@h", "redis://ann@h"),
        ("redis://ann:s3cret@h:1/0", "redis://ann:***@h:1/0"),
        ("rediss://:s3cret@h", "rediss://:***@h"),
        ("redis://ann:s3c@ret@h", "redis://ann:***@h"),
        ("redis://ann:s3c\nret@h", "redis://ann:***@h"),
        ("redis+cluster://ann:s3cret@[::1]:7000,b,c:1", "redis+cluster://ann:***@[::1]:7000,b,c:1"),
        ("rediss://h?ssl_ca_certs=/ca&ssl_password=s3cret", "rediss://h?ssl_ca_certs=/ca&ssl_password=***"),
        ("redis+sentinel://h/m?sentinel_password=s3c@ret", "redis+sentinel://h/m?sentinel_password=***"),
        (
            "redis+sentinel://ann:s3cret@h/m?sentinel_password=s3c@ret&sentinel_username=bob",
            "redis+sentinel://ann:***@h/m?sentinel_password=***&sentinel_username=bob",
        ),
    ],
)
def test_an_url_is_shown_without_its_passwords(url: str, shown: str) -> None:
    assert URL.shown(url) == shown


@pytest.mark.parametrize(
    "rest", ["ann:s3c?ret@h/0", "ann:s3c/ret@h/0", "ann:s3c#ret@h/0", "ann:s3c", "ann:12?s3c=ret@h"]
)
def test_nothing_is_shown_of_an_url_whose_password_may_be_anywhere(rest: str) -> None:
    assert URL.shown(f"redis://{rest}") == "redis://***"


def test_nothing_is_shown_of_what_is_no_url() -> None:
    assert URL.shown("ann:s3cret@h") == "***"


def test_a_share_is_a_number_from_0_to_1() -> None:
    share = Share()
    assert [share.convert(text, None, None) for text in ("0", "1", "0.25", "1e-3")] == [0, 1, 0.25, 0.001]
    assert share.convert(0.5, None, None) == 0.5
    assert share.to_toml(0.25) == "0.25"
    for text in ("", "-0.1", "1.1", "nan", "inf", "half", "50%"):
        with pytest.raises(click.BadParameter, match="is not a"):
            share.convert(text, None, None)


@pytest.mark.parametrize(
    "rest", ["h/v1?api_key=s3cret", "h?s3cret", "h/v1#s3cret", "s3cret@h/v1", "ann:s3cret@h/v1", "h/v1/s3cret@x"]
)
def test_an_endpoint_is_shown_without_what_may_be_a_key(rest: str) -> None:
    assert ENDPOINT_URL.shown(f"https://{rest}") == "https://***"
    assert ENDPOINT_URL.shown(rest) == "***"


@pytest.mark.parametrize("url", ["http://127.0.0.1:11434/v1", "https://models.example/v1", "http://[::1]:80/"])
def test_an_endpoint_without_a_secret_is_shown_as_it_is(url: str) -> None:
    assert ENDPOINT_URL.shown(url) == url
