"""The table by which the conformance program of Java finds wrappers."""

from scripts.wrappers.java_file import IN, File, camel
from scripts.wrappers.java_layout import javadoc, listed
from scripts.wrappers.names import ERASING
from scripts.wrappers.wrapped import Wrapped


def wrapper_table(wrapped: Wrapped) -> str:
    """Return the class with which the conformance program finds the wrapper of a method."""
    rows = list[str]()
    for kind in wrapped.kinds:
        for each in kind.methods:
            words = [
                "" if kind.noun == "contexts" else kind.noun,
                camel(each.words),
                camel(ERASING[each.words]) if each.is_erasing else "",
                each.condition.name if each.condition is not None else "",
                *(field.name for field in each.positional),
            ]
            strings = [f'"{word}"' for word in words]
            rows += listed(IN * 2, "put(", [f'"{each.rpc.name}"', *strings], ");")
    body = [
        *javadoc("", "The wrapper of each method of the contract that has one, by the method's name."),
        "final class Wrappers {",
        f"{IN}static final Map<String, Wrapper> BY_METHOD = new HashMap<>();",
        "",
        f"{IN}private Wrappers() {{}}",
        "",
        f"{IN}static {{",
        *rows,
        f"{IN}}}",
        "",
        f"{IN}private static void put(",
        f"{IN * 3}String rpc,",
        f"{IN * 3}String kind,",
        f"{IN * 3}String method,",
        f"{IN * 3}String erasing,",
        f"{IN * 3}String condition,",
        f"{IN * 3}String... positional) {{",
        f"{IN * 2}BY_METHOD.put(rpc, new Wrapper(kind, method, erasing, condition, positional));",
        f"{IN}}}",
        "}",
    ]
    return File("protos/memoryd/v1", "io.memoryd.conformance.scenarios").text(body)
