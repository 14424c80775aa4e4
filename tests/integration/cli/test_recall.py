import json
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

import memoryd

Command = Callable[..., tuple[int, str, str]]

MAY = datetime(2026, 5, 20, 12, tzinfo=UTC)


@pytest.fixture
def memories(agent: memoryd.Agent) -> memoryd.Memories:
    remember = agent.memories.remember
    remember("Ada drinks\ngreen tea", user_id="ada", memory_id="tea", tags=["taste"], occur_time=MAY)
    remember("Bob has a dog called Rex", user_id="bob", memory_id="dog", project_id="pets", type="episodic")
    remember(
        "Bob drinks tea with the dog", user_id="bob", memory_id="both", allow_duplicates=True, skip_contradictions=True
    )
    return agent.memories


def ids(rows: str) -> list[str]:
    return [row.split("\t")[1] for row in rows.splitlines()]


def test_a_row_has_score_and_reason_the_best_first(
    command: Command, agent: memoryd.Agent, memories: memoryd.Memories
) -> None:
    code, out, err = command("recall", agent.agent_id, "who drinks green tea?", "--all-users")
    rows = [row.split("\t") for row in out.splitlines()]
    assert (code, err) == (0, "")
    score, memory_id, content, why, when, kind, user = rows[0]
    assert (memory_id, content, when) == ("tea", "Ada drinks green tea", "2026-05-20T12:00:00.000Z")
    assert (kind, user, "tea" in why) == ("semantic", "ada", True)
    scores = [float(row[0]) for row in rows]
    assert (float(score), scores) == (max(scores), sorted(scores, reverse=True))


def test_a_person_sees_a_table_with_scores_and_reasons(
    terminal: Callable[..., str], agent: memoryd.Agent, memories: memoryd.Memories
) -> None:
    header, best, *_, summary = terminal("recall", agent.agent_id, "who drinks green tea?", "--all-users").splitlines()
    assert header.split() == ["SCORE", "CONTENT", "REASON", "WHEN"]
    assert "Ada drinks green" in best
    assert "words: " in best
    assert " of 3 matches, by words and meaning, in " in summary


def test_filters_keep_what_passes_them_all(command: Command, agent: memoryd.Agent, memories: memoryd.Memories) -> None:
    memories.update("both", status="archived")
    for flags, expected in FILTERS:
        users = () if "--user" in flags else ("--all-users",)
        code, out, err = command("recall", agent.agent_id, "tea dog", "--no-linked", *users, *flags)
        assert (code, err, set(ids(out))) == (0, "", expected), flags


FILTERS: list[tuple[list[str], set[str]]] = [
    ([], {"tea", "dog"}),
    (["--user", "bob"], {"dog"}),
    (["--project", "pets"], {"dog"}),
    (["--conversation", "talk"], set()),
    (["--type", "episodic", "--type", "working"], {"dog"}),
    (["--status", "archived"], {"both"}),
    (["--status", "archived", "--status", "active"], {"tea", "dog", "both"}),
    (["--tag", "taste"], {"tea"}),
    (["--until", "2026-06-01"], {"tea"}),
    (["--since", "2026-06-01"], {"dog"}),
    (["--min-salience", "1"], set()),
    (["--min-score", "1"], set()),
    (["--as-of", "1h"], set()),
]


def test_the_limit_bounds_the_results(command: Command, agent: memoryd.Agent, memories: memoryd.Memories) -> None:
    lines = command("recall", agent.agent_id, "tea", "--all-users", "--limit", "1", "--json")[1].splitlines()
    (best,) = [json.loads(line) for line in lines]
    assert (best["memory"]["memory_id"], best["matched_words"]) == ("tea", ["tea"])


def test_what_a_search_engine_takes_for_syntax_is_text(command: Command, agent: memoryd.Agent) -> None:
    agent.memories.remember('a "quoted" NEAR(word*', user_id="ada", memory_id="m")
    assert ids(command("recall", agent.agent_id, 'quoted" AND (NEAR/2 -word* ^', "--all-users")[1]) == ["m"]


def test_a_terminal_shows_a_sentence_for_no_match(
    command: Command, agent: memoryd.Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert command("recall", agent.agent_id, "tea") == (0, "", "")
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    assert command("recall", agent.agent_id, "tea") == (0, "", "No memory matches.\n")
