"""Writes the wrappers of all languages below a folder: ``python -m scripts.wrappers FOLDER``."""

import sys
from pathlib import Path

from scripts.wrappers import cpp, cpp_scenarios, go, java, rust, rust_scenarios, rust_tests, typescript
from scripts.wrappers.wrapped import Wrapped
from tests.contract.contract import contract

if __name__ == "__main__":
    wrapped = Wrapped(contract())
    cpp.write(wrapped, Path(sys.argv[1]))
    cpp_scenarios.write(wrapped, Path(sys.argv[1]))
    go.write(wrapped, Path(sys.argv[1]))
    java.write(wrapped, Path(sys.argv[1]))
    rust.write(wrapped, Path(sys.argv[1]))
    rust_tests.write(wrapped, Path(sys.argv[1]))
    rust_scenarios.write(wrapped, Path(sys.argv[1]))
    typescript.write(wrapped, Path(sys.argv[1]))
