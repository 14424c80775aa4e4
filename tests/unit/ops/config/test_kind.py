import pytest

from memoryd_server.ops.config.kind import URL


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
