import json
from pathlib import Path

import pytest
from tests.unit.models.embedding.small_table import save_table

from memoryd_server.models.embedding.folder import identity_of

ROWS = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]]


def test_an_identity_names_the_table_and_its_dimensions(tmp_path: Path) -> None:
    identity = identity_of(save_table(tmp_path / "compass", ROWS), "compass")
    assert (identity.model, identity.dimensions) == ("compass", 2)


def test_copies_of_a_table_share_an_identity_that_other_tables_lack(tmp_path: Path) -> None:
    one, copy = (identity_of(save_table(tmp_path / name, ROWS), "compass") for name in ("one", "copy"))
    turned = identity_of(save_table(tmp_path / "turned", [ROWS[0], ROWS[2], ROWS[1]]), "compass")
    assert one == copy
    assert one.version != turned.version


def test_another_tokenizer_changes_the_identity(tmp_path: Path) -> None:
    folder = save_table(tmp_path / "compass", ROWS)
    before = identity_of(folder, "compass")
    tokenizer = folder / "tokenizer.json"
    tokenizer.write_text(tokenizer.read_text().replace("Lowercase", "NFC"))
    assert identity_of(folder, "compass").version != before.version


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "tokenizer.json"])
def test_a_folder_that_lacks_a_file_is_refused(tmp_path: Path, name: str) -> None:
    folder = save_table(tmp_path / "compass", ROWS)
    (folder / name).unlink()
    with pytest.raises(ValueError, match=f"lacks {name}"):
        identity_of(folder, "compass")


def header(content: object) -> bytes:
    text = json.dumps(content).encode()
    return len(text).to_bytes(8, "little") + text


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff" * 100,
        header([]),
        header({"embedding.weight": {"shape": [3, 2]}}),
        header({"embeddings": {"shape": [3]}}),
        header({"embeddings": {"shape": [3, 0]}}),
        header({"embeddings": {"shape": [3, "2"]}}),
    ],
)
def test_a_file_without_a_table_is_refused(tmp_path: Path, content: bytes) -> None:
    folder = save_table(tmp_path / "compass", ROWS)
    (folder / "model.safetensors").write_bytes(content)
    with pytest.raises(ValueError, match="contains no model2vec table"):
        identity_of(folder, "compass")
