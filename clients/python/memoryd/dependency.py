"""The packages that the client requires, and the error for an environment that has others."""

import re
from importlib.metadata import PackageNotFoundError, requires, version


def mismatch() -> ImportError:
    """Return the error for stubs that cannot be imported: what is required, and what is installed."""
    required = _requirements()
    installed = ", ".join(_installed(name) for name in required)
    quoted = " ".join(f"'{requirement}'" for requirement in required.values())
    return ImportError(f"memoryd does not run with this environment's packages ({installed}): pip install {quoted}")


def _requirements() -> dict[str, str]:
    """Return the package's requirements, without those of extras, by the names of their packages."""
    try:
        stated = requires("memoryd") or []
    except PackageNotFoundError:
        # The source itself is in the path.
        stated = ["grpcio", "protobuf"]
    return {re.split(r"[^\w.-]", each, maxsplit=1)[0]: each for each in stated if ";" not in each}


def _installed(name: str) -> str:
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return f"no {name}"
