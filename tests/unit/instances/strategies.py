"""Frames that hypothesis makes up."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import strategies as st

from runtime.instances.wire import frames

TEXT = st.text(st.characters(codec="utf-8"), max_size=40)
VALUES = {"B": st.integers(0, 255), "H": st.integers(0, 0xFFFF),
          "I": st.one_of(st.integers(0, 3), st.integers(0, 0xFFFFFFFF)),
          "Q": st.integers(0, (1 << 64) - 1), "q": st.integers(-(1 << 63), (1 << 63) - 1), "s": TEXT,
          "b": st.binary(max_size=80), "U": st.uuids(),
          "V": st.lists(st.uuids(), max_size=4).map(tuple),
          "L": st.lists(st.integers(0, 0xFFFFFFFF), max_size=6).map(tuple),
          "P": st.lists(st.tuples(TEXT, st.uuids()), max_size=4).map(tuple)}


def some(forms: Mapping[int, frames.Form]) -> st.SearchStrategy[object]:
    """Any frame of these forms."""
    return st.one_of([st.builds(form.type, *[VALUES[letter] for letter in form.fields])
                      for form in forms.values()])
