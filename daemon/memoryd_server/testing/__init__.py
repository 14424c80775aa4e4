"""For tests of programs that use memoryd, and of stores that are added to it. The daemon itself imports none of this.

``daemon`` is a daemon inside the process of the test. ``store_suite`` is what every store must pass, also one of
another distribution, to be run by pytest: ``memoryd-server[testing]``.
"""

import contextlib

with contextlib.suppress(ImportError):
    import pytest

    # By itself pytest rewrites the modules of tests alone: an assertion here would not say what it compared.
    pytest.register_assert_rewrite(f"{__name__}.stores", f"{__name__}.store_suite")
