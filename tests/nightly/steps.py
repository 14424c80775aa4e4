"""Operations that end or fail at each of their steps."""

import errno
import tempfile
from pathlib import Path

from tests.attack.checked import Checked
from tests.faults.machine import Faults
from tests.faults.step_operation import OPERATIONS, Prepared, try_steps

_ERRORS = (0, errno.EIO, errno.ENOSPC)


def check_steps(name: str, every: int) -> Checked:
    """Interrupt an operation at every Nth of its steps, by a SIGKILL, by EIO and by ENOSPC."""
    with tempfile.TemporaryDirectory(prefix="memoryd-steps-") as directory:
        place = Path(directory)
        (place / "prepared").mkdir()
        prepared = Prepared(place / "prepared")
        try:
            count, broken = try_steps(OPERATIONS[name], prepared, Faults(place), place, _ERRORS, every)
        finally:
            prepared.close()
    which = "each step" if every == 1 else f"every {every}th step"
    what = f"{name}, which is killed or fails with EIO or ENOSPC at {which} that changes a file, and is begun again"
    found = "; ".join(f"step {each.number}, {each.step}, error {each.error}: {each.problem}" for each in broken)
    return Checked(f"steps-{name}", what, count, "interruptions", found[:300])
