"""The checks of scripts/nightly, small: what they find is in their results."""

import errno
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis.stateful import RuleBasedStateMachine, rule
from tests.attack import report
from tests.attack.checked import Checked
from tests.benchmarks.machine import circumstances
from tests.benchmarks.process import ROOT
from tests.faults import step_operation
from tests.faults.machine import Faults
from tests.nightly import __main__ as nightly
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


@pytest.mark.parametrize(("broken", "verdict"), [("", "HOLDS"), ("a step:\n  a | b", r"BROKEN: a step: a \| b")])
def test_a_check_is_a_row_of_the_report(tmp_path: Path, broken: str, verdict: str) -> None:
    checked = Checked("fuzz-a", "input", 1_000_000, "inputs", broken)
    results = {"fuzz-a": report.Tried(circumstances(ROOT, "a command"), 1.0, checked=checked)}
    report.save(tmp_path, results)
    text = report.markdown(report.load(tmp_path))
    assert f"| `fuzz-a` | input | 1,000,000 inputs | {verdict} |" in text
    assert f"{int(not broken)} of 1 hold." in text


def test_a_step_that_lets_an_operation_hang_or_a_start_fail_is_reported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    failures = {1: subprocess.TimeoutExpired("memoryd", 1), 2: ValueError("a daemon that does not start")}

    def interrupt(*arguments: int) -> tuple[step_operation.Interrupted, list[str]]:
        *_, number, _error = arguments
        if number in failures:
            raise failures[number]
        return step_operation.Interrupted(None, tmp_path, 0, 1), ["write a", "write b", "write c"]  # type: ignore[arg-type]

    monkeypatch.setattr(step_operation, "interrupt", interrupt)
    operation = step_operation.Operation("a", None, lambda _: None)
    count, broken = step_operation.try_steps(operation, None, Faults(tmp_path), tmp_path, (errno.EIO,), 1)  # type: ignore[arg-type]
    assert count == 1
    assert [(each.number, each.step) for each in broken] == [(1, "write a"), (2, "write b")]
    assert "TimeoutExpired" in broken[0].problem
    assert "ValueError in " in broken[1].problem


def test_a_check_that_cannot_be_made_does_not_keep_others_from_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(_: int) -> Checked:
        raise OSError("no disk")

    monkeypatch.setattr(nightly, "check_machines", fail)
    monkeypatch.setattr(nightly, "check_steps", lambda name, _: Checked(name, "steps", 1, "interruptions", ""))
    monkeypatch.setattr(nightly, "ROOT", tmp_path)
    monkeypatch.setattr(nightly, "circumstances", lambda *_: circumstances(ROOT, "a command"))
    done = CliRunner().invoke(nightly.main, ["machines", "steps-commit"])
    assert (done.exit_code, "steps-commit: 1 interruptions: HOLDS" in done.output) == (1, True)
    assert report.load(tmp_path / "build" / "attack").keys() == {"steps-commit"}
