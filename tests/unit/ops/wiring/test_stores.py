from pathlib import Path

import pytest

from memoryd_server.ops.config.settings import Settings, Storage
from memoryd_server.ops.data_directory import DataDirectory
from memoryd_server.ops.error import OperatorError, SettingError
from memoryd_server.ops.wiring.stores import durability_of, store_of


@pytest.mark.parametrize(
    ("storage", "backend", "durability"),
    [
        (Storage(), "sqlite", "synced"),
        (Storage(durability="journaled"), "sqlite", "journaled"),
        (Storage(durability="memory"), "in_memory", "memory"),
        (Storage(store="memory"), "in_memory", "memory"),
        (Storage(store="redis://h"), "redis", "synced"),
        (Storage(store="redis://h", durability="memory"), "redis", "memory"),
    ],
)
def test_the_store_is_the_one_that_the_settings_name(
    tmp_path: Path, storage: Storage, backend: str, durability: str
) -> None:
    settings = Settings(storage=storage)
    with DataDirectory(tmp_path) as directory, store_of(settings, directory) as store:
        assert (store.backend, durability_of(settings)) == (backend, durability)


def test_the_directory_of_a_store_is_locked_while_it_is_used(tmp_path: Path) -> None:
    settings = Settings(storage=Storage(store=f"sqlite:{tmp_path / 'files'}"))
    with DataDirectory(tmp_path / "data") as directory:
        with store_of(settings, directory), pytest.raises(OperatorError, match="files is in use by process"):
            DataDirectory(tmp_path / "files")
        DataDirectory(tmp_path / "files").close()


def test_the_data_directory_is_not_locked_twice(tmp_path: Path) -> None:
    settings = Settings(storage=Storage(store=f"sqlite:{tmp_path}"))
    with DataDirectory(tmp_path) as directory, store_of(settings, directory) as store:
        assert store.backend == "sqlite"


def test_a_url_that_the_store_cannot_use_is_a_setting_that_is_wrong(tmp_path: Path) -> None:
    settings = Settings(storage=Storage(store="redis://me:secret@h/none"))
    with (
        DataDirectory(tmp_path) as directory,
        pytest.raises(SettingError, match="store: must have a database's number") as refused,
        store_of(settings, directory),
    ):
        pass
    assert "secret" not in refused.value.message


def test_what_goes_wrong_while_the_store_is_used_is_not_blamed_on_its_url(tmp_path: Path) -> None:
    with (
        DataDirectory(tmp_path) as directory,
        pytest.raises(ValueError, match="elsewhere"),
        store_of(Settings(), directory),
    ):
        raise ValueError("elsewhere")
