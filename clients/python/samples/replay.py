"""Play recorded conversations as an agent would have them, and verify what is stored.

    python replay.py PATH [--address ADDRESS] [--verify-only]

PATH is a JSON file: ``conversations[]`` of {name, turns[]}, a turn being {id, session, time, speaker, text, caption?}.
Each conversation is an agent. Each session is a scope, in which each turn is an entry; at the session's end the scope
is merged into the root. Two entries in the root are updated by compare-and-set: the number of turns of each speaker,
and the last session. Meanwhile a watcher checks that it receives each change once. Another run starts from the
beginning.

``--verify-only`` changes nothing: it verifies an earlier run, for example after the daemon was killed and restarted.
Exits with status 1 if anything differs from the file.
"""

import argparse
import json
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import memoryd

TURN_PREFIX = "turn/"
TURN_COUNTS = "fact/turn_counts"
LAST_SESSION = "fact/last_session"
WATCHER_TIMEOUT_S = 60.0
MISMATCHES_SHOWN_MAX = 10


@dataclass(frozen=True)
class Turn:
    """A turn as it is stored. Its key has the session, so that merged sessions cannot overwrite each other."""

    key: str
    session: int
    text: str
    metadata: dict[str, Any]


@dataclass(frozen=True)
class Conversation:
    agent_id: str
    turns: list[Turn]

    def sessions(self) -> list[tuple[int, list[Turn]]]:
        return [(session, list(turns)) for session, turns in groupby(self.turns, key=lambda turn: turn.session)]

    def turn_counts(self) -> dict[str, int]:
        return dict(Counter(turn.metadata["speaker"] for turn in self.turns))

    def last_session(self) -> dict[str, Any]:
        last = self.turns[-1]
        return {"session": last.session, "time": last.metadata["time"]}

    def events(self) -> Counter[str]:
        """Return the numbers of events that playing the conversation causes, by type and cause."""
        turns, sessions = len(self.turns), len(self.sessions())
        return Counter(
            {
                "entry_set request": 2 * turns + sessions,
                "entry_set merge": turns,
                "scope_created request": sessions,
                "scope_disposed request": sessions,
            }
        )


def conversations_in(path: Path) -> list[Conversation]:
    content = json.loads(path.read_text(encoding="utf-8"))
    return [conversation_of(recorded) for recorded in content["conversations"]]


def conversation_of(recorded: dict[str, Any]) -> Conversation:
    turns = []
    for position, turn in enumerate(recorded["turns"]):
        metadata = {name: turn[name] for name in ("id", "speaker", "time", "caption") if name in turn}
        key = f"{TURN_PREFIX}{turn['session']:04}/{position:06}"
        turns.append(Turn(key, turn["session"], turn["text"], {**metadata, "position": position}))
    return Conversation(f"replay-{recorded['name']}", turns)


class Watcher(threading.Thread):
    """Counts the events of all agents, and checks that each event arrives once, in order and without gaps."""

    def __init__(self, client: memoryd.Client, revisions: dict[str, int]) -> None:
        super().__init__(name="watcher", daemon=True)
        self.counts: dict[str, Counter[str]] = {agent_id: Counter() for agent_id in revisions}
        self.mismatches: list[str] = []
        self.watch = client.watch(memoryd.EventFilter(agent_ids=list(revisions)), content=False)
        self._last = {agent_id: (revision, 0) for agent_id, revision in revisions.items()}
        self._progress = threading.Condition()

    def run(self) -> None:
        try:
            for event in self.watch:
                with self._progress:
                    self._note(event)
                    self._progress.notify_all()
        except memoryd.MemorydError as error:
            self.mismatches.append(f"the watch ended: {error}")

    def wait_for(self, events: int) -> None:
        """Wait until this number of events was received, or a mismatch was found."""

        def received() -> int:
            return sum(counts.total() for counts in self.counts.values())

        with self._progress:
            if not self._progress.wait_for(lambda: self.mismatches or received() >= events, WATCHER_TIMEOUT_S):
                self.mismatches.append(f"received {received()} of {events} events")

    def check(self, conversation: Conversation, revision: int) -> None:
        """Compare the events of a conversation with the expected ones, and their last revision with the agent's."""
        counted, expected = self.counts[conversation.agent_id], conversation.events()
        if counted != expected:
            self.mismatches.append(f"{conversation.agent_id}: events {dict(counted)}, not {dict(expected)}")
        if (last := self._last[conversation.agent_id][0]) != revision:
            self.mismatches.append(f"{conversation.agent_id}: received up to revision {last}, not {revision}")

    def _note(self, event: memoryd.Event) -> None:
        revision, index = self._last[event.agent_id]
        if (event.revision, event.index) not in ((revision, index + 1), (revision + 1, 0)):
            self.mismatches.append(f"{event.agent_id}: {event.revision}.{event.index} came after {revision}.{index}")
        self._last[event.agent_id] = (event.revision, event.index)
        self.counts[event.agent_id][f"{event.type} {event.cause}"] += 1


def reset(client: memoryd.Client, conversation: Conversation) -> int:
    """End the agent of an earlier run, and return its last revision; 0 if there is none."""
    try:
        return client.agent(conversation.agent_id).end().revision
    except memoryd.errors.AgentNotFound:
        return 0


def play(client: memoryd.Client, conversation: Conversation) -> int:
    """Play the conversation, and return the agent's last revision."""
    agent = client.agent(conversation.agent_id)
    for session, turns in conversation.sessions():
        with agent.scope(f"session {session}", merge="overwrite") as scope:
            for turn in turns:
                scope.set(turn.key, turn.text, entry_type="conversation", metadata=turn.metadata)
                count_turn(agent, turn.metadata["speaker"])
            note_session(agent, {"session": session, "time": turns[-1].metadata["time"]})
    return agent.info().revision


def count_turn(agent: memoryd.Agent, speaker: str) -> None:
    agent.update(TURN_COUNTS, lambda counts: {**counts, speaker: counts.get(speaker, 0) + 1}, default={})


def note_session(agent: memoryd.Agent, seen: dict[str, Any]) -> None:
    agent.update(LAST_SESSION, lambda _: seen)


def verify(client: memoryd.Client, conversation: Conversation) -> list[str]:
    """Return the differences between the store and the file."""
    agent = client.agent(conversation.agent_id)
    found = list(agent.entries(key_prefix=TURN_PREFIX))
    mismatches = [
        f"{conversation.agent_id}: {turn.key} is {entry}"
        for turn, entry in zip(conversation.turns, found, strict=False)
        if (turn.key, turn.text, turn.metadata) != (entry.key, entry.value, entry.metadata)
        or (entry.type_name, entry.type) != ("str", memoryd.EntryType.CONVERSATION)
    ]
    expected = {
        "turns": len(conversation.turns),
        "entries in the root": len(conversation.turns) + 2,
        "active scopes": [],
        TURN_COUNTS: conversation.turn_counts(),
        LAST_SESSION: conversation.last_session(),
    }
    actual = {
        "turns": len(found),
        "entries in the root": agent.count(),
        "active scopes": [scope.name for scope in agent.scopes()],
        TURN_COUNTS: agent.get(TURN_COUNTS),
        LAST_SESSION: agent.get(LAST_SESSION),
    }
    mismatches += [
        f"{conversation.agent_id}: {name}: {actual[name]}, not {expected[name]}"
        for name in expected
        if actual[name] != expected[name]
    ]
    return mismatches


def play_all(client: memoryd.Client, conversations: list[Conversation]) -> list[str]:
    """Play all conversations at once while watching them, and return the mismatches that the watcher found."""
    before = {conversation.agent_id: reset(client, conversation) for conversation in conversations}
    watcher = Watcher(client, before)
    started = time.perf_counter()
    with watcher.watch:
        watcher.start()
        with ThreadPoolExecutor(len(conversations)) as pool:
            after = list(pool.map(lambda conversation: play(client, conversation), conversations))
        seconds = time.perf_counter() - started
        watcher.wait_for(sum(conversation.events().total() for conversation in conversations))
    watcher.join()
    watched = time.perf_counter() - started
    report_play(conversations, watcher, sum(after) - sum(before.values()), seconds, watched)
    for conversation, revision in zip(conversations, after, strict=True):
        watcher.check(conversation, revision)
    return watcher.mismatches


def report_play(
    conversations: list[Conversation], watcher: Watcher, changes: int, seconds: float, watched: float
) -> None:
    turns = sum(len(conversation.turns) for conversation in conversations)
    sessions = sum(len(conversation.sessions()) for conversation in conversations)
    events = sum(counts.total() for counts in watcher.counts.values())
    print(f"played {turns} turns of {sessions} sessions in {len(conversations)} conversations")
    print(f"  {changes} changes in {seconds:.2f} s: {changes / seconds:,.0f} changes/s, {turns / seconds:,.0f} turns/s")
    print(f"  {events} events watched in {watched:.2f} s, the watch resumed {watcher.watch.resumes} times")


def verify_all(client: memoryd.Client, conversations: list[Conversation]) -> list[str]:
    started = time.perf_counter()
    mismatches = [mismatch for conversation in conversations for mismatch in verify(client, conversation)]
    turns = sum(len(conversation.turns) for conversation in conversations)
    print(f"verified {turns} turns and {2 * len(conversations)} facts in {time.perf_counter() - started:.2f} s")
    return mismatches


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Play recorded conversations and verify what is stored.")
    parser.add_argument("path", type=Path, help="the file of conversations")
    parser.add_argument("--address", help="HOST:PORT or unix:/path of the daemon (default: MEMORYD_ADDRESS)")
    parser.add_argument("--verify-only", action="store_true", help="change nothing, verify an earlier run")
    options = parser.parse_args(arguments)
    conversations = conversations_in(options.path)
    mismatches: list[str] = []
    try:
        with memoryd.connect(options.address, origin="replay", timeout=30.0) as client:
            if not options.verify_only:
                mismatches += play_all(client, conversations)
            mismatches += verify_all(client, conversations)
    except memoryd.MemorydError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    for mismatch in mismatches[:MISMATCHES_SHOWN_MAX]:
        print(f"wrong: {mismatch}", file=sys.stderr)
    print(f"{len(mismatches)} mismatches" if mismatches else "no mismatches")
    return 1 if mismatches else 0


if __name__ == "__main__":
    sys.exit(main())
