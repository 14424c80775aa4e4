import asyncio
import hashlib
from pathlib import Path

import pytest
import tiktoken

from memoryd_server.models import tokenization
from memoryd_server.models.tokenization.counter import OfflineTokenCounter
from memoryd_server.ports.tokenization import ESTIMATE

VOCABULARY = Path(tokenization.__file__).parent / "vocabulary"


@pytest.mark.parametrize(
    ("model", "tokenizer"),
    [
        ("", ESTIMATE),
        ("estimate", ESTIMATE),
        ("gpt-5", "o200k_base"),
        ("gpt-4o-mini-2024-07-18", "o200k_base"),
        ("gpt-4", "cl100k_base"),
        ("o200k_base", "o200k_base"),
        ("text-davinci-003", ESTIMATE),
        ("claude-of-tomorrow", ESTIMATE),
        ("../../etc/passwd", ESTIMATE),
    ],
)
async def test_a_model_has_its_installed_tokenizer_else_an_estimate(model: str, tokenizer: str) -> None:
    assert await OfflineTokenCounter().tokenizer_of(model) == tokenizer


async def test_a_tokenizer_that_is_loaded_concurrently_counts_tokens() -> None:
    counter = OfflineTokenCounter()
    assert set(await asyncio.gather(*(counter.tokenizer_of("cl100k_base") for _ in range(8)))) == {"cl100k_base"}
    assert counter.count("The fox lives in Lisbon.", "cl100k_base") == 6


async def test_a_control_token_in_a_text_counts_as_text() -> None:
    counter = OfflineTokenCounter()
    tokenizer = await counter.tokenizer_of("gpt-5")
    assert counter.count("<|endoftext|>", tokenizer) == 7


def test_the_vocabularies_are_those_that_tiktoken_expects() -> None:
    sums = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in VOCABULARY.iterdir()}
    del sums["NOTICE"]
    assert sums == {
        "fb374d419588a4632f3f557e76b4b70aebbca790": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        "9b5ad71b2ce5302211f9c61530b329a4922fc6a4": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    }


@pytest.mark.parametrize("model", ["gpt-5", "gpt-4"])
async def test_a_long_text_is_counted_in_parts_as_if_it_were_whole(model: str) -> None:
    counter = OfflineTokenCounter()
    tokenizer = await counter.tokenizer_of(model)
    text = "It's 2026: the quick, brown fox\n  jumps over 13 lazy dogs!  " * 4_000
    assert counter.count(text, tokenizer) == len(tiktoken.get_encoding(tokenizer).encode_ordinary(text))


@pytest.mark.parametrize("character", [" ", "a", "!", "\n", "漢", "\U0001f600"])
async def test_a_long_run_of_one_character_is_counted(character: str) -> None:
    counter = OfflineTokenCounter()
    tokenizer = await counter.tokenizer_of("gpt-5")
    part = counter.count(character * 65_536, tokenizer)
    assert counter.count(character * 65_536 * 8, tokenizer) == part * 8
