"""The table of the distribution, and the functions that build it."""

import hashlib
import math
from pathlib import Path

import numpy as np
import pytest
from scripts.distillation.encoder import error_function
from scripts.distillation.table import DIMENSIONS, make_table
from scripts.distillation.weight import token_probabilities, token_weights

from memoryd_server.models import embedding

TABLE = Path(embedding.__file__).with_name("table")
SPECIAL = ["[PAD]", "[unused0]", "!", "$", "7", "a", "ß"]
WORDS = ["the", "of", "##s", "house", "##…", "zymurgy"]


def weights_of(tokens: list[str]) -> np.ndarray:
    return token_weights(tokens, token_probabilities(tokens))


def test_the_table_is_the_one_whose_digests_were_recorded() -> None:
    recorded = [line.split("  ") for line in (TABLE / "SHA256SUMS").read_text("ascii").splitlines()]
    assert [name for _, name in recorded] == ["config.json", "model.safetensors", "tokenizer.json"]
    assert [hashlib.sha256((TABLE / name).read_bytes()).hexdigest() for _, name in recorded] == [
        digest for digest, _ in recorded
    ]


def test_the_table_names_the_authors_of_its_sources() -> None:
    notice = (TABLE / "NOTICE").read_text("utf-8")
    for name in (
        "Sentence Transformers",
        "Google AI Language Team",
        "Universal Sentence Encoder",
        "Microsoft",
        "Apache License",
        "MIT License",
    ):
        assert name in notice


def test_a_rarer_word_weighs_more() -> None:
    weights = dict(zip(SPECIAL + WORDS, weights_of(SPECIAL + WORDS), strict=True))
    words = [weights[word] for word in WORDS if word != "##…"]
    assert words == sorted(words)
    assert len(set(words)) == len(words)
    assert 0 < words[0] < 0.01
    assert weights["a"] == weights["the"]
    assert weights["7"] == weights["ß"] == pytest.approx(weights["zymurgy"])


@pytest.mark.parametrize("token", ["[PAD]", "[unused0]", "!", "$", "##…"])
def test_punctuation_and_special_tokens_weigh_nothing(token: str) -> None:
    assert weights_of(SPECIAL + WORDS)[(SPECIAL + WORDS).index(token)] == 0


def test_a_table_keeps_the_cosines_of_its_tokens() -> None:
    chance = np.random.default_rng(1)
    vectors = (chance.standard_normal((400, 20)) @ chance.standard_normal((20, 384))).astype(np.float32)
    weights = np.linspace(0, 1, 400)
    table = make_table(vectors, weights, np.arange(400))

    assert table.embeddings.shape == (400, DIMENSIONS)
    assert not table.embeddings[0].any()
    rows = table.embeddings[1:] * (table.weights[1:] / weights[1:])[:, None]
    unit = vectors[1:] / np.linalg.norm(vectors[1:], axis=1, keepdims=True)
    assert np.abs(rows @ rows.T - unit @ unit.T).max() < 0.02


def test_tokens_that_share_a_vector_have_weights_of_their_own() -> None:
    vectors = np.random.default_rng(1).standard_normal((300, 384)).astype(np.float32)
    weights = np.append(np.full(300, 0.5), 0.25)
    table = make_table(vectors, weights, np.append(np.arange(300), 7))
    assert len(table.embeddings) == 300
    assert table.mapping[300] == 7
    assert table.weights[300] == pytest.approx(table.weights[7] / 2)


def test_the_error_function_is_exact_to_a_millionth() -> None:
    values = np.linspace(-4, 4, 200, dtype=np.float32)
    assert error_function(values) == pytest.approx([math.erf(value) for value in values], abs=1e-6)
