"""The programs of others that check deploy/."""

import os
import shutil


def lacks(*programs: str) -> bool:
    """Return whether tests with these programs are skipped: one is not installed, and this is not CI, which has all."""
    return "CI" not in os.environ and not all(map(shutil.which, programs))
