"""The command of scripts/test --clients: builds the clients, runs them against a real daemon, and prints a table."""

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import click
from tests.benchmarks.machine import circumstances
from tests.clients import trial
from tests.clients.language import LANGUAGES, ROOT, Language
from tests.clients.outcome import Outcome, publish, table
from tests.clients.shared import one_memory
from tests.clients.tour import play_tour
from tests.daemon import Daemon

AT_A_TIME = 2
"""The number of languages that are built and tested at a time: a compiler, a JVM or npm alone fills no two cores."""
PAGE = ROOT / "docs" / "clients.md"


@click.command()
@click.argument("names", nargs=-1, metavar="[LANGUAGE]...", type=click.Choice(list(LANGUAGES)))
@click.option("--publish", "is_published", is_flag=True, help="Write the table into docs/clients.md as well.")
@click.option(
    "--shared",
    "is_shared",
    is_flag=True,
    help="Play only the scenarios, over two daemons that share a cluster, one of them killed every few seconds.",
)
@click.option(
    "--contract",
    "is_contract",
    is_flag=True,
    help="Run only the scenarios and the conformance tests, not the tests and samples of each client.",
)
@click.option("--build", "is_build", is_flag=True, help="Only build the clients, for runs with --built.")
@click.option("--built", "is_built", is_flag=True, help="Do not build the clients.")
def main(
    names: tuple[str, ...], is_published: bool, is_shared: bool, is_contract: bool, is_build: bool, is_built: bool
) -> None:
    """Build and run the named clients, or all. One whose toolchain is missing is skipped, and fails in CI."""
    if is_published and (is_shared or is_contract):
        raise click.UsageError("--publish is for a run of everything: omit --shared and --contract")
    if is_build and (is_published or is_shared or is_contract or is_built):
        raise click.UsageError("--build runs nothing: omit the other options")
    languages = [LANGUAGES[name] for name in names or LANGUAGES]
    outcomes = {language.name: Outcome(language.title) for language in languages}
    built = each(languages, lambda language: prepare(language, outcomes[language.name], is_built))
    if is_build:
        if not print_failures(outcomes.values()):
            sys.exit(1)
        return
    if is_contract:
        for outcome in outcomes.values():
            outcome.tests_passed = outcome.samples_passed = None
    all_well = (try_shared if is_shared else try_all)(built, outcomes) if built else True
    results = list(outcomes.values())
    is_without_failure = print_failures(results)
    if not is_shared:
        click.echo(f"\n{table(results)}\n")
    if is_published:
        publish(PAGE, results, about())
    passed = sum(outcome.scenarios_passed for outcome in results)
    click.echo(f"scenarios: {passed} passed, {sum(outcome.scenarios for outcome in results) - passed} failed")
    if not all_well or not is_without_failure:
        sys.exit(1)


def print_failures(outcomes: Iterable[Outcome]) -> bool:
    """Print what failed, and return True if nothing did."""
    failures = [f"{outcome.title}: {failure}" for outcome in outcomes for failure in outcome.failures]
    for failure in failures:
        click.echo(failure, err=True)
    return not failures


def each(languages: list[Language], work: Callable[[Language], bool]) -> list[Language]:
    """Do the work for some languages at a time, and return those for which it returned True."""
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        return [language for language, done in zip(languages, pool.map(work, languages), strict=True) if done]


def prepare(language: Language, outcome: Outcome, is_built: bool) -> bool:
    """Build a client unless ``is_built`` is true, and return True if it can be run."""
    if missing := language.missing():
        outcome.skipped = f"{', '.join(missing)} missing"
        if os.environ.get("CI"):
            outcome.failures.append(f"{outcome.skipped}: CI must have it installed")
        return False
    outcome.version = language.version()
    if is_built:
        is_there = language.is_built()
        if not is_there:
            outcome.failures.append("not built")
        return is_there
    began = time.monotonic()
    try:
        trial.build(language)
    except trial.CommandError as failure:
        outcome.failures.append(f"build failed: {failure}")
        return False
    click.echo(f"{language.title}: built in {time.monotonic() - began:.0f} s")
    return True


def try_all(languages: list[Language], outcomes: dict[str, Outcome]) -> bool:
    """Try the built clients against one daemon. Return True if the conformance tests passed."""
    with tempfile.TemporaryDirectory(prefix="memoryd-clients-") as directory:
        daemon = Daemon(Path(directory))
        daemon.start()
        try:
            each(languages, lambda language: try_one(language, daemon.address, outcomes[language.name]))
        finally:
            daemon.close()
    return trial.run_conformance(languages, outcomes)


def try_one(language: Language, address: str, outcome: Outcome) -> bool:
    """Run the scenarios of a client, and its own tests and samples if these are to be run. Return True."""
    began = time.monotonic()
    trial.play_scenarios(language, address, outcome)
    if outcome.tests_passed is not None:
        trial.run_own(language, address, outcome)
        play_tour(language, outcome)
    click.echo(f"{language.title}: tried in {time.monotonic() - began:.0f} s")
    return True


def try_shared(languages: list[Language], outcomes: dict[str, Outcome]) -> bool:
    """Play the scenarios over two daemons that share a store and are killed in turn. Return True."""
    with (
        tempfile.TemporaryDirectory(prefix="memoryd-clients-") as directory,
        one_memory(Path(directory)) as (address, killer),
    ):

        def play(language: Language) -> bool:
            began, kills = time.monotonic(), killer.kills
            while killer.kills == kills or not outcomes[language.name].scenarios:
                trial.play_scenarios(language, address, outcomes[language.name], trial.LASTING_SCENARIOS)
            with killer.held():
                trial.play_scenarios(language, address, outcomes[language.name], trial.FRAIL_SCENARIOS)
            result = f"scenarios in {time.monotonic() - began:.0f} s, {killer.kills - kills} daemons killed meanwhile"
            click.echo(f"{language.title}: {result}")
            return True

        each(languages, play)
    return True


def about() -> str:
    """Return a line that says where and when the table was made."""
    now = circumstances(ROOT, "")
    return f"Run {now.date} at {now.commit}, on {now.cores} cores, Linux {now.kernel}."


if __name__ == "__main__":
    main()
