"""What the manual's own code makes: facts, tables, texts for a terminal, completion: `told.txt`.

`make golden` writes the file anew; read the diff before you commit it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dof.commandline import Failure
from runtime.manual import completion, examples, pages, site
from runtime.manual.explain import explained, plain
from runtime.manual.tables import anchor, facts, known, reference

KEPT = Path(__file__).with_name("told.txt")
TEXT = r"""(a-label)=
# The `io` provider {#io}

Plain text with `code`, ``co`de``, **strong** and [a link](there.md#here "title"), *not* this.

```{reference} header
```

````d file.d
```
inside
```
````

## `one`, `two`

Of both, and of `-x strsize`.

```console
$ dtrace -n 'BEGIN
> { exit(0); }'
out
$ ls
```

### Deeper

still of both

# `three`
# Not `a word`

```d
BEGIN
```
"""
LINES = [
    "", "ls ", "dtrace", "dtrace ", "/usr/bin/dtrace -x swi", "dtrace -x bufpolicy=", "dtrace -x nosuch=",
    "dtrace -x quiet=", "dtrace -qx aggs", "dtrace -qn 'io:::w", 'dtrace -n "io:::w',
    "dtrace -n io:genunix:b", "dtrace -f io::bi", "dtrace -f io:::x", "dtrace -m io:g", "dtrace -P io",
    "dtrace -P i:", "dtrace -n BE",
    "dtrace -n nosuch:::", "dtrace -n pid", "dtrace -n io::nosuch:", "dtrace --he", "dtrace -", "difas -",
    "difas --byte-order ", "difas -t ", "difas -t f", "difas ", "difdis --check e", "difdis ", "dc --emit ",
    "dc ", "dc -s ", "dtrace -s ", "dtrace -s folder/", "dtrace -s ./fo", "dtrace -I ", "dtrace -I no/",
    "dtrace --image ", "dtrace --cluster m", "dtrace --explain strt", "dtrace --explain io", "dtrace -o o",
    "dtrace -X ", "dtrace 'a b", "dtrace a'b\"", "difdis -n io", "dtrace --output", "dtrace -s /nosuchdir/x"]
WORDS = ["strtok", "STRTOK()", "`pid`", "bufpolicy", "-xbufpolicy=ring", "-x quiet", "BEGIN", "add", "-o",
         "--check", "--output", "aggregations", "variables", "opcodes", "D_PROTO_LEN", "d_proto_len",
         "curpsinfo", "io", "nosuch", "bufpolcy", ""]
LISTS = ("aggregations", "variables", "opcodes", "-o", "--output")
TABLES = ("variables", "subroutines", "actions", "aggregating", "opcodes", "header", "sections")


def told_facts() -> Iterator[str]:
    return (f"{word}: {kind}: {facts(word)} #{anchor(word)}" for word, kind in known().items())


def told_tables() -> Iterator[str]:
    for name in TABLES:
        yield from (f"-- {name}", *reference(name).split("\n"))
    for words in ("probes io", "probes dtrace", "switches difas", "declaration devinfo_t"):
        yield from (f"-- {words}", *reference(*words.split()).split("\n"))
    for name in ("systemcalls", "functions", "options"):
        yield from (f"-- {name}", *reference(name).split("\n")[:5])


def told_words() -> Iterator[str]:
    for word in WORDS:
        yield f"-- {word!r}"
        try:
            yield from explained(word).splitlines()[:None if word in LISTS else 3]
        except Failure as failure:
            yield f"! {failure}"


def told_pages() -> Iterator[str]:
    page = pages.Page("p", "p.md", TEXT)
    yield from (str(each) for each in pages.entries(page))
    yield from (str(each) for each in examples.blocks(TEXT))
    yield from (str(example) for block in examples.blocks(TEXT)
                if block.words == ("console",) for example in examples.examples(block))
    yield from ("-- expanded", *site.expanded(page).split("\n"))
    yield from ("-- plain", *plain(TEXT).split("\n"))


def told_completion(folder: Path) -> Iterator[str]:
    (folder / "folder").mkdir()
    for name in ("one.d", "one.c", "two.dif", "m.toml", "folder/three.d", "folder/x"):
        (folder / name).touch()
    before = os.getcwd()
    os.chdir(folder)
    try:
        for line in LINES:
            yield f"-- {line}|"
            yield from completion.candidates(line)[:12]
    finally:
        os.chdir(before)


TOLD: dict[str, Callable[[Path], Iterator[str]]] = {
    "facts": lambda folder: told_facts(), "tables": lambda folder: told_tables(),
    "words": lambda folder: told_words(), "pages": lambda folder: told_pages(), "completion": told_completion}


@pytest.mark.parametrize("name", TOLD)
def test_what_is_told(name: str, tmp_path: Path) -> None:
    part = next(part for part in KEPT.read_text().split("\n== ") if part.startswith(f"{name}\n"))
    kept, made = part.rstrip("\n").split("\n")[1:], list(TOLD[name](tmp_path))
    if name == "facts":  # there may be new words
        made = [row for row in made if row in kept]
    assert made[:len(kept)] == kept and not any(made[len(kept):])


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        KEPT.write_text("\n" + "".join(f"== {name}\n" + "".join(f"{row}\n" for row in made(Path(folder)))
                                       for name, made in TOLD.items()))
