"""The checks of scripts/nightly, small: what they find is in their results."""

from pathlib import Path

import pytest
from hypothesis.stateful import RuleBasedStateMachine, rule
from tests.attack import report
from tests.attack.checked import Checked
from tests.benchmarks.machine import circumstances
from tests.benchmarks.process import ROOT
from tests.nightly import machines, mutation


class WrongMachine(RuleBasedStateMachine):
    @rule()
    def fails(self) -> None:
        raise ValueError("wrong")


def test_a_machine_that_differs_from_its_model_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machines, "_SHARES", {WrongMachine: 1})
    checked = machines.check_machines(2)
    assert checked.count == 2
    assert "WrongMachine: ValueError: wrong" in checked.broken


def test_a_mutant_that_no_test_notices_is_a_survivor(monkeypatch: pytest.MonkeyPatch) -> None:
    mutants = [("None 0", "a = 1"), ("None 1", "b = 1")]
    monkeypatch.setattr(mutation, "_mutants", lambda _: iter(mutants))
    monkeypatch.setattr(mutation, "_COPIED", ("daemon",))
    path = Path("daemon", "memoryd_server", *mutation.MUTATED["deadline"][0].split("/"))
    monkeypatch.setattr(mutation, "_passes", lambda tree, _: (tree / path).read_text() != "b = 1")
    checked = mutation.check_mutations("deadline", 2, 1)
    assert (checked.count, checked.unit) == (2, "of 2 mutants")
    assert "notice 1 (50 %); not noticed, such as: None 0" in checked.what


@pytest.mark.parametrize(("broken", "verdict"), [("", "HOLDS"), ("a step", "BROKEN: a step")])
def test_a_check_is_a_row_of_the_report(tmp_path: Path, broken: str, verdict: str) -> None:
    checked = Checked("fuzz-a", "input", 1_000_000, "inputs", broken)
    results = {"fuzz-a": report.Tried(circumstances(ROOT, "a command"), 1.0, checked=checked)}
    report.save(tmp_path, results)
    text = report.markdown(report.load(tmp_path))
    assert f"| `fuzz-a` | input | 1,000,000 inputs | {verdict} |" in text
    assert f"{int(not broken)} of 1 hold." in text
