from pathlib import Path

import pytest

from memoryd_server.ops.config.settings import Settings, default_data_dir
from memoryd_server.ops.wiring.stores import durability_of


def test_the_data_directory_follows_the_base_directories(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_data_dir() == tmp_path / ".local/share/memoryd"
    monkeypatch.setenv("XDG_DATA_HOME", "/srv/data")
    assert Settings().storage.data_dir == Path("/srv/data/memoryd")


def test_a_relative_base_directory_is_ignored(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", "data")
    assert default_data_dir() == tmp_path / ".local/share/memoryd"


def test_a_user_without_a_home_has_a_default_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home(_path: Path) -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "expanduser", no_home)
    assert default_data_dir() == Path("/var/lib/memoryd")


def test_the_defaults_cannot_hurt() -> None:
    settings = Settings()
    assert [str(address) for address in settings.listening.listen] == ["127.0.0.1:7600"]
    assert (settings.storage.url, durability_of(settings)) == ("sqlite", "synced")
    assert settings.metrics.listen is None
    assert not settings.security.insecure
