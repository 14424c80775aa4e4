"""The build of a client, and the runs of its own tests, the scenarios and the conformance tests."""

import json
import os
import subprocess
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.clients.language import ROOT, Command, Language
from tests.clients.outcome import Outcome
from tests.daemon import COMMAND

BUILD_S_MAX = 2400.0
RUN_S_MAX = 900.0
SCENARIOS = sorted((ROOT / "tests" / "scenarios").glob("*.yaml"))
_BROKEN_BY_A_KILL = {
    "access_count",
    "memory_access",
    "conversation_messages",
    "document_pages",
    "fragment_pages",
    "list_entries",
    "memory_link",
    "memory_list",
    "note_pages",
    "plan_history",
    "operation_bad_input",
    "operation_documents",
    "operation_life",
}
"""They depend on state of one daemon: counts that it stores later, the start of a listing, and operations."""
LASTING_SCENARIOS = [path for path in SCENARIOS if path.stem not in _BROKEN_BY_A_KILL]
FRAIL_SCENARIOS = [path for path in SCENARIOS if path.stem in _BROKEN_BY_A_KILL]
CONFORMANCE_TESTS = ROOT / "tests" / "clients" / "conformance"


class CommandError(Exception):
    """A command failed. The message has its output."""


def build(language: Language) -> None:
    """Build the client. Raises CommandError."""
    for command in language.builds:
        _run(language, command, BUILD_S_MAX, {})


def play_scenarios(language: Language, address: str, outcome: Outcome, scenarios: Sequence[Path] = SCENARIOS) -> None:
    """Play scenarios over the client's stubs."""
    command = [*language.conformance, "scenarios", address, *map(str, scenarios)]
    done = subprocess.run(
        command, cwd=language.folder, stdout=subprocess.PIPE, text=True, timeout=RUN_S_MAX, check=False
    )
    results = [json.loads(line) for line in done.stdout.splitlines()]
    passed = sum(each["passed"] for each in results)
    outcome.scenarios += len(scenarios)
    outcome.scenarios_passed += passed
    for each in results:
        if not each["passed"]:
            outcome.failures.append(f"scenario {Path(each['file']).name}: {each['why']}")
    if passed == len(scenarios) and done.returncode:
        outcome.failures.append(f"scenarios exited with status {done.returncode}")
    if len(results) < len(scenarios):
        outcome.failures.append(f"only {len(results)} of {len(scenarios)} scenarios were played")


def run_own(language: Language, address: str, outcome: Outcome) -> None:
    """Run the client's own checks, tests and samples."""
    environment = {"MEMORYD_ADDRESS": address, "MEMORYD_TEST_COMMAND": str(COMMAND)}
    try:
        for check in language.checks:
            _run(language, check, RUN_S_MAX, {})
        _run(language, language.tests, RUN_S_MAX, environment)
        outcome.tests_passed = True
    except CommandError as failure:
        outcome.failures.append(f"own checks and tests: {failure}")
    try:
        for sample in language.samples:
            _run(language, sample, RUN_S_MAX, environment)
        outcome.samples_passed = True
    except CommandError as failure:
        outcome.failures.append(f"sample: {failure}")


def run_conformance(languages: list[Language], outcomes: dict[str, Outcome]) -> bool:
    """Run the conformance tests of all these languages together. Return True if they passed."""
    os.environ["MEMORYD_TEST_LANGUAGES"] = ",".join(language.name for language in languages)  # shared: it is a program
    tally = _Tally()
    flags = ["-q", "-n", "2", "-p", "no:cacheprovider", "--timeout=900"]
    status = pytest.main([*flags, str(CONFORMANCE_TESTS)], plugins=[tally])
    for language in languages:
        outcome = outcomes[language.name]
        outcome.conformance = tally.run[language.name]
        outcome.conformance_passed = outcome.conformance - tally.failed[language.name]
        if tally.failed[language.name]:
            outcome.failures.append(f"{tally.failed[language.name]} conformance tests failed")
    return status == pytest.ExitCode.OK


class _Tally:
    """A pytest plugin that counts the tests of each language. A test of all languages counts for each."""

    def __init__(self) -> None:
        self.run: Counter[str] = Counter()
        self.failed: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when != "call" and report.passed:
            return
        parameters = report.nodeid.partition("[")[2].rstrip("]").split("-")
        names = os.environ["MEMORYD_TEST_LANGUAGES"].split(",")
        for name in [each for each in names if each in parameters] or names:
            self.run[name] += 1
            self.failed[name] += report.failed


def _run(language: Language, command: Command, timeout_s: float, environment: dict[str, str]) -> None:
    try:
        done = subprocess.run(
            command,
            cwd=language.folder,
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            errors="replace",
            timeout=timeout_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise CommandError(f"{' '.join(command)} did not exit within {timeout_s:.0f} s") from None
    if done.returncode:
        raise CommandError(f"{' '.join(command)} exited with status {done.returncode}:\n{done.stdout[-8000:]}")
