"""Bounds stand in the file of their layer, each with its reason."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

DAEMON = Path(__file__).parents[2] / "daemon" / "memoryd_server"
LIMIT_FILES = sorted(DAEMON.rglob("limit.py"))

LOCAL = {
    # What an algorithm cuts, counts and compares.
    "domain/documents/chunking.py CHUNK_TOKENS_MAX",
    "domain/documents/chunking.py CHUNK_LETTERS_MAX",
    "domain/documents/chunking.py OVERLAP_TOKENS_MAX",
    "domain/documents/chunking.py OVERLAP_LETTERS_MAX",
    "domain/documents/markdown_section.py TITLE_LETTERS_MAX",
    "domain/memories/classification.py LOOKED_AT_CHARACTERS_MAX",
    "domain/memories/proposals/batch.py SHOWN_CHARACTERS_MAX",
    "domain/memories/proposals/batch.py SHOWN_TEXTS_MAX",
    "domain/memories/proposals/selection.py SELECTED_MAX",
    "domain/memories/proposals/selection.py SELECTED_PER_TEXT_MAX",
    "domain/memories/proposals/prose.py READ_CHARACTERS_MAX",
    "domain/memories/proposals/prose.py SENTENCE_CHARACTERS_MAX",
    "domain/memories/proposals/statement.py STATEMENTS_PER_TEXT_MAX",
    "domain/memories/kinship/kinship.py JUDGED_CHARACTERS_MAX",
    "domain/memories/kinship/claim.py SUBJECT_WORDS_MAX",
    "domain/memories/kinship/claim.py VALUE_WORDS_MAX",
    "domain/memories/kinship/claim.py NOUN_WORDS_MAX",
    "domain/values/weighted_lru.py LOOKS_MAX",
    "engine/context/section_pieces.py NUMBERS_PER_MESSAGE_MAX",
    "domain/context/cut_text.py CUT_TOKENS_MIN",
    "domain/values/token_estimate.py PIECE_LETTERS_MAX",
    "domain/documents/markdown_section.py SECTIONS_MAX",
    "domain/values/prompt_text.py NAME_CHARACTERS_MAX",
    "extraction/text_decoding.py ACCENTED_SHARE_MAX",
    "extraction/text_decoding.py CONTROL_SHARE_MAX",
    "extraction/text_decoding.py WESTERN_SHARE_MIN",
    "models/summarizing/answer.py WORDS_MAX",
    "retrieval/agreement.py ALL_MAX",
    "retrieval/agreement.py NEAR_MIN",
    "retrieval/currency/precedence.py READ_MAX",
    "retrieval/currency/said.py READ_CHARACTERS_MAX",
    "retrieval/currency/wish.py READ_CHARACTERS_MAX",
    "retrieval/likeness.py NEAR_DUPLICATE_SHARE_MIN",
    "retrieval/ranking.py SEEDS_MAX",
    "retrieval/ranking.py COMPARED_MAX",
    "retrieval/contender.py COMPARED_MAX",
    "retrieval/contender.py LEFT_MAX",
    "retrieval/meaning.py COMPARED_MAX",
    "retrieval/relevance.py MEANING_MIN",
    "retrieval/ranking.py NOTHING_MAX",
    "retrieval/reranking/feature.py TERMS_MAX",
    "retrieval/reranking/forest.py LEAVES_MAX",
    "retrieval/reranking/model.py TOTAL_SHARE_MIN",
    "retrieval/reranking/reranker.py TOGETHER_MAX",
    "retrieval/reranking/soft_word.py COSINE_MIN",
    "retrieval/table/metadata_index.py LEAVES_MAX",
    "retrieval/table/metadata_index.py KEY_CHARACTERS_MAX",
    "retrieval/words/misspelling.py FORMS_MAX",
    "retrieval/words/misspelling.py LETTERS_MIN",
    "retrieval/words/misspelling.py LETTERS_OF_TWO_MIN",
    "retrieval/words/queried_terms.py CORRECTIONS_MAX",
    "retrieval/text/language.py CHARACTERS_MIN",
    "retrieval/text/language.py LANGUAGE_CHARACTERS_MAX",
    "retrieval/text/statement.py NAMES_MAX",
    "retrieval/text/term.py STEMMED_MAX",
    "retrieval/text/term.py TERM_CHARACTERS_MAX",
    "retrieval/text/token.py WHOLE_CHARACTERS_MAX",
    "retrieval/words/vocabulary.py LENGTH_MAX",
    "retrieval/time/grammar/amount.py AMOUNT_MAX",
    "retrieval/time/mention.py MENTIONS_MAX",
    "retrieval/time/period.py MOMENT_MAX",
    "retrieval/time/period.py MOMENT_MIN",
    "retrieval/time/phrase.py PHRASES_MAX",
    "retrieval/time/grammar/reader.py YEARS_APART_MAX",
    "retrieval/time/grammar/span.py RANGE_ITEMS_MAX",
    "retrieval/time/text.py BEFORE_CORE_MAX",
    "retrieval/time/text.py READ_CHARACTERS_MAX",
    "retrieval/time/text.py STARTS_MAX",
    "retrieval/words/vocabulary.py TAIL_MIN",
    # What a format or a type has room for.
    "domain/values/number_set.py NUMBER_MAX",
    "domain/values/response_size.py RESPONSE_GROWTH_MAX",
    "extraction/docx_reader.py HEADING_LEVELS_MAX",
    "extraction/html_reader.py INDENTED_MAX",
    "extraction/text_reader.py BYTES_PER_LETTER_MAX",
    "models/embedding/answer.py FRAME_BYTES_MAX",
    "models/embedding/answer.py NUMBER_BYTES_MAX",
    "ops/config/quantity.py SIZE_MAX",
    "ops/config/quantity.py DURATION_MAX",
    "retrieval/vector_index.py IN_BYTES_MAX",
    "retrieval/words/postings.py COUNT_MAX",
    "retrieval/words/postings.py ROWS_MAX",
    "stores/snapshot_file.py INTEGER_MAX",
    "transport/fields/json_value.py EXACT_INTEGER_MAX",
    "transport/fields/timestamp.py TIME_NS_MAX",
    "transport/parsing/element_count.py VARINT_BYTES_MAX",
    "transport/parsing/message_shape.py NUMBER_BYTES_MAX",
    # The width of what is printed.
    "ops/cli/event/event_line.py NAME_WIDTH_MAX",
    "ops/cli/mcp/resource.py TITLE_CHARACTERS_MAX",
}
"""Bounds of one algorithm or format, which stay with it."""


def constants(source: str) -> Iterator[tuple[str, str]]:
    """Names of a module's constants that are numbers, and the text below each, if there is one."""
    body = ast.parse(source).body
    for node, following in zip(body, [*body[1:], None], strict=True):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name.isupper() and _is_number(value):
                match following:
                    case ast.Expr(value=ast.Constant(value=str(text))):
                        yield name, text
                    case _:
                        yield name, ""


def _is_number(value: ast.expr) -> bool:
    kinds = (ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.Name, ast.Load)
    numbers = [node.value for node in ast.walk(value) if isinstance(node, ast.Constant)]
    return (
        all(isinstance(node, kinds) for node in ast.walk(value))
        and bool(numbers)
        and not any(isinstance(number, str | bytes) for number in numbers)
    )


@cache
def occurrences() -> Counter[str]:
    """Return how often each word occurs in the daemon."""
    return Counter(word for path in DAEMON.rglob("*.py") for word in re.findall(r"\w+", path.read_text("utf-8")))


def test_no_bound_stands_outside_of_its_layers_file() -> None:
    found = {
        f"{path.relative_to(DAEMON)} {name.lstrip('_')}"
        for path in DAEMON.rglob("*.py")
        if path not in LIMIT_FILES
        for name, _ in constants(path.read_text("utf-8"))
        if name.endswith(("_MAX", "_MIN"))
    }
    assert found - LOCAL == set()


@pytest.mark.parametrize("path", LIMIT_FILES, ids=lambda path: str(path.relative_to(DAEMON)))
def test_each_bound_has_its_reason(path: Path) -> None:
    units = {"MILLISECOND_NS", "SECOND_NS", "DAY_NS"}
    bare = [name for name, text in constants(path.read_text("utf-8")) if not text and name not in units]
    assert bare == []


@pytest.mark.parametrize("path", LIMIT_FILES, ids=lambda path: str(path.relative_to(DAEMON)))
def test_each_bound_is_used(path: Path) -> None:
    names = [name for name, _ in constants(path.read_text("utf-8"))]
    assert [name for name in names if occurrences()[name] < 2] == []
