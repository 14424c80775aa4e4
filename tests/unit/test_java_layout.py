"""The layout of the generated Java, which is that of google-java-format."""

import pytest
from scripts.wrappers.java_layout import WIDTH, assigned, chained, declared, escaped, javadoc, line_comment, listed

_LONG = "w" * 60


def test_a_comment_is_in_one_line_if_it_fits() -> None:
    assert list(javadoc("  ", "Returns a note.")) == ["  /** Returns a note. */"]
    first, *lines, last = javadoc("  ", "word " * 40)
    assert (first, last) == ("  /**", "   */")
    assert all(line.startswith("   * word") and len(line) <= WIDTH for line in lines)


def test_the_tags_of_a_comment_are_behind_an_empty_line() -> None:
    lines = list(javadoc("", "Returns one.", [("@param title", "word " * 20)]))
    assert lines[:3] == ["/**", " * Returns one.", " *"]
    assert [line[:11] for line in lines[3:]] == [" * @param t", " *     word", " */"]


def test_a_text_has_nothing_that_javadoc_or_the_compiler_understands() -> None:
    assert escaped(r"a<b & {@x} \u") == "a&lt;b &amp; &#123;&#64;x&#125; &#92;u"


def test_a_comment_that_is_too_long_is_in_several_lines() -> None:
    assert list(line_comment(f"{_LONG} {_LONG}")) == [f"// {_LONG}", f"// {_LONG}"]


@pytest.mark.parametrize(
    ("parts", "lines"),
    [
        ((), ["  function();"]),
        (("a", "b"), ["  function(a, b);"]),
        ((_LONG, "a" * 30), ["  function(", f"      {_LONG}, {'a' * 30});"]),
        ((_LONG, _LONG), ["  function(", f"      {_LONG},", f"      {_LONG});"]),
    ],
)
def test_a_list_is_in_one_line_in_two_or_one_a_line(parts: tuple[str, ...], lines: list[str]) -> None:
    assert list(listed("  ", "function(", parts, ");")) == lines


def test_a_chain_is_in_one_line_in_two_or_one_call_a_line() -> None:
    assert list(chained("", "var x =", "o", [".a()"])) == ["var x = o.a();"]
    calls = [f".{'a' * 40}()", f".{'b' * 40}()"]
    assert list(chained("", "var given =", "options", calls)) == ["var given =", f"    options{''.join(calls)};"]
    calls.append(".c()")
    assert list(chained("", "var given =", "options", calls)) == [
        *("var given =", "    options"),
        *(f"        {each}" for each in calls[:2]),
        "        .c();",
    ]


def test_what_is_too_long_for_a_line_begins_another() -> None:
    assert list(assigned("", "A a =", "new A", "b")) == ["A a = new A(b);"]
    assert list(assigned("", f"A {_LONG} =", "new A", _LONG)) == [f"A {_LONG} =", f"    new A({_LONG});"]
    assert declared("class A", "extends B {") == ["class A extends B {"]
    assert declared(f"class {_LONG}", f"extends {_LONG} {{") == [f"class {_LONG}", f"    extends {_LONG} {{"]
