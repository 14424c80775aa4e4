from memoryd_server.domain.limit import Limits
from memoryd_server.ops.config.settings import Settings
from memoryd_server.ops.config.table import TABLE, settings_of


def test_every_setting_has_a_name_of_its_own_and_help() -> None:
    assert len({setting.name for setting in TABLE}) == len(TABLE)
    assert all(setting.help for setting in TABLE)


def test_every_limit_is_a_setting() -> None:
    names = {setting.name for setting in TABLE}
    assert {f"limit_{field}" for field in Limits.__struct_fields__} <= names


def test_a_settings_spellings_follow_from_its_name() -> None:
    data_dir = next(setting for setting in TABLE if setting.name == "data_dir")
    assert (data_dir.flag, data_dir.variable) == ("--data-dir", "MEMORYD_DATA_DIR")


def test_nothing_given_is_the_defaults() -> None:
    assert settings_of({}) == Settings()


def test_given_values_lie_in_their_groups_and_the_rest_is_default() -> None:
    settings = settings_of({"journal_rows_max": 7, "limit_entry_bytes": 9, "drain_timeout": 1.0})
    assert settings.journal.rows_max == 7
    assert settings.journal.age_max == Settings().journal.age_max
    assert settings.limits == Limits(entry_bytes=9)
    assert settings.listening.drain_timeout == 1.0


def test_every_default_is_read_as_it_is_written() -> None:
    for setting in TABLE:
        default = setting.value(Settings())
        if isinstance(default, str):
            assert setting.type.convert(default, None, None) == default
