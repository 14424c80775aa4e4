"""Tiers at the engine: decided with each commit, whatever was checked before it, at every daemon of a store."""

import asyncio

import pytest
from tests.unit.domain.sample import draft
from tests.unit.engine.shared_store import SharedStore, sharing
from tests.unit.engine.world import World

from memoryd_server.domain.agents.agent import description_of
from memoryd_server.domain.agents.agent_change import AgentPatch, UpdateAgent
from memoryd_server.domain.agents.tier import ALL_FEATURES, NO_FEATURES, Feature, Tier
from memoryd_server.domain.entries.entry import ROOT
from memoryd_server.domain.entries.entry_change import SetEntry
from memoryd_server.domain.error import FeatureNotInTier, QuotaExceeded
from memoryd_server.domain.lifecycle.erasing import EmptyAgent
from memoryd_server.domain.limit import Limits
from memoryd_server.domain.notes.note_change import CreateNote
from memoryd_server.engine.agents.write import Write
from memoryd_server.engine.images.snapshots import RestoreOptions

NOTES = frozenset({Feature.NOTES})
FREE = Tier.of("free", NO_FEATURES, {"entries_per_agent": 1}, Limits())
PRO = Tier.of("pro", ALL_FEATURES, {}, Limits())


def tiered(world: World) -> World:
    world.engine.tiers.enforce([FREE, PRO])
    return world


def setting(key: str) -> SetEntry:
    return SetEntry(ROOT, draft(key), f"id of {key}")


def noting(note_id: str) -> CreateNote:
    return CreateNote(note_id, "t", "c", "", 0.5)


def into(tier: str, features: frozenset[Feature] = NO_FEATURES) -> Write:
    return Write(new_tier=tier, features=features)


async def tier_of(world: World) -> str:
    found = description_of((await world.cache.current("a")).state)
    return "" if found is None else found.tier


async def test_the_first_of_two_creators_decides_the_tier_for_both() -> None:
    async with World() as world:
        tiered(world)
        await world.cache.require("a", NOTES, "pro")
        first = asyncio.ensure_future(world.do(setting("k"), write=into("free")))
        second = asyncio.ensure_future(world.do(noting("n"), write=into("pro", NOTES)))
        await first
        with pytest.raises(FeatureNotInTier):
            await second
        assert await tier_of(world) == "free"


async def test_a_tier_that_is_lowered_after_the_check_refuses_the_commit() -> None:
    async with World() as world:
        tiered(world)
        await world.do(setting("k"), write=into("pro"))
        await world.cache.require("a", NOTES, "")
        lowering = asyncio.ensure_future(world.do(UpdateAgent(AgentPatch(tier="free"))))
        refused = asyncio.ensure_future(world.do(noting("n"), write=into("pro", NOTES)))
        await lowering
        with pytest.raises(FeatureNotInTier) as refusal:
            await refused
        assert refusal.value.metadata == {"feature": "notes", "tier": "free"}


async def test_a_commit_at_another_daemon_is_seen_by_checks_and_decisions() -> None:
    async with sharing(SharedStore()) as (here, there):
        tiered(here)
        tiered(there)
        await there.cache.writer("a")
        await here.do(setting("k"), write=into("pro"))
        # The copy there knows no agent yet, for which the caller's own tier would count.
        await there.cache.require("a", NOTES, "free")
        await there.do(noting("n"), write=into("free", NOTES))
        await here.do(UpdateAgent(AgentPatch(tier="free")))
        with pytest.raises(FeatureNotInTier):
            await there.do(noting("m"), write=into("pro", NOTES))
        with pytest.raises(FeatureNotInTier):
            await there.cache.require("a", NOTES, "pro")
        with pytest.raises(QuotaExceeded):
            await there.do(setting("other"))


async def test_a_restore_has_the_limits_of_the_tier_that_another_daemon_has_given() -> None:
    async with sharing(SharedStore()) as (here, there):
        tiered(here)
        tiered(there)
        for key in "kl":
            await there.do(setting(key), "large")
        await there.engine.snapshots.create("large", "s", "request")
        await there.cache.writer("a")
        await here.do(setting("k"), write=into("free"))
        with pytest.raises(QuotaExceeded):
            await there.engine.snapshots.restore("s", RestoreOptions("large", "a"))
        await there.engine.snapshots.restore("s", RestoreOptions("large", "b"))


async def test_a_tier_that_is_not_defined_has_what_every_tier_has() -> None:
    async with World() as world:
        tiered(world)
        await world.do(setting("k"), write=into("free"))
        world.engine.tiers.enforce([PRO])
        await world.cache.require("a", frozenset({Feature.WORKING}), "")
        await world.do(setting("other"))
        for feature in ALL_FEATURES - {Feature.WORKING}:
            with pytest.raises(FeatureNotInTier):
                await world.cache.require("a", frozenset({feature}), "pro")


async def test_without_a_policy_nothing_is_refused_and_the_tier_is_kept() -> None:
    async with World() as world:
        tiered(world)
        await world.do(setting("k"), write=into("free"))
        world.engine.tiers.enforce(None)
        await world.cache.require("a", ALL_FEATURES, "")
        await world.do(noting("n"), write=into("", NOTES))
        assert await tier_of(world) == "free"


async def test_the_limits_of_a_command_are_those_of_the_tier_that_the_batch_has_reached() -> None:
    async with World() as world:
        tiered(world)
        await world.do(setting("k"), write=into("free"))
        raising = asyncio.ensure_future(world.do(UpdateAgent(AgentPatch(tier="pro"))))
        await asyncio.gather(raising, world.do(setting("other")))


async def test_an_agent_that_is_emptied_before_its_end_keeps_its_tier() -> None:
    async with World() as world:
        tiered(world)
        await world.do(setting("k"), write=into("free"))
        await world.do(EmptyAgent("erasure"))
        await world.do(setting("k"), write=into("pro"))
        assert await tier_of(world) == "free"


def test_a_tier_never_raises_a_limit() -> None:
    tier = Tier.of("t", NO_FEATURES, {"notes_per_agent": 10_000, "plans_per_agent": 1}, Limits(notes_per_agent=5))
    assert (tier.limits.notes_per_agent, tier.limits.plans_per_agent) == (5, 1)
