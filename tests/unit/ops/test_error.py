"""The reasons that the command line prints are those of the contract."""

import ast
import re
from pathlib import Path

import memoryd_server.ops
from memoryd.v1 import error_reason_pb2

OPS = Path(memoryd_server.ops.__file__).parent
REASONS = {name.removeprefix("ERROR_REASON_") for name in error_reason_pb2.ErrorReason.keys()}  # noqa: SIM118 - no dict


def test_every_reason_in_a_message_is_one_of_the_contract() -> None:
    texts = [
        node.value
        for path in OPS.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    printed = {reason for text in texts for reason in re.findall(r"\(([A-Z]+(?:_[A-Z]+)+)\)", text)}
    assert "RECORD_NOT_FOUND" in printed
    assert printed <= REASONS


def test_every_reason_of_an_operator_error_is_one_of_the_contract() -> None:
    calls = [
        node
        for path in OPS.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "OperatorError"
    ]
    given = [ast.unparse(argument) for call in calls for argument in call.args[1:]]
    assert given
    # Only the reason of a refusal is passed on: it is one of the contract.
    assert set(given) == {"error.reason"}
