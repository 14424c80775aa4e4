from pathlib import Path

import pytest

from memoryd_server.models.summarizing.endpoint import API_KEY_VARIABLE
from memoryd_server.ops.config.settings import Summarizing
from memoryd_server.ops.error import SettingError
from memoryd_server.ops.summarizing import summarizer_of


def summarizing(url: str = "http://127.0.0.1:9/v1", key_file: Path | None = None) -> Summarizing:
    return Summarizing(summary_url=url, summary_model="m", summary_key_file=key_file)


def test_without_an_endpoint_there_is_none() -> None:
    assert summarizer_of(Summarizing()) is None


@pytest.mark.parametrize(
    "settings",
    [summarizing("ftp://host"), summarizing(key_file=Path("/no/such/key"))],
    ids=["no http", "no key"],
)
def test_one_that_cannot_be_had_is_told_by_its_setting(settings: Summarizing) -> None:
    with pytest.raises(SettingError) as refused:
        summarizer_of(settings)
    assert refused.value.setting == "summary_url"


async def test_an_operator_may_say_that_the_key_goes_in_the_clear(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(API_KEY_VARIABLE, "key")
    settings = summarizing("http://models.example")
    with pytest.raises(SettingError, match="--insecure"):
        summarizer_of(settings)
    summarizer = summarizer_of(settings, insecure=True)
    assert summarizer is not None
    await summarizer.close()
