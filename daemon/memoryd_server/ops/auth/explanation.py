"""Explanations of whether a token may make a call, from the policy file, and the keys of its issuers."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

import msgspec

from memoryd_server.domain.agents.tier import NO_FEATURES, Features
from memoryd_server.domain.limit import Limits
from memoryd_server.domain.values.agent_pattern import AgentPatterns
from memoryd_server.ops.auth.authenticator import credentials
from memoryd_server.ops.auth.grant import GrantRow
from memoryd_server.ops.auth.issuers.claims import Claims
from memoryd_server.ops.auth.issuers.issuer_row import IssuerRow
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
    ``token`` is the name of a token or certificate, or a token itself, of the file or of an issuer.
    """
    sha256 = hash_token(token)
    named = [each for each in credentials(policy) if token == each[1] or sha256 == each[0].text]
    if not named and policy.issuers:
        return _of_issuer(policy, token, verbs, agent, features)
    if not named:
        return Explanation(False, ["no token or certificate of this name, nor this token: UNAUTHENTICATED"])
    valid = [each for each in named if each[3] is None or each[3] > now]
    if not valid:
        return Explanation(False, [f"expired at {named[0][3]}: UNAUTHENTICATED"])
    (key, name, row, _) = valid[0]
    place = f"{key.kind}s.{name}"
    explanation = _explained(place, dict(enumerate(row.rows, 1)), verbs, agent)
    return Explanation(explanation.allowed, [*explanation.reasons, *_tier_lines(policy, place, row, features)])


def _of_issuer(policy: Policy, token: str, verbs: Sequence[Verb], agent: str, features: Features) -> Explanation:
    """Explain a call with an issuer's token, as a daemon would find it that reads the issuer's keys now."""
    # Imported late: slow to import.
    from memoryd_server.ops.auth.issuers.key_source import KeysUnavailable, read_keys
    from memoryd_server.ops.auth.issuers.verification import TokenRefused, head_of, verified

    place = "issuers"
    try:
        head = head_of(token)
        name, row = next(
            ((name, row) for name, row in policy.issuers.items() if row.issuer == head.issuer), (None, None)
        )
        if row is None:
            return Explanation(False, [f"no issuer of the file is {head.issuer!r}: UNAUTHENTICATED"])
        place = f"issuers.{name}"
        found = verified(token, head, row, asyncio.run(read_keys(row)).find)
    except TokenRefused as refused:
        return Explanation(False, [f"{place}: {refused}: UNAUTHENTICATED"])
    except KeysUnavailable as error:
        return Explanation(False, [f"{place}: keys {error}: no token is accepted until a daemon can read them"])
    matches = row.matches(Claims(found.claims, row.claims))
    granted = {each.number: each.row for each in matches if each.row is not None}
    problems = [f"{place}, rule {each.number}: {problem}" for each in matches for problem in each.problems]
    if not granted:
        return Explanation(
            False, [f"{place}: no rule grants anything to {found.subject!r}: UNAUTHENTICATED", *problems]
        )
    explanation = _explained(place, granted, verbs, agent, "rule")
    tier_lines = _tier_lines(policy, place, row, features)
    reasons = explanation.reasons if explanation.allowed else [*explanation.reasons, *problems]
    return Explanation(explanation.allowed, [*reasons, *tier_lines])


def _explained(
    place: str, rows: Mapping[int, GrantRow], verbs: Sequence[Verb], agent: str, kind: str = "grant"
) -> Explanation:
    lines = [_granted(place, rows, verb, agent, kind) for verb in verbs]
    if not verbs and not any(_covers(each, agent) for each in rows.values()):
        lines = [(False, f"{place}: grants nothing with {agent}: AGENT_FORBIDDEN")]
    return Explanation(
        all(allowed for allowed, _ in lines), [line for _, line in lines] or [f"{place}: any verb will do"]
    )


def _tier_lines(policy: Policy, place: str, row: Row | IssuerRow, features: Features) -> Iterator[str]:
    if not row.tier:
        return
    yield f"{place}: agents that it creates are of tier {row.tier}"
    (tier,) = (each for each in policy.tiers_within(Limits()) if each.name == row.tier)
    for name in sorted(each.value for each in features - tier.features):
        yield f"tiers.{row.tier}: does not have {name}: FEATURE_NOT_IN_TIER for agents of this tier"


def _granted(place: str, rows: Mapping[int, GrantRow], verb: Verb, agent: str, kind: str) -> tuple[bool, str]:
    for number, row in rows.items():
        if verb in row.verbs and _covers(row, agent):
            return True, f"{place}, {kind} {number} ({' '.join(row.agents)}: {' '.join(row.names)}): {verb.value}"
    others = {name for row in rows.values() if _covers(row, agent) for name in row.names}
    if others:
        return False, f"{place}: grants {' '.join(sorted(others))} with {agent}, not {verb.value}: VERB_FORBIDDEN"
    return False, f"{place}: grants nothing with {agent}: AGENT_FORBIDDEN"


def _covers(row: GrantRow, agent: str) -> bool:
    return AgentPatterns.of(row.agents).uncovered(AgentPatterns.of([agent])) is None
