"""Operations that end, or fail, at each step: a start afterwards finds what was acknowledged, and nothing half done."""

import errno
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.faults.machine import Faults
from tests.faults.step_operation import OPERATIONS, Operation, Prepared, try_steps

KILL = 0
EVERYDAY_EVERY = 9
"""Every ninth step is tried by .ci/run."""


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prepared]:
    prepared = Prepared(tmp_path_factory.mktemp("prepared"))
    yield prepared
    prepared.close()


@pytest.mark.parametrize(
    ("every", "errors"),
    [
        pytest.param(EVERYDAY_EVERY, (KILL,), id="some", marks=pytest.mark.whole),
        pytest.param(1, (KILL, errno.EIO, errno.ENOSPC), id="all", marks=pytest.mark.faults),
    ],
)
@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=lambda operation: operation.name)
def test_an_operation_may_end_at_any_step(
    operation: Operation, every: int, errors: tuple[int, ...], prepared: Prepared, tmp_path: Path
) -> None:
    tried, broken = try_steps(operation, prepared, Faults(tmp_path), tmp_path, errors, every)
    assert broken == []
    assert tried
