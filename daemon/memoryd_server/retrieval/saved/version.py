"""The version of what reads contents: an index that another version saved is of no use."""

import hashlib
import unicodedata
from functools import cache
from importlib import metadata
from pathlib import Path

_PACKAGE = Path(__file__).parents[1]
_LIBRARIES = ("numpy", "pystemmer")


@cache
def reading_version() -> str:
    """Return a digest of all files of this package, and of the versions of the libraries that read contents.

    It is computed rather than counted: no change of a rule can be forgotten.
    """
    digest = hashlib.sha256(unicodedata.unidata_version.encode())
    for name in _LIBRARIES:
        digest.update(f"{name} {metadata.version(name)}\0".encode())
    for path in sorted(_PACKAGE.rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            data = path.read_bytes()
            digest.update(f"{path.relative_to(_PACKAGE).as_posix()} {len(data)}\0".encode() + data)
    return digest.hexdigest()
