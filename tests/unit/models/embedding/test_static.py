import asyncio
import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.models.embedding.small_table import save_table
from tests.wait import WAIT_S_MAX

from memoryd_server.models.embedding import static
from memoryd_server.models.embedding.static import DEFAULT_TABLE, StaticEmbedder
from memoryd_server.models.embedding.token_table import TokenTable
from memoryd_server.models.limit import EMBEDDED_TOKENS_MAX
from memoryd_server.ports.retrieval import Embedder, EmbedderUnavailable, Familiarity

ZERO = bytes(4 * 256)
COMPASS = [[9.0, 9.0], [0.0, 2.0], [1.0, 0.0]]


@pytest.fixture(scope="module")
def embedder() -> StaticEmbedder:
    return StaticEmbedder()


def numbers(vector: bytes) -> npt.NDArray[np.float32]:
    return np.frombuffer(vector, "<f4")


async def cosine(embedder: Embedder, one: str, other: str) -> float:
    first, second = await embedder.embed([one, other])
    return float(numbers(first) @ numbers(second))


async def test_texts_of_similar_meaning_are_closer_than_others(embedder: StaticEmbedder) -> None:
    for text, near, far in (
        ("Which pet does she have?", "Her dog is called Rex.", "The invoice is due on Friday."),
        ("Where does Anna live?", "Anna moved to Berlin in May.", "Tom bought a bicycle."),
        ("Who plays tennis?", "She won a badminton match.", "He paid the tax bill."),
    ):
        assert await cosine(embedder, text, near) > await cosine(embedder, text, far)


async def test_a_vector_has_the_dimensions_of_its_identity_and_length_1(embedder: StaticEmbedder) -> None:
    [vector] = await embedder.embed(["Caroline: I went to a support group yesterday."])
    assert len(vector) == 4 * embedder.identity.dimensions == 4 * 256
    assert np.linalg.norm(numbers(vector)) == pytest.approx(1, abs=1e-6)
    assert embedder.is_immediate


@pytest.mark.parametrize("text", ["", " \n\t ", "...!?", "🎉🎊", "\x00", "$ % —"])
async def test_a_text_without_words_has_a_zero_vector(embedder: StaticEmbedder, text: str) -> None:
    assert await embedder.embed([text]) == [ZERO]


OTHER_SCRIPTS = ["中国人", "日本の歴史", "مرحبا", "שלום", "Привет", "naïve café", "👩\u200d👧 family", "a" * 90]


@pytest.mark.parametrize("text", OTHER_SCRIPTS)
async def test_texts_of_other_scripts_have_a_vector(embedder: StaticEmbedder, text: str) -> None:
    [vector] = await embedder.embed([text])
    assert vector != ZERO


async def test_case_and_punctuation_do_not_change_a_vector(embedder: StaticEmbedder) -> None:
    plain, shouted = await embedder.embed(["the dog is here", "The DOG, is... here!"])
    assert numbers(plain) == pytest.approx(numbers(shouted), abs=1e-6)


@settings(max_examples=50)
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=200), max_size=80))
def test_a_text_has_the_same_vector_alone_together_and_from_another_embedder(texts: list[str]) -> None:
    async def embed() -> None:
        together = await SHARED.embed(texts)
        assert together == [(await OTHER.embed([text]))[0] for text in texts]
        lengths = [float(np.linalg.norm(numbers(vector))) for vector in together]
        assert all(length == 0 or length == pytest.approx(1, abs=1e-5) for length in lengths)

    asyncio.run(embed())


SHARED, OTHER = StaticEmbedder(), StaticEmbedder()


async def test_text_beyond_the_limit_is_ignored(embedder: StaticEmbedder) -> None:
    text = "the dog is here " * 62_500
    long, longer, other = await embedder.embed([text, text + "cat " * 1_000, "cat " * 1_000])
    assert len(text) == 1_000_000
    assert long == longer != other


async def test_the_limit_is_counted_in_tokens(tmp_path: Path) -> None:
    embedder = StaticEmbedder(save_table(tmp_path / "compass", COMPASS))
    [cut] = await embedder.embed(["north " * EMBEDDED_TOKENS_MAX + "east " * EMBEDDED_TOKENS_MAX])
    assert numbers(cut).tolist() == [0.0, 1.0]


async def test_large_batches_do_not_block_the_event_loop(embedder: StaticEmbedder) -> None:
    await embedder.embed(["first of all, load"])
    turns = 0

    async def take_turns() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    other = asyncio.create_task(take_turns())
    await embedder.embed(["the dog is here"] * 1_000)
    other.cancel()
    assert turns > 20


async def test_concurrent_first_calls_load_the_table_once(monkeypatch: pytest.MonkeyPatch) -> None:
    loads = 0

    def counted(folder: Path) -> TokenTable:
        nonlocal loads
        loads += 1
        return TokenTable(folder)

    monkeypatch.setattr(static, "_load", counted)
    embedder = StaticEmbedder()
    [one], [other] = await asyncio.gather(embedder.embed(["the dog"]), embedder.embed(["the dog"]))
    assert one == other
    assert loads == 1


async def test_the_table_is_loaded_although_the_first_call_is_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go = threading.Event(), threading.Event()
    loads = 0

    def counted(folder: Path) -> TokenTable:
        nonlocal loads
        loads += 1
        begun.set()
        assert go.wait(WAIT_S_MAX)
        return TokenTable(folder)

    monkeypatch.setattr(static, "_load", counted)
    embedder = StaticEmbedder()
    first = asyncio.create_task(embedder.embed(["one"]))
    await asyncio.to_thread(begun.wait, 5)
    first.cancel()
    await asyncio.wait((first,))
    second = asyncio.create_task(embedder.embed(["two"]))
    await asyncio.sleep(0)
    go.set()
    assert len(await second) == 1
    assert loads == 1


class _NoNetwork(socket.socket):
    def __init__(self, *arguments: Any, **options: Any) -> None:
        raise AssertionError("a socket was requested")


OFFLINE = """
import asyncio, socket, sys
from memoryd_server.models.embedding.choice import embedder_of
from memoryd_server.models.embedding.settings import EmbedderSettings

async def main():
    def refuse(*arguments, **options):
        raise AssertionError("a socket was requested")
    # The event loop has already created its own sockets.
    socket.socket = refuse
    embedder = embedder_of(EmbedderSettings())
    print({"numpy", "tokenizers", "safetensors", "httpx2"} & sys.modules.keys())
    print(any((await embedder.embed(["offline"]))[0]))

asyncio.run(main())
"""


def test_nothing_is_downloaded_and_nothing_large_imported_before_the_first_text() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    for name in ("HF_HUB_OFFLINE", "HF_HOME"):
        environment.pop(name, None)
    answer = subprocess.run([sys.executable, "-c", OFFLINE], env=environment, capture_output=True, text=True)
    assert (answer.stdout.split(), answer.stderr) == (["set()", "True"], "")


async def test_a_folder_that_disappears_is_not_downloaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    save_table(tmp_path / "compass", COMPASS)
    embedder = StaticEmbedder(Path("compass"))
    shutil.rmtree("compass")
    monkeypatch.setattr(socket, "socket", _NoNetwork)
    with pytest.raises(EmbedderUnavailable):
        await embedder.embed(["north"])


WEIGHTED = {"weights": np.array([0.0, 0.5, 3.0], np.float32), "mapping": np.array([0, 2, 1])}
TEXTS = ["north east", "north north east up", "up", "", "The dog is here. " * 3_000, "Was trinkt Anna? 日本の歴史"]


@pytest.mark.whole
@pytest.mark.parametrize("dtype", [np.int8, np.float16, np.float32, np.float64])
@pytest.mark.parametrize("tensors", [{}, WEIGHTED])
def test_means_are_those_that_model2vec_computes(tmp_path: Path, dtype: Any, tensors: Mapping[str, Any]) -> None:
    # scripts/dependencies runs this file without what is needed to build the project.
    model2vec = pytest.importorskip("model2vec")
    folder = save_table(tmp_path / "compass", COMPASS, dtype, **tensors)
    for each in (folder, DEFAULT_TABLE):
        model = model2vec.StaticModel.from_pretrained(each, normalize=False, max_length=EMBEDDED_TOKENS_MAX)
        expected = model.encode(TEXTS, use_multiprocessing=False)
        # model2vec rounds the means to the table's type.
        assert TokenTable(each).means_of(TEXTS) == pytest.approx(expected, rel=1e-3 if dtype is np.float16 else 1e-6)


def test_a_table_with_too_few_rows_is_refused(tmp_path: Path) -> None:
    folder = save_table(tmp_path / "compass", COMPASS[:2])
    with pytest.raises(ValueError, match="3 tokens have 2 vectors"):
        TokenTable(folder)


def test_tokens_that_share_a_row_are_equivalents_of_the_first_of_them(tmp_path: Path) -> None:
    mapping = {"weights": np.ones(3, np.float32), "mapping": np.array([1, 0, 1])}
    table = TokenTable(save_table(tmp_path / "compass", COMPASS[:2], np.int8, **mapping)).word_table()
    assert (list(table.words), table.equivalents) == (["[UNK]", "north"], {"east": 0})
    assert np.frombuffer(table.components, np.int8).tolist() == [0, 2, 9, 9]


async def test_any_folder_of_model2vec_is_accepted(tmp_path: Path) -> None:
    embedder = StaticEmbedder(save_table(tmp_path / "compass", COMPASS))
    assert embedder.identity.model == "compass"
    north, east, nowhere = await embedder.embed(["NORTH", "east east", "up"])
    assert numbers(north).tolist() == [0.0, 1.0]
    assert numbers(east).tolist() == [1.0, 0.0]
    assert numbers(nowhere).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("dtype", [np.int8, np.float16, np.float64])
async def test_vectors_are_float32_of_length_1_for_any_type_of_table(tmp_path: Path, dtype: Any) -> None:
    embedder = StaticEmbedder(save_table(tmp_path / "compass", COMPASS, dtype))
    [vector] = await embedder.embed(["north east"])
    assert len(vector) == 8
    assert np.linalg.norm(numbers(vector)) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
async def test_a_row_that_is_not_finite_counts_as_zero(tmp_path: Path, number: float) -> None:
    embedder = StaticEmbedder(save_table(tmp_path / "compass", [COMPASS[0], [number, number], COMPASS[2]]))
    broken, sound = await embedder.embed(["north", "east"])
    assert numbers(broken).tolist() == [0.0, 0.0]
    assert numbers(sound).tolist() == [1.0, 0.0]


async def test_a_table_that_cannot_be_loaded_makes_the_embedder_unavailable(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = save_table(tmp_path / "compass", COMPASS)
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(EmbedderUnavailable, match="cannot be loaded"):
        await StaticEmbedder(folder).embed(["north"])
    assert [vars(record)["folder"] for record in caplog.records] == [str(folder)]


@pytest.mark.parametrize(
    ("text", "least", "most", "strange"),
    [
        ("Where does Anna live?", 1.0, 1.0, set()),
        ("", 1.0, 1.0, set()),
        ("?!", 1.0, 1.0, set()),
        ("Was trinkt Anna gern?", 0.5, 0.8, {"trinkt"}),
        ("What did she RECIEVE?", 0.4, 0.8, {"recieve"}),
        ("小红的猫叫什么\uff1f", 0.05, 0.2, set("小红的猫叫")),
        ("안나는 어디에 살아요?", 0.3, 0.6, {"안", "에", "요"}),
        ("Пользователь любит чай", 0.5, 0.8, {"пользователь"}),
    ],
)
async def test_a_word_is_known_if_one_token_stands_for_it(
    embedder: StaticEmbedder, text: str, least: float, most: float, strange: set[str]
) -> None:
    await embedder.embed([text])
    familiarity = embedder.familiarity_of(text)
    assert least <= familiarity.share <= most
    assert familiarity.strange == strange


def test_all_words_are_known_before_the_table_is_loaded() -> None:
    assert StaticEmbedder().familiarity_of("小红的猫叫什么\uff1f") == Familiarity()
