"""The options of a store's URL in docs/operations/scaling.md are those of the store, with their defaults."""

import re
from pathlib import Path

import msgspec

from memoryd_server.stores.redis.store import RedisSettings
from memoryd_server.stores.redis.url import parse_store_url

PAGE = (Path(__file__).parents[4] / "docs" / "operations" / "scaling.md").read_text("utf-8")
TABLE = PAGE.partition("| option | default |")[2].partition("\n\n")[0]
DEFAULTS = re.findall(r"^\| `(\w+)` \| `?(\w+)`? \|", TABLE, re.MULTILINE)

SET_ELSEWHERE = {"level", "journal_rows_max", "may_create"}
"""Settings of the store that options of the command line give."""


def test_the_page_lists_every_option_with_its_default() -> None:
    query = "&".join(f"{name}={default}" for name, default in DEFAULTS)
    given = parse_store_url(f"redis://host?{query}").settings
    assert given == {name: getattr(RedisSettings(), name) for name in given}
    assert given.keys() == {field.name for field in msgspec.structs.fields(RedisSettings)} - SET_ELSEWHERE
