import json
from collections.abc import Callable
from pathlib import Path

import pytest

from memoryd_server.ops.config.table import TABLE

Command = Callable[..., tuple[int, str, str]]


def test_each_setting_is_printed_with_its_source(command: Command) -> None:
    code, out, _ = command("config", "--durability", "memory")
    assert code == 0
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert 'durability = "memory" # flag --durability' in lines
    assert "snapshot_keep = 5 # default" in lines
    assert "# token_file is not set" in lines
    assert all(any(setting.name in line for line in lines) for setting in TABLE)
    assert [line for line in lines if line in {f"# {setting.section}" for setting in TABLE}] == list(
        dict.fromkeys(f"# {setting.section}" for setting in TABLE)
    )


def test_what_is_printed_is_a_settings_file_that_means_the_same(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flags = [
        *("--listen", "127.0.0.1:0", "--listen", 'unix:/run/a "b"/x.sock'),
        *("--drain-timeout", "250ms"),  # time: nobody drains
        *("--cache-bytes-max", "1000", "--no-snapshot-on-shutdown", "--metrics-listen", "[::1]:9", "--insecure"),
        *("--data-dir", "/srv/é", "--limit-entry-bytes", "2MiB"),
    ]
    file = tmp_path / "memoryd.toml"
    file.write_text(command("config", *flags)[1])
    again = json.loads(command("config", "--json", "--config", str(file))[1])
    direct = json.loads(command("config", "--json", *flags)[1])
    assert {name: row["value"] for name, row in again.items()} == {name: row["value"] for name, row in direct.items()}


def test_json_has_bytes_and_seconds(command: Command) -> None:
    effective = json.loads(command("config", "--json", "--cache-bytes-max", "1KiB", "--drain-timeout", "1m")[1])
    assert effective["cache_bytes_max"] == {"value": 1024, "source": "flag --cache-bytes-max"}
    assert effective["drain_timeout"]["value"] == 60.0
    assert effective["listen"]["value"] == ["127.0.0.1:7600"]
    assert effective["restore"] == {"value": None, "source": "default"}


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("redis://ann:s3cret@h:1/0", "redis://ann:***@h:1/0"),
        ("rediss://:s3cret@h", "rediss://:***@h"),
        ("redis+sentinel://h:1/name?sentinel_password=s3cret&ssl_keyfile=/k", "?sentinel_password=***&ssl_keyfile=/k"),
        ("redis://h:1/0", "redis://h:1/0"),
        (
            "redis://h:1/0?prefix=p&client_secret=s3cret&token=s3cret",
            "redis://h:1/0?prefix=p&client_secret=***&token=***",
        ),
        ("redis:ann:s3cret", "***"),
        ("redis:/s3cret@h", "***"),
        ("sqlite:/srv/memory", "sqlite:/srv/memory"),
        ("sqlite", "sqlite"),
    ],
)
def test_a_password_in_an_url_is_not_printed(command: Command, url: str, shown: str) -> None:
    for flags in ([], ["--json"]):
        code, out, _ = command("config", "--store", url, *flags)
        assert code == 0
        assert shown in out
        assert "s3cret" not in out
