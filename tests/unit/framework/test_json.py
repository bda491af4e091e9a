"""json() and strtoll() against the standard library's, and texts that are cut or wrong at every place."""

from __future__ import annotations

import json
from typing import Any

import pytest

from runtime.framework.values.jsonpath import elements, lookup, number

DOCUMENT = {"a": [1, -2.5e3, {"b": "x", "": True}, [[], {}, None]],
            "long name": {"c": {"d": [0.5, "q\"r\\"]}}, "n": -7, "e": 1e10, "t": False}
SPACED = json.dumps(DOCUMENT, indent="\t").replace(":", " :\r\n").replace(",", "\v,\f")


def leaves(value: Any, path: str) -> list[tuple[str, Any]]:
    """Every path and its value, objects and arrays too."""
    found = [(path, value)] if path else []
    if isinstance(value, dict):
        for key, each in value.items():
            found += leaves(each, f"{path}.{key}" if path else key)
    if isinstance(value, list):
        for place, each in enumerate(value):
            found += leaves(each, f"{path}[{place}]")
    return found


def test_every_path() -> None:
    for text in (json.dumps(DOCUMENT), json.dumps(DOCUMENT, separators=(",", ":")), SPACED):
        for path, value in leaves(DOCUMENT, ""):
            found = lookup(text.encode(), path.encode())
            assert found is not None, path
            if isinstance(value, str):
                assert json.loads(b'"' + found + b'"') == value
            else:
                assert json.loads(found.replace(b"\v", b" ").replace(b"\f", b" ")) == value, path
    for path in ("b", "a[4]", "a[-1]", "a[2].c", "n.x", "n[0]", "long name.c.d[2]", "A", "a.x.y", "t.x"):
        assert lookup(json.dumps(DOCUMENT).encode(), path.encode()) is None, path


def test_a_text_that_ends_too_soon() -> None:
    """What stands before the end is found all the same."""
    text = b'{"a":[10,{"b":"c"}],"d":12,"e":true}'
    for path, value, end in ((b"a[0]", b"10", 8), (b"a[1].b", b"c", 17), (b"a[1]", b'{"b":"c"}', 18),
                             (b"a", b'[10,{"b":"c"}]', 19), (b"d", b"12", 26), (b"e", b"true", 35)):
        least = end if value[:1] not in b"1t" else end + 1  # a number and a word end where another begins
        for length in range(len(text) + 1):
            found = lookup(text[:length], path)
            assert found == (value if length >= least else None), (path, length)


@pytest.mark.parametrize(("text", "value"), [
    ("{a:1}", None), ('{"a" 1}', None), ('{"a":1 "b":2}', b"1"), ('{"b":1 "a":2}', None), ('["x",1]', b"x"),
    ('{"a":tru}', None), ('{"a":nullx}', None), ('{"a":-}', b"-"), ('{"a":1.}', b"1."), ('{"a":0x1}', None),
    ('{"a":1e+5}', b"1e+5"), ('{"a":1-2}', None), ('{"a":1.5-}', None), ('{"a":1.5x}', b"1.5"),
    ('{"a":"\\u00e9"}', b"\\u00e9"), ('{"a":"\\u00g9"}', None), ('{"a":"x', None), ('{"a":[}]}', None),
    ('{"a":{]}}', None), ('{"a":["]",{"}":1}]}', b'["]",{"}":1}]'), ('{"a":""}', b""), (' {"a": 3 }', b"3"),
    ("", None), ("5", None), ('{"a":1e5e}', b"1e5"), ('{"aa":1,"a":2}', b"2")])
def test_texts(text: str, value: bytes | None) -> None:
    assert lookup(text.encode(), b"a") == value


def test_parts_of_paths() -> None:
    for path, parts in ((b"a", [b"a"]), (b"a.b", [b"a", b"b"]), (b"[0]", [b"0"]), (b"", [b""]),
                        (b"a[1][2].c", [b"a", b"1", b"2", b"c"]), (b"[0].x", [b"0", b"x"])):
        assert elements(path) == parts


@pytest.mark.parametrize("base", [2, 8, 10, 16, 36])
def test_numbers(base: int) -> None:
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"[:base]
    for value in (0, 1, base - 1, base, 12345, (1 << 63) - 1, 1 << 63, 1 << 64, (1 << 64) + 5):
        text, rest = "", value
        while rest or not text:
            text, rest = digits[rest % base] + text, rest // base
        wrapped = (value + (1 << 63)) % (1 << 64) - (1 << 63)
        negative = (-value + (1 << 63)) % (1 << 64) - (1 << 63)
        for lead in ("", " ", "\t ", "+", " +", "00"):
            assert number(f"{lead}{text}".encode(), base) == wrapped
        assert number(f"-{text}".encode(), base) == number(f" -{text.upper()}".encode(), base) == negative
        for tail in ("!", " 1", ".5", "_"):
            assert number(f"{text}{tail}".encode(), base) == wrapped
    other = [(b"", 0), (b"-", 0), (b"+-1", 0), (b"- 1", 0), (b"\n1", 0), (b"!", 0)]
    assert [number(text, base) for text, _ in other] == [value for _, value in other]
    assert number(b"0x1f", base) == {16: 31, 36: int("0x1f", 36)}.get(base, 0)
    assert number(b"0xg", base) == {36: int("0xg", 36)}.get(base, 0)
    assert number(b"-0X1F", base) == {16: -31, 36: -int("0x1f", 36)}.get(base, 0)
