"""Explanations of whether a token may make a call, from the policy file alone."""

from collections.abc import Iterator, Sequence
from datetime import datetime

import msgspec

from memoryd_server.domain.agents.tier import NO_FEATURES, Features
from memoryd_server.domain.limit import Limits
from memoryd_server.domain.values.agent_pattern import AgentPatterns
from memoryd_server.ops.auth.authenticator import credentials
from memoryd_server.ops.auth.grant import GrantRow
from memoryd_server.ops.auth.policy_file import Policy, Row, hash_token
from memoryd_server.ports.auth import Verb


class Explanation(msgspec.Struct, frozen=True):
    """The answer: whether a call is allowed, and the rows of the file by which it is, or the reasons why it is not."""

    allowed: bool
    reasons: list[str]


def explained(
    policy: Policy, token: str, verbs: Sequence[Verb], agent: str, now: datetime, features: Features = NO_FEATURES
) -> Explanation:
    """Explain a call that needs these verbs for an agent, or a pattern of agents, and uses these features.

    The file does not have the tier of an agent: what is said is for agents of the token's own tier.
    ``token`` is the name of a token or certificate, or a token itself.
    """
    sha256 = hash_token(token)
    named = [each for each in credentials(policy) if token == each[1] or sha256 == each[0].text]
    if not named:
        return Explanation(False, ["no token or certificate of this name, nor this token: UNAUTHENTICATED"])
    valid = [each for each in named if each[3] is None or each[3] > now]
    if not valid:
        return Explanation(False, [f"expired at {named[0][3]}: UNAUTHENTICATED"])
    (key, name, row, _) = valid[0]
    place = f"{key.kind}s.{name}"
    lines = [_granted(place, row.rows, verb, agent) for verb in verbs]
    if not verbs and not any(_covers(each, agent) for each in row.rows):
        lines = [(False, f"{place}: grants nothing with {agent}: AGENT_FORBIDDEN")]
    reasons = [line for _, line in lines] or [f"{place}: any verb will do"]
    return Explanation(all(allowed for allowed, _ in lines), [*reasons, *_tier_lines(policy, place, row, features)])


def _tier_lines(policy: Policy, place: str, row: Row, features: Features) -> Iterator[str]:
    if not row.tier:
        return
    yield f"{place}: agents that it creates are of tier {row.tier}"
    (tier,) = (each for each in policy.tiers_within(Limits()) if each.name == row.tier)
    for name in sorted(each.value for each in features - tier.features):
        yield f"tiers.{row.tier}: does not have {name}: FEATURE_NOT_IN_TIER for agents of this tier"


def _granted(place: str, rows: Sequence[GrantRow], verb: Verb, agent: str) -> tuple[bool, str]:
    for number, row in enumerate(rows, 1):
        if verb in row.verbs and _covers(row, agent):
            return True, f"{place}, grant {number} ({' '.join(row.agents)}: {' '.join(row.names)}): {verb.value}"
    others = {name for row in rows if _covers(row, agent) for name in row.names}
    if others:
        return False, f"{place}: grants {' '.join(sorted(others))} with {agent}, not {verb.value}: VERB_FORBIDDEN"
    return False, f"{place}: grants nothing with {agent}: AGENT_FORBIDDEN"


def _covers(row: GrantRow, agent: str) -> bool:
    return AgentPatterns.of(row.agents).uncovered(AgentPatterns.of([agent])) is None
