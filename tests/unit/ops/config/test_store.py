"""The choice of a store among those that distributions have registered."""

from pathlib import Path

import pytest

from memoryd_server.ops.config.store import factory_of
from memoryd_server.ops.error import OperatorError
from memoryd_server.ports.store_factory import StoreOptions
from memoryd_server.stores.in_memory import InMemoryFactory
from memoryd_server.stores.redis.factory import RedisFactory
from memoryd_server.stores.sqlite.factory import SqliteFactory


def install(directory: Path, name: str, entry: str) -> None:
    """The metadata of a distribution, as an installer leaves them."""
    metadata = directory / f"{name}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[memoryd.stores]\n{entry}\n")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder where Python finds modules and distributions."""
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("sqlite", SqliteFactory),
        ("sqlite:/srv", SqliteFactory),
        ("memory", InMemoryFactory),
        ("redis://h", RedisFactory),
        ("REDIS://h", RedisFactory),
        ("rediss://h", RedisFactory),
        ("redis+sentinel://h/s", RedisFactory),
        ("rediss+sentinel://h/s", RedisFactory),
        ("redis+cluster://h", RedisFactory),
        ("rediss+cluster://h", RedisFactory),
    ],
)
def test_each_of_the_daemons_own_stores_is_found_by_its_scheme(url: str, kind: type) -> None:
    assert type(factory_of(url)) is kind


@pytest.mark.parametrize("url", ["", ":", "redis+", "mysql://me:secret@h", "secret"])
def test_an_unknown_scheme_is_refused_with_those_that_are_installed(url: str) -> None:
    with pytest.raises(ValueError, match="an installed store: memory, redis, redis") as refused:
        factory_of(url)
    assert "secret" not in str(refused.value)


def test_a_store_of_another_distribution_is_found(site: Path) -> None:
    (site / "shelf_store.py").write_text("class Factory:\n    is_shared = True\n")
    install(site, "shelf", "shelf = shelf_store:Factory")
    assert factory_of("shelf://anywhere").is_shared


def test_a_scheme_that_two_distributions_register_is_refused_with_their_names(site: Path) -> None:
    install(site, "shelf", "sqlite = shelf_store:Factory")
    with pytest.raises(OperatorError, match="sqlite is registered by memoryd-server and shelf: uninstall all but one"):
        factory_of("sqlite")


@pytest.mark.parametrize(
    ("source", "entry", "problem"),
    [
        ("", "broken = broken_store_a:Factory", "has no attribute 'Factory'"),
        ("raise RuntimeError('no licence')", "broken = broken_store_b:Factory", "RuntimeError: no licence"),
        ("import not_there", "broken = broken_store_c:Factory", "No module named 'not_there'"),
        ("Factory = 5", "broken = broken_store_d:Factory", "TypeError"),
    ],
)
def test_a_store_that_cannot_be_loaded_is_named_with_its_distribution(
    site: Path, source: str, entry: str, problem: str
) -> None:
    module = entry.split(" = ")[1].split(":")[0]
    (site / f"{module}.py").write_text(source)
    install(site, "shelf", entry)
    with pytest.raises(OperatorError, match=f"store: broken of shelf cannot be loaded: .*{problem}"):
        factory_of("broken")


def test_another_store_that_cannot_be_loaded_does_no_harm(site: Path) -> None:
    install(site, "shelf", "broken = not_there:Factory")
    assert not factory_of("sqlite").is_shared


def test_the_embedded_store_is_in_the_data_directory_unless_its_url_names_another(tmp_path: Path) -> None:
    factory = SqliteFactory()
    assert factory.directory(StoreOptions(url="sqlite", data_directory=tmp_path)) == tmp_path
    assert factory.directory(StoreOptions(url="sqlite:", data_directory=tmp_path)) == tmp_path
    assert factory.directory(StoreOptions(url="sqlite:/srv/m", data_directory=tmp_path)) == Path("/srv/m")
    assert factory.directory(StoreOptions(url="sqlite:~/m")) == Path.home() / "m"
    with pytest.raises(ValueError, match="must name a directory"):
        factory.directory(StoreOptions(url="sqlite"))


def test_memory_has_neither_a_place_nor_a_source() -> None:
    with pytest.raises(ValueError, match="must be the scheme alone"):
        InMemoryFactory().new_store(StoreOptions(url="memory:/srv"))
    with pytest.raises(ValueError, match="ends with its process"):
        InMemoryFactory().new_source(StoreOptions(url="memory"))
