"""The tests of a framework are collected where it is installed: in the environment that test_frameworks.py builds."""

from importlib.util import find_spec

from tests.clients.python.frameworks.framework import FRAMEWORKS

collect_ignore = [each.package for each in FRAMEWORKS.values() if find_spec(each.module) is None]
