import string

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from memoryd_server.domain.limit import AGENT_ID_BYTES_MAX
from memoryd_server.domain.values.agent_pattern import AgentPatterns
from memoryd_server.ops.auth.issuers.agent_template import AgentTemplate, UnfitClaim


def filled(template: str, **claims: object) -> str:
    return AgentTemplate.of(template).filled(claims.get)


@pytest.mark.parametrize(
    ("template", "pattern"),
    [
        ("shared-*", "shared-*"),
        ("*", "*"),
        ("user-{sub}", "user-ada"),
        ("{sub}", "ada"),
        ("user-{sub}-*", "user-ada-*"),
        ("{team}/{sub}", "red/ada"),
        ("team-{team}/user-{sub}:*", "team-red/user-ada:*"),
    ],
)
def test_claims_are_put_into_a_template(template: str, pattern: str) -> None:
    assert filled(template, sub="ada", team="red") == pattern


@pytest.mark.parametrize(
    "template",
    [
        *("", "a*b", "user-{sub}*", "{sub}*", "{team}{sub}", "{team}{sub}-*", "user-{", "user-}", "user-{}", "{a b}"),
        *("a*{sub}", "user-{{sub}}", "user-{sub", "a\n"),
    ],
)
def test_a_template_that_could_match_more_than_it_seems_is_refused(template: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        AgentTemplate.of(template)


@pytest.mark.parametrize(
    ("template", "value"),
    [
        *(("user-{sub}", value) for value in ("", " ", "*", "a*", "a\n", "\x00", None, 1, True, ["ada"], {"a": "b"})),
        ("user-{sub}-*", "ada-admin"),
        ("{sub}/x", "a/b"),
        ("user-{sub}", "x" * AGENT_ID_BYTES_MAX),
    ],
)
def test_a_value_that_is_unfit_grants_nothing_and_is_not_quoted(template: str, value: object) -> None:
    with pytest.raises(UnfitClaim) as raised:
        filled(template, sub=value)
    assert not (isinstance(value, str) and len(value) > 1 and value in str(raised.value))


def test_a_value_is_not_a_template() -> None:
    assert filled("{team}/{sub}", team="{sub}", sub="ada") == "{sub}/ada"


SEPARATORS = "-/:."
LITERALS = st.text(SEPARATORS + string.ascii_letters, min_size=1, max_size=4)
TEMPLATES = st.builds(
    lambda first, middle, last, end: f"{first}{{a}}{middle}{{b}}{last}{end}" if middle else f"{first}{{a}}{last}{end}",
    st.just("") | LITERALS,
    st.just("") | LITERALS,
    LITERALS,
    st.sampled_from(["", "*"]),
)
VALUES = st.text(SEPARATORS + "ab*{}é\n ", max_size=5) | st.text(max_size=5)


@given(template=TEMPLATES, first=st.tuples(VALUES, VALUES), second=st.tuples(VALUES, VALUES))
def test_no_two_callers_get_an_agent_in_common(template: str, first: tuple[str, str], second: tuple[str, str]) -> None:
    read = AgentTemplate.of(template)
    try:
        patterns = [read.filled(dict(zip("ab", values, strict=True)).get) for values in (first, second)]
    except UnfitClaim:
        return
    assume([first[i] for i in range(len(read.claims))] != [second[i] for i in range(len(read.claims))])
    one, other = (AgentPatterns.of([pattern]) for pattern in patterns)
    assert one.shared_with(other) == AgentPatterns()


@given(template=TEMPLATES, values=st.tuples(VALUES, VALUES))
def test_a_value_never_widens_a_pattern(template: str, values: tuple[str, str]) -> None:
    read = AgentTemplate.of(template)
    try:
        pattern = read.filled(dict(zip("ab", values, strict=True)).get)
    except UnfitClaim:
        return
    assert pattern.count("*") == template.count("*")
    assert pattern.endswith("*") == template.endswith("*")
    assert pattern.startswith(read.literals[0])
