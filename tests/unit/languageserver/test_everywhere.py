"""What is known at every word of a program: completions, hover, definition, mistakes: `everywhere.txt`.

`make golden` writes the file anew; read the diff before you commit it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from runtime.languageserver import places
from runtime.languageserver.knowledge import Candidate, Program, System

KEPT = Path(__file__).with_name("everywhere.txt")
SHOWN = 2  # completions of many, beside those that are of the program
PROGRAMS = {
    "names": """\
#pragma D option quiet
inline int big = 512; inline string name = "x{";  /* "big" */
typedef struct pair { int first; struct pair *next; } pair_t;
enum color { RED, GREEN = 5 };
translator psinfo_t < int *P > { pr_pid = *P; pr_fname = "a"; };
int total, list[int];
self int mine;
struct pair held;
""",
    "clauses": """\
proc:::exec-success { self->start = timestamp; this->p = (pair_t *)0; trace(curpsinfo->pr_fname); }
syscall::read:entry, syscall::write:entry, nosuch:::
/arg2 > big && execname == "x"/
{
  @bytes[execname, probefunc] = sum(arg2); @ = lquantize(arg0, 0, 10);
  self->length = strlen(execname); total += list[arg2] ? 1 : 2;
  trace(curthread->t_procp->p_user.u_comm); printf("%s", args[1]);
}
io:::start,io:::done { trace(args[0]->b_bcount + args[1]->dev_major); this->n = args[2]->fi_name; }
""",
    "unfinished": "struct s { int a; };\ninline int x = 5;\nBEGIN\n/self->a.b == (x + [1])->",
    "probe": "syscall::op", "provider": "io:::st", "pragma": "#pragma D option aggr",
    "attributes": "#pragma D attributes Evolving/", "member": "BEGIN { trace(curpsinfo->pr_",
    "macro": "BEGIN { trace($", "scalar": "BEGIN { this->a = 1; this->",
    "aggregation": "BEGIN { @a = count(); @",
    "cast": "BEGIN { trace(((struct proc *)arg0)->p_", "own": "BEGIN { self->ab = 1; x[self->", "empty": "",
    "two fields": "fop_read:ent", "three": "genunix:fop_r",
    "preprocessed": "#define A b\nBEGIN { trace(A); }\n",
    "beginning": "curpsinfo->pr_fname", "open text": 'BEGIN { trace("str', "comment": "BEGIN { /* self->",
    "own provider": "fasttrap:::probe", "nested": "BEGIN { if (1) { this->in = 1; } this->",
    "included": '#include "nosuch.h"\nBEGIN { }', "several": "BEGIN { trace(a); } END { trace(b); trace(1) }",
}


@pytest.fixture(scope="module")
def system() -> System:
    return System()


def offsets(text: str, start: int) -> list[int]:
    """The middle of every word from a place on, where a member may begin, and the end."""
    words = re.compile(r"[\w@$]+|->").finditer(text, start)
    return [*((found.start() + found.end() + 1) // 2 for found in words), len(text)]


def told(program: Program, text: str, start: int) -> Iterator[str]:
    for each in program.problems():
        yield f"{each.severity} {each.line}:{each.start}-{each.end} {each.tag}: {each.message}"
    before: list[Candidate] = []
    for at in offsets(text, start):
        line = text.rfind("\n", 0, at) + 1
        yield f"{text[line:at]}|{text[at:].partition(chr(10))[0]}"
        where = places.place(text, at)
        yield f"  {where.kind} {' '.join(where.probes)}".rstrip()
        found = program.completions(at)
        many = [*found[:SHOWN], *found[-1:]] if len(found) > SHOWN + 1 else found
        if many and many == before:
            yield "  + the same"
        else:
            yield from (f"  + {each.kind} {each.text} {each.detail}".rstrip() for each in many)
            own = [f"{each.kind} {each.text}" for each in found if each.detail.endswith("of this program")]
            if own:
                yield f"  + of this program: {', '.join(own)}"
        before = many
        explanation = program.explanation(at)
        if explanation is not None:
            words, word = explanation
            rows = [row for row in words.splitlines() if row.strip()]
            yield f"  ? {word.text} {word.start}-{word.end} of {word.owner!r}: {' / '.join(rows[:4])}"[:150]
        target = program.definition(at)
        if target is not None:
            start = target.text.rfind("\n", 0, target.start) + 1
            yield f"  = {Path(target.path).name} {target.start - start}-{target.end - start}: " \
                  f"{target.text[start:].partition(chr(10))[0]}"


def transcript(system: System, name: str) -> list[str]:
    before = PROGRAMS["names"] if name == "clauses" else ""
    text = before + PROGRAMS[name]
    return [f"== {name}", *told(Program(system, text), text, len(before))]


@pytest.mark.parametrize("name", PROGRAMS)
def test_everywhere(system: System, name: str) -> None:
    kept = re.split(r"^== ", KEPT.read_text(), flags=re.MULTILINE)
    assert [f"== {each}" for each in kept if each.startswith(f"{name}\n")] == [
        "".join(f"{row}\n" for row in transcript(system, name))]


if __name__ == "__main__":
    machine = System()
    KEPT.write_text("".join(f"{row}\n" for name in PROGRAMS for row in transcript(machine, name)))
