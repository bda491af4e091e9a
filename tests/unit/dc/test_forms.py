"""One program with every form of D, as each form of output shows it: forms.d and forms.txt.

`make golden` writes forms.txt anew; read the diff before you commit it.
"""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path

import pytest

from dc.command import main

PROGRAM = Path(__file__).with_name("forms.d")
EXPECTED = Path(__file__).with_name("forms.txt")
FORMS = {"ast": ["--emit", "ast"], "types": ["--emit", "types"],
         "types of 32 bits": ["--emit", "types", "-32"], "json": ["--emit", "json"],
         "typed trees": ["-e", "-x", "tree=2"], "trees without if": ["-e", "-x", "tree=4"]}


def shown(form: str) -> str:
    """Return what dc writes of the program."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        assert main([*FORMS[form], "-o", "-", "-x", "destructive", str(PROGRAM), "--", "9"]) == 0
    out.flush()
    text = out.buffer.getvalue().decode()  # type: ignore[attr-defined]
    return (_without_dif(text) if form == "json" else text) + err.getvalue()


def _without_dif(text: str) -> str:
    """The lines of a JSON text, but what is of DIF only, which the programs of tests/golden are about."""
    (program,) = json.loads(text, object_hook=lambda each: "..." if "returns" in each else each)
    rows = [f"{what}: {json.dumps(of)}" for what, of in program.items() if what != "clauses"]
    for clause in program["clauses"]:
        actions = [each for each in clause.pop("actions") if each["kind"] != "difexpr"]
        rows += [json.dumps(clause), *(f"  {json.dumps(each)}" for each in actions)]
    return "\n".join(rows) + "\n"


def kept() -> dict[str, str]:
    """Return the expected texts by their forms."""
    return dict(part.split("\n", 1) for part in EXPECTED.read_text().split("=== ")[1:])


@pytest.mark.parametrize("form", FORMS)
def test_form(form: str) -> None:
    assert shown(form) == kept()[form], "if this is meant, say `make golden`"


if __name__ == "__main__":
    EXPECTED.write_text("".join(f"=== {form}\n{shown(form)}" for form in FORMS))
