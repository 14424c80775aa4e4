"""docs/errors.md has each reason of the contract, and what to do about it."""

import tomllib
from pathlib import Path

import pytest
from scripts.pages.errors import page, reasons

from memoryd.v1.error_reason_pb2 import ErrorReason

ROOT = Path(__file__).parents[2]
PROTO = (ROOT / "protos/memoryd/v1/error_reason.proto").read_text("utf-8")
REMEDIES = tomllib.loads((ROOT / "scripts/pages/remedy.toml").read_text("utf-8"))


def test_every_reason_has_a_heading_and_one_sentence_of_what_to_do() -> None:
    names = [value.name.removeprefix("ERROR_REASON_") for value in ErrorReason.DESCRIPTOR.values if value.number]
    written = (ROOT / "docs/errors.md").read_text("utf-8")
    assert [line.removeprefix("### ") for line in written.splitlines() if line.startswith("### ")] == names
    assert written.count("*What to do:* ") == len(names)


def test_a_reason_without_a_remedy_is_refused() -> None:
    remedies = {name: text for name, text in REMEDIES.items() if name != "LEASE_LOST"}
    with pytest.raises(ValueError, match="LEASE_LOST"):
        page([*reasons(PROTO)], remedies)


def test_a_remedy_without_a_reason_is_refused() -> None:
    with pytest.raises(ValueError, match="NO_SUCH_REASON"):
        page([*reasons(PROTO)], {**REMEDIES, "NO_SUCH_REASON": "Wait."})


def test_a_comment_without_its_status_is_refused() -> None:
    with pytest.raises(ValueError, match="PLAN_ENDED"):
        [*reasons("  // ERROR_REASON_PLAN_ENDED: ended. ABORTED. Metadata: plan_id.\n  ERROR_REASON_PLAN_ENDED = 906;")]
