import os
from pathlib import Path

import pytest
from tests.unit.models.embedding.endpoint_server import DIMENSIONS, EndpointServer
from tests.unit.models.embedding.small_table import save_table

from memoryd_server.models.embedding.choice import embedder_of
from memoryd_server.models.embedding.settings import API_KEY_VARIABLE, EmbedderSettings, EmbeddingEndpoint
from memoryd_server.models.embedding.static import StaticEmbedder

ENDPOINT = EmbeddingEndpoint(base_url="http://127.0.0.1:1/v1", model="small", dimensions=DIMENSIONS)


def test_the_default_is_the_table_of_the_distribution() -> None:
    embedder = embedder_of(EmbedderSettings())
    assert isinstance(embedder, StaticEmbedder)
    assert embedder.identity == StaticEmbedder().identity


def test_no_embedder_is_created_for_none() -> None:
    assert embedder_of(EmbedderSettings(embedder="none")) is None


def test_a_folder_is_named_by_its_path(tmp_path: Path) -> None:
    folder = save_table(tmp_path / "compass", [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    embedder = embedder_of(EmbedderSettings(embedder=f"folder:{folder}"))
    assert embedder is not None
    assert (embedder.identity.model, embedder.identity.dimensions) == ("compass", 2)


@pytest.mark.parametrize("embedder", ["", "folder", "sentence-transformers/all-MiniLM-L6-v2", "DEFAULT"])
def test_an_unknown_embedder_is_refused(embedder: str) -> None:
    with pytest.raises(ValueError, match="is none of default, none, folder:PATH and endpoint"):
        embedder_of(EmbedderSettings(embedder=embedder))


@pytest.mark.parametrize("path", ["", "~/not-there", "/not/there"])
def test_a_folder_without_a_table_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match=r"lacks config\.json"):
        embedder_of(EmbedderSettings(embedder=f"folder:{path}"))


def test_an_endpoint_without_a_url_is_refused() -> None:
    with pytest.raises(ValueError, match="needs a URL"):
        embedder_of(EmbedderSettings(embedder="endpoint"))


async def authorization(endpoint: EmbeddingEndpoint, environment: dict[str, str]) -> str | None:
    async with EndpointServer() as server:
        settings = EmbeddingEndpoint(
            base_url=server.base_url,
            model=endpoint.model,
            dimensions=endpoint.dimensions,
            api_key_file=endpoint.api_key_file,
        )
        embedder = embedder_of(EmbedderSettings(embedder="endpoint", endpoint=settings), environment)
        assert embedder is not None
        await embedder.embed(["hello"])
        await embedder.close()
        return server.requests[0].headers.get("authorization")


async def test_the_key_is_read_from_the_file_else_from_the_environment(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_text("from-file\n")
    in_file = EmbeddingEndpoint(base_url="", model="small", dimensions=DIMENSIONS, api_key_file=path)

    assert await authorization(ENDPOINT, {}) is None
    assert await authorization(ENDPOINT, {API_KEY_VARIABLE: "from-environment"}) == "Bearer from-environment"
    assert await authorization(in_file, {API_KEY_VARIABLE: "from-environment"}) == "Bearer from-file"


@pytest.mark.parametrize("content", [b"", b" \n", b"two keys", b"two\nkeys", b"sch\xc3\xbcssel", b"\xff", b"a\x00b"])
def test_a_file_without_a_key_is_refused_without_quoting_its_content(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "key.txt"
    path.write_bytes(content)
    endpoint = EmbeddingEndpoint(
        base_url="http://127.0.0.1:1/v1", model="small", dimensions=DIMENSIONS, api_key_file=path
    )
    with pytest.raises(
        ValueError, match=r"key\.txt: (the file is empty|the API key (is not ASCII text|has a character))"
    ) as caught:
        embedder_of(EmbedderSettings(embedder="endpoint", endpoint=endpoint))
    assert "keys" not in str(caught.value)


def test_a_missing_key_file_is_refused(tmp_path: Path) -> None:
    endpoint = EmbeddingEndpoint(
        base_url="http://127.0.0.1:1/v1", model="small", dimensions=DIMENSIONS, api_key_file=tmp_path / "missing"
    )
    with pytest.raises(FileNotFoundError):
        embedder_of(EmbedderSettings(embedder="endpoint", endpoint=endpoint), os.environ)
