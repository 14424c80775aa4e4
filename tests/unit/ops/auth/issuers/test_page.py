import re
import textwrap
from pathlib import Path
from typing import Any

import pytest

from memoryd_server.ops.auth.issuers.claims import Claims
from memoryd_server.ops.auth.policy_file import parse_policy

PAGE = (Path(__file__).parents[5] / "docs" / "operations" / "securing.md").read_text("utf-8")
BLOCKS = [textwrap.dedent(block) for block in re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)]
SSO, CLUSTER = (parse_policy(block).issuers for block in BLOCKS if "[issuers." in block)


@pytest.mark.parametrize(
    ("claims", "agents"),
    [
        ({"sub": "ada"}, ["user-ada"]),
        ({"sub": "ada", "realm_access": {"roles": ["editor"]}}, ["user-ada", "shared-*"]),
        ({"sub": "ada", "realm_access": {"roles": ["operator"]}}, ["user-ada"]),
        ({"sub": "ada", "realm_access": {"roles": ["operator"]}, "email_verified": True}, ["user-ada", "*"]),
    ],
)
def test_the_rules_of_the_page_grant_what_it_says(claims: dict[str, Any], agents: list[str]) -> None:
    row = SSO["sso"]
    found = [agent for each in row.matches(Claims(claims, row.claims)) if each.row for agent in each.row.agents]
    assert found == agents


def test_a_service_account_of_kubernetes_has_an_agent_of_its_own() -> None:
    claims = {
        "sub": "system:serviceaccount:agents:planner",
        "kubernetes.io": {
            "namespace": "agents",
            "pod": {"name": "planner-5d8f", "uid": "1"},
            "serviceaccount": {"name": "planner", "uid": "2"},
        },
    }
    row = CLUSTER["cluster"]
    found = [each.row.agents for each in row.matches(Claims(claims, row.claims)) if each.row]
    assert found == [("agents/planner",), ("shared-*",)]
