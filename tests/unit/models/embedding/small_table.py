"""Small folders of model2vec, in variants that other tools may write."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save_file

WORDS = ("[UNK]", "north", "east")


def save_table(folder: Path, rows: Sequence[Sequence[float]], dtype: Any = np.float32, **tensors: Any) -> Path:
    """Write a table with a row for each of WORDS, and further tensors. Return its folder."""
    folder.mkdir()
    tokenizer: Mapping[str, Any] = {
        "version": "1.0",
        "added_tokens": [],
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"},
        "model": {"type": "WordLevel", "vocab": {word: i for i, word in enumerate(WORDS)}, "unk_token": "[UNK]"},
    }
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    (folder / "config.json").write_text(json.dumps({"normalize": False}))
    save_file({"embeddings": np.array(rows, dtype), **tensors}, folder / "model.safetensors")
    return folder
