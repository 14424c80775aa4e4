from pathlib import Path

import pytest
from tests.unit.domain.sample import NOW, Agent

from memoryd_server.domain.memories.salience import SaliencePolicy, salience_of
from memoryd_server.models.embedding.settings import API_KEY_VARIABLE
from memoryd_server.models.proposing.endpoint import API_KEY_VARIABLE as INGEST_KEY_VARIABLE
from memoryd_server.models.summarizing.endpoint import API_KEY_VARIABLE as SUMMARY_KEY_VARIABLE
from memoryd_server.ops.config.proposing import Proposing
from memoryd_server.ops.config.settings import Embedding, Summarizing
from memoryd_server.ops.error import SettingError
from memoryd_server.ops.wiring.models import NewIndexes, embedder_of, proposer_of, summarizer_of
from memoryd_server.ports.proposing import Proposer
from memoryd_server.ports.retrieval import IndexedMemory, Query

ENDPOINT = {"embedding_url": "http://127.0.0.1:9/v1", "embedding_model": "m", "embedding_dimensions": 3}


async def test_an_index_knows_salience_as_the_operator_set_it() -> None:
    policy = SaliencePolicy(half_life_ns=1, archive_below=0.0)
    memory = Agent().create("red fox")
    index = NewIndexes().of_memories(policy)()
    index.put([IndexedMemory(memory)])
    (match,) = index.search(Query("fox", NOW + 1, 10)).matches
    assert match.salience == pytest.approx(salience_of(memory, 0.0, NOW + 1, policy), abs=1e-3)
    assert index.search(Query("fox", NOW + 1, 10, min_salience=1.0)).matches == ()


async def test_the_default_embedder_is_immediate_and_none_is_none() -> None:
    embedder = embedder_of(Embedding())
    assert embedder is not None
    assert embedder.is_immediate
    assert embedder_of(Embedding(embedder="none")) is None


async def test_an_endpoint_is_known_by_its_model_version_and_dimensions() -> None:
    embedder = embedder_of(Embedding(embedder="endpoint", embedding_version="7", **ENDPOINT))  # type: ignore[arg-type]
    assert embedder is not None
    assert (embedder.identity.model, embedder.identity.version, embedder.identity.dimensions) == ("m", "7", 3)
    assert not embedder.is_immediate
    await embedder.close()


@pytest.mark.parametrize(
    "embedding",
    [
        Embedding(embedder="something"),
        Embedding(embedder="folder:/no/such/folder"),
        Embedding(embedder="endpoint", embedding_key_file=Path("/no/such/key"), **ENDPOINT),  # type: ignore[arg-type]
    ],
    ids=["unknown", "no folder", "no key"],
)
def test_the_error_for_an_unusable_embedder_names_its_setting(embedding: Embedding) -> None:
    with pytest.raises(SettingError) as refused:
        embedder_of(embedding)
    assert refused.value.setting == "embedder"


async def test_an_operator_may_say_that_the_key_goes_in_the_clear(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(API_KEY_VARIABLE, "key")
    settings = Embedding(embedder="endpoint", **{**ENDPOINT, "embedding_url": "http://models.example"})  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="--insecure"):
        embedder_of(settings)
    embedder = embedder_of(settings, insecure=True)
    assert embedder is not None
    await embedder.close()


def summarizing(url: str = "http://127.0.0.1:9/v1", key_file: Path | None = None) -> Summarizing:
    return Summarizing(summary_url=url, summary_model="m", summary_key_file=key_file)


def test_without_an_endpoint_there_is_no_summarizer() -> None:
    assert summarizer_of(Summarizing()) is None


@pytest.mark.parametrize(
    "settings",
    [summarizing("ftp://host"), summarizing(key_file=Path("/no/such/key"))],
    ids=["no http", "no key"],
)
def test_the_error_for_an_unusable_summarizer_names_its_setting(settings: Summarizing) -> None:
    with pytest.raises(SettingError) as refused:
        summarizer_of(settings)
    assert refused.value.setting == "summary_url"


async def test_an_operator_may_send_the_key_of_the_summarizer_in_the_clear(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SUMMARY_KEY_VARIABLE, "key")
    settings = summarizing("http://models.example")
    with pytest.raises(SettingError, match="--insecure"):
        summarizer_of(settings)
    summarizer = summarizer_of(settings, insecure=True)
    assert summarizer is not None
    await summarizer.close()


def proposer(settings: Proposing, *, insecure: bool = False) -> Proposer | None:
    return proposer_of(settings, Path("/no/such/file"), lambda: 0, insecure=insecure)


def proposing(url: str = "http://127.0.0.1:9/v1", key_file: Path | None = None) -> Proposing:
    return Proposing(url=url, model="m", key_file=key_file)


def test_without_an_endpoint_the_rules_propose() -> None:
    assert proposer(Proposing()) is None


@pytest.mark.parametrize(
    "settings", [proposing("ftp://host"), proposing(key_file=Path("/no/such/key"))], ids=["no http", "no key"]
)
def test_the_error_for_an_unusable_proposer_names_its_setting(settings: Proposing) -> None:
    with pytest.raises(SettingError) as refused:
        proposer(settings)
    assert refused.value.setting == "ingest_url"


async def test_an_operator_may_send_the_key_of_the_proposer_in_the_clear(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(INGEST_KEY_VARIABLE, "key")
    settings = proposing("http://models.example")
    with pytest.raises(SettingError, match="--insecure"):
        proposer(settings)
    endpoint = proposer(settings, insecure=True)
    assert endpoint is not None
    await endpoint.close()
