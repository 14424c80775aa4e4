"""The page that is written from figures."""

from pathlib import Path

from tests.benchmarks.calibration import Calibration
from tests.benchmarks.figure import Figure
from tests.benchmarks.machine import Circumstances
from tests.benchmarks.page import END
from tests.benchmarks.report import LANGUAGE, PEER, Measured, load, publish, save

_CALIBRATION = Calibration(loop_ns=70.0, copy_gb_per_s=5.0, round_trip_us=3.0, sync_ms=0.2)


def _circumstances(calibration: Calibration | None) -> Circumstances:
    about = {"date": "2026-11-24 07:00 UTC", "commit": "abc", "command": "scripts/bench", "cpu": "a processor"}
    versions = {"kernel": "6", "python": "3.11", "sqlite": "3"}
    return Circumstances(**about, **versions, cores=2, memory_gb=4, packages={}, load=0.5, calibration=calibration)


def _page(directory: Path, figures: list[Figure], calibration: Calibration | None = _CALIBRATION) -> str:
    save(directory, {"get": Measured(figures, _circumstances(calibration), 3.0)})
    page = directory / "performance.md"
    page.write_text(f"<!-- figures: written by scripts/bench --publish, not by hand -->\n{END}\n")
    publish(page, load(directory))
    return page.read_text()


def test_a_benchmark_stands_beside_the_speed_of_the_machine(tmp_path: Path) -> None:
    page = _page(tmp_path, [])
    assert "| 0.5 | loop 70 ns, copy 5.0 GB/s, round trip 3.0 µs, fdatasync 0.20 ms | 3 s |" in page


def test_a_record_from_before_the_calibration_is_still_shown(tmp_path: Path) -> None:
    assert "| 0.5 | - | 3 s |" in _page(tmp_path, [], None)


def test_other_stores_have_a_table_of_their_own_and_no_target(tmp_path: Path) -> None:
    figures = [
        Figure(PEER, "get, 1 caller: a store", 0.5, "ms"),
        Figure("P-1", "GetEntry", 90_000, "calls/s", at_least=80_000),
    ]
    ours, _, others = _page(tmp_path, figures).partition("Beside other stores:")
    assert "1 of 1 targets are met." in ours
    assert "a store" not in ours
    assert "| get, 1 caller: a store | **0.50 ms** |" in others


def test_languages_have_a_table_with_gaps_for_what_a_client_lacks(tmp_path: Path) -> None:
    figures = [
        Figure(LANGUAGE, "Python: get", 0.25, "ms"),
        Figure(LANGUAGE, "Python: near-cache read", 1.5, "µs"),
        Figure(LANGUAGE, "Java: get", 0.125, "ms"),
    ]
    page = _page(tmp_path, figures)
    table = "| | get | near-cache read |\n| --- | --- | --- |\n| Python | 0.25 ms | 1.50 µs |\n| Java | 0.12 ms |  |\n"
    assert table in page
    assert "Python: get" not in page
