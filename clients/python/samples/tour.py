"""A tour of the client: each kind of memory once, errors, and a daemon that is killed on the way.

Run it while a daemon runs: ``python tour.py``. It asks for the daemon to be killed and started again. MEMORYD_ADDRESS
is the daemon's address, by default 127.0.0.1:7600. The tours of all languages print the same lines.
"""

import asyncio
import contextlib
import sys
import tempfile
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import memoryd
from memoryd import aio, errors


@dataclass
class Trip:
    city: str
    nights: int


NOWHERE = Trip("nowhere", 0)


async def main() -> int:
    try:
        async with aio.connect(origin="tour") as client:
            with contextlib.suppress(errors.AgentNotFound):
                await client.agent("tour").end()
            agent = client.agent("tour").user("ada")  # all that is written and read below is Ada's
            await working_memory(agent)
            await watch_across_a_kill(agent)
            await refusals(agent)
            await near_cache(agent)
            await records(agent)
            await fragments(agent)
            await compose(agent)
            await client.agent("tour").end()
    except memoryd.MemorydError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


async def working_memory(agent: aio.Agent) -> None:
    await agent.set("trip", Trip("Lisbon", 3), ttl=timedelta(hours=1))
    trip = await agent.get("trip", type=Trip)
    entry = await agent.get_entry("trip")
    assert trip
    assert entry
    print(f"trip: {trip.city}, {trip.nights} nights, {'expires' if entry.expire_time else 'stays'}")

    async with agent.scope("booking") as scope:  # its entries are gone at the end; reads fall back to the agent's
        await scope.set("seat", "12A")
        inherited = await scope.get("trip", NOWHERE, type=Trip)
        print(f"in the scope: {inherited.city}, seat {await scope.get('seat')}")
    print(f"after the scope: seat {await agent.get('seat', 'none')}")

    runs = 0

    async def greet() -> str:
        nonlocal runs
        runs += 1
        return "Good morning, Ada"

    greetings = await asyncio.gather(*(agent.get_or_set("greeting", greet) for _ in range(8)))
    print(f"get or set: {len(greetings)} callers, {runs} run, {', '.join(set(greetings))}")

    async with agent.transaction() as tx:  # all of it, or nothing
        first, second = tx.set("adults", 2), tx.set("children", 1)
    print(f"transaction: {'one revision' if first.result.revision == second.result.revision else 'several'}")


async def watch_across_a_kill(agent: aio.Agent) -> None:
    async with agent.watch(key_prefix="step-") as watch:
        await agent.set("step-1", "booked")
        print(f"watched: {await next_key(watch)}")
        print("Kill the daemon, start it again, and press Enter.", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        await agent.set("step-2", "packed")  # is retried until the daemon is back
        print(f"watched: {await next_key(watch)}")  # the watch has resumed by itself, and missed nothing


async def next_key(watch: aio.Watch) -> str:
    async for event in watch:
        if isinstance(event.subject, memoryd.EntryEvent):
            return event.subject.key
    raise AssertionError("a watch does not end by itself")


async def refusals(agent: aio.Agent) -> None:
    print(f"a bad key: {await refusal(lambda: agent.set('', 1))}")
    entry = await agent.get_entry("trip")
    assert entry
    await agent.set("trip", Trip("Lisbon", 4))  # another writer is faster
    print(f"a lost race: {await refusal(lambda: agent.set('trip', 0, expected_revision=entry.revision))}")
    print(f"a wrong type: {await refusal(lambda: agent.get('trip', type=int))}")
    print(f"a missing record: {await refusal(lambda: agent.notes.get('nothing'))}")
    waiting = asyncio.create_task(agent.fragments.take(wait=60))
    await asyncio.sleep(0)  # the call begins
    waiting.cancel()
    try:
        await waiting
    except asyncio.CancelledError:
        print("a cancelled call: ended")


async def refusal(call: Callable[[], Coroutine[Any, Any, Any]]) -> str:
    try:
        await call()
    except memoryd.MemorydError as error:
        return type(error).__name__
    return "none"


async def near_cache(agent: aio.Agent) -> None:
    # A copy in this process: a read makes no call, and has the client's own writes at once.
    async with agent.near_cache() as near:
        print(f"near cache: {(await near.get('trip', NOWHERE, type=Trip)).city}")
        await agent.set("trip", Trip("Porto", 2))
        print(f"near cache: {(await near.get('trip', NOWHERE, type=Trip)).city}")


async def records(agent: aio.Agent) -> None:
    await agent.memories.remember("Ada likes the window seat on trains.", importance=0.8)
    await agent.memories.remember("Ada's sister lives in Oslo.")
    found = await agent.memories.recall("Which seat does Ada like?", limit=1)
    print(f"recalled: {found.memories[0].memory.content}")

    await agent.notes.create("Budget", "200 euros for one journey.")
    print(f"notes: {', '.join([note.title async for note in agent.notes.list()])}")

    plan = await agent.plans.create("Travel to Porto", ["book a train", "pack"], conversation_id="porto")
    await agent.plans.update_step(plan.steps[0].step_id, status="completed", conversation_id="porto")
    plan = await agent.plans.get(conversation_id="porto")
    completed = [step.description for step in plan.steps if step.status == "completed"]
    print(f"plan: {len(completed)} of {len(plan.steps)} steps completed, {', '.join(completed)}")

    with tempfile.NamedTemporaryFile(suffix=".txt") as file:
        file.write(b"A passport. A towel. A book.")
        file.flush()
        document = await agent.documents.create(file=file.name, title="Packing list", progress=report)
    search = await agent.documents.search("towel")
    print(f"document: {document.title}, found in {len(search.chunks)} chunk")


def report(sent_bytes: int, total_bytes: int) -> None:
    if sent_bytes == total_bytes:
        print(f"uploaded: {sent_bytes} bytes")


async def fragments(agent: aio.Agent) -> None:
    seen: set[str] = set()
    both = asyncio.Event()

    def consolidate(batch: list[memoryd.Fragment]) -> None:
        seen.update(fragment.content for fragment in batch)
        if len(seen) == 2:
            both.set()

    for content in ("The train is late.", "Ada is hungry."):
        await agent.fragments.create(content)
    await agent.fragments.flush()
    async with agent.fragments.on_flush(consolidate):
        await both.wait()
    print(f"consumed: {' '.join(sorted(seen))}")


async def compose(agent: aio.Agent) -> None:
    await agent.conversations.append("porto", [memoryd.MessageDraft("user", "Please book a seat for me.")])
    context = await agent.compose(
        "porto",
        [
            memoryd.TextSection("You book journeys."),
            memoryd.NotesSection(),
            memoryd.PlanSection(),
            memoryd.MemoriesSection(limit=1),
            memoryd.MessagesSection(),
        ],
        max_tokens=4_000,
    )
    for message in context.messages:
        print(f"composed: {message.role}, {message.section}")


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
