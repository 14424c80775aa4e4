import pytest
from redis.asyncio.connection import SSLConnection

from memoryd_server.stores.redis.url import ServerAddress, StoreUrl, parse_store_url


def addresses(url: StoreUrl) -> list[str]:
    return [str(each) for each in url.addresses]


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("redis://db", "standalone", ["db:6379"]),
        ("redis://db:1/", "standalone", ["db:1"]),
        ("redis://[::1]:7000", "standalone", ["[::1]:7000"]),
        ("redis://[::1]", "standalone", ["[::1]:6379"]),
        ("redis+sentinel://a/memory", "sentinel", ["a:26379"]),
        ("redis+sentinel://a,b:1,[::2]:3/memory", "sentinel", ["a:26379", "b:1", "[::2]:3"]),
        ("redis+cluster://a,b:7001", "cluster", ["a:6379", "b:7001"]),
        ("redis+cluster://me:secret@[::1]:1,[fe80::2%eth0],c:3", "cluster", ["[::1]:1", "[fe80::2%eth0]:6379", "c:3"]),
        ("redis://db\n", "standalone", ["db:6379"]),
    ],
)
def test_each_kind_names_its_servers(text: str, kind: str, expected: list[str]) -> None:
    url = parse_store_url(text)
    assert (url.kind, addresses(url), url.is_encrypted) == (kind, expected, False)
    assert parse_store_url(text.replace("redis", "rediss", 1)).is_encrypted


def test_user_password_and_database_are_options_of_each_connection() -> None:
    url = parse_store_url("redis://me:p%40ss%3A%2Fw@db/3")
    assert url.options == {"username": "me", "password": "p@ss:/w", "db": 3}
    connection = url.connection(ServerAddress("other", 1))
    assert (connection.host, connection.port, connection.db) == ("other", 1, 3)
    assert (connection.username, connection.password) == ("me", "p@ss:/w")
    assert connection.socket_timeout is None


def test_a_password_needs_no_user() -> None:
    assert parse_store_url("redis://:secret@db").options == {"password": "secret"}


def test_a_password_may_have_commas_and_at_signs_that_are_quoted() -> None:
    url = parse_store_url("redis+cluster://me:a%2Cb%40c@x,y")
    assert (url.options["password"], addresses(url)) == ("a,b@c", ["x:6379", "y:6379"])


def test_the_sentinels_path_names_the_service_and_then_the_database() -> None:
    url = parse_store_url("redis+sentinel://me:secret@a/my%20memory/2?sentinel_username=it&sentinel_password=pw")
    assert (url.service, url.options["db"]) == ("my memory", 2)
    assert url.sentinel_options == {"username": "it", "password": "pw"}
    sentinel = url.sentinel_connection(url.addresses[0])
    assert (sentinel.username, sentinel.password, sentinel.db) == ("it", "pw", 0)
    assert (url.connection(url.addresses[0]).username, url.connection(url.addresses[0]).db) == ("me", 2)


def test_tls_applies_to_the_sentinels() -> None:
    url = parse_store_url("rediss+sentinel://a/memory?ssl_ca_certs=/ca.pem&ssl_check_hostname=no")
    assert url.options == {"ssl_ca_certs": "/ca.pem", "ssl_check_hostname": False}
    assert url.sentinel_options == url.options
    assert type(url.connection(url.addresses[0])).__name__ == "SSLConnection"


@pytest.mark.parametrize(
    ("query", "options"),
    [
        ("ssl_ca_certs=/ca&ssl_ca_path=/cas", {"ssl_ca_certs": "/ca", "ssl_ca_path": "/cas"}),
        (
            "ssl_certfile=/c&ssl_keyfile=/k&ssl_password=p",
            {"ssl_certfile": "/c", "ssl_keyfile": "/k", "ssl_password": "p"},
        ),
        ("ssl_check_hostname=Yes&ssl_cert_reqs=optional", {"ssl_check_hostname": True, "ssl_cert_reqs": "optional"}),
        ("ssl_check_hostname=0&ssl_cert_reqs=none", {"ssl_check_hostname": False, "ssl_cert_reqs": "none"}),
    ],
)
def test_each_option_of_tls_is_one_of_the_connection(query: str, options: dict[str, object]) -> None:
    url = parse_store_url(f"rediss://db?{query}")
    assert url.options == options
    connection = url.connection(url.addresses[0])
    assert isinstance(connection, SSLConnection)
    assert connection.ssl_context.ca_certs == options.get("ssl_ca_certs")


def test_options_of_the_store_are_its_settings() -> None:
    url = parse_store_url("rediss://db?prefix=a%20b&shards=512&replicas=2&timeout=0.5&ssl_ca_certs=/ca")
    assert url.settings == {"prefix": "a b", "shard_count": 512, "replicas": 2, "timeout_s": 0.5}
    assert url.options == {"ssl_ca_certs": "/ca"}
    assert parse_store_url("redis://db").settings == {}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "must begin with redis://"),
        ("http://db", "must begin with redis://"),
        ("redis+other://db", "must begin with redis://"),
        ("redis:db", "must begin with redis://"),
        ("redis://me:secret@", "must name servers"),
        ("redis://me:secret@:1", "must name servers"),
        ("redis://me:secret@db:none", "must name servers"),
        ("redis://me:secret@db:0", "must name servers"),
        ("redis://me:secret@db:65536", "must name servers"),
        ("redis+cluster://me:secret@a,,b", "must name servers"),
        ("redis://me:secret@a,b", "must name one server"),
        ("redis://me:secret@db/x", "database's number"),
        ("redis://me:secret@db/1/2", "database's number"),
        ("redis+cluster://me:secret@db/1", "must not name a database other than 0"),
        ("redis+sentinel://me:secret@db", "must name the sentinels' service"),
        (
            "redis://me:secret@db?socket_timeout=1&zeta=secret",
            "has an unknown option; the options are prefix, shards, ",
        ),
        ("redis://me:1?secret@db/0", "has an unknown option"),
        ("redis://me:1?secret=x@db/0", "has an unknown option"),
        ("redis://me:a?secret@db/0", "must name servers"),
        ("redis://me:1/secret@db/0", "percent-encode all but letters and digits"),
        ("redis+sentinel://me:1/secret@db", "percent-encode all but letters and digits"),
        ("redis://me:1#secret@db", "percent-encode all but letters and digits"),
        ("redis://me:secret @db", "percent-encode all but letters and digits"),
        ("redis://me:secret@[db", "must name servers"),
        ("redis://me:secret@db]", "must name servers"),
        ("redis://me:secret@::1", "must name servers"),
        ("redis://me:secret@[]:1", "must name servers"),
        ("redis://me:secret@[::1]1", "must name servers"),
        ("redis://me:secret@db:", "must name servers"),
        ("redis://me:secret@db?sentinel_password=secret", "must begin with redis+sentinel"),
        ("redis://me:secret@db?ssl_ca_certs=/x", "must begin with rediss"),
        ("rediss://me:secret@db?ssl_foo=secret", "has an unknown option"),
        ("redis://me:secret@db?shards=0", "must have a whole number from 1 to 512 for shards"),
        ("redis://me:secret@db?shards=513", "must have a whole number from 1 to 512 for shards"),
        ("redis://me:secret@db?shards=secret", "must have a whole number from 1 to 512 for shards"),
        ("redis://me:secret@db?replicas=-1", "must have a whole number from 0 to 1000 for replicas"),
        ("redis://me:secret@db?timeout=0", "must have a number of seconds above 0"),
        ("redis://me:secret@db?timeout=nan", "must have a number of seconds above 0"),
        ("redis://me:secret@db?timeout=inf", "must have a number of seconds above 0"),
        ("redis://me:secret@db?timeout=secret", "must have a number of seconds above 0"),
        ("redis://me:secret@db?prefix=", "must have a prefix without braces"),
        ("redis://me:secret@db?prefix=secret}", "must have a prefix without braces"),
        ("rediss://me:secret@db?ssl_check_hostname=secret", "must have one of yes, no, true, false, 1, 0 for ssl_"),
        ("rediss://me:secret@db?ssl_cert_reqs=secret", "must have one of required, optional, none for ssl_cert_reqs"),
    ],
)
def test_an_invalid_url_is_refused_without_quoting_the_password(text: str, why: str) -> None:
    with pytest.raises(ValueError) as refused:
        parse_store_url(text)
    assert why in str(refused.value)
    assert "secret" not in str(refused.value)
