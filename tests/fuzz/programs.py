"""Programs from which targets make their seeds: small D scripts of every kind, and what they compile to."""

from __future__ import annotations

from functools import cache

from dc.compiler import Compiler, CompileResult
from dc.names import libraryfiles
from dc.names.catalog import Catalog
from dc.names.kernelheader import kernel_header, kernel_types
from dc.names.staticcatalog import StaticCatalog
from dc.types.declarationindex import Index
from dc.types.types import Model
from dof import writer
from tests.fuzz import engine


@cache
def catalog() -> Catalog:
    """The kernel's types and names: read once, for all the compilers of a process."""
    text = kernel_header()
    return StaticCatalog(kernel_types(text), Model.LP64, text)


@cache
def libraries() -> Index:
    """The D libraries, read once as well."""
    return libraryfiles.own()


def scripts() -> list[str]:
    """The D programs of the corpus, and those of tests/golden."""
    paths = sorted((engine.ROOT / "tests" / "golden").glob("*/*.d"))
    return [path.read_text() for path in paths]


def compiled(source: str) -> CompileResult:
    """A program compiled by itself.  Raises CompileError."""
    return Compiler(catalog(), libraries=libraries()).compile(source)


# Programs that a world of probes test:mod:func:a and b can enable, for targets of the framework.
FIRING = (
    'test:::a { trace(arg0); }',
    'test:::a /arg0 > 3/ { @[arg1] = count(); @b[probefunc, arg2] = quantize(arg0); }',
    'test:::a { printf("%d %s\\n", arg0, probename); @a = avg(arg1); @l = lquantize(arg0, 0, 10, 1); }',
    'test:::a { self->x = arg0; this->y = strjoin("a", "b"); a[arg0] = arg1; trace(this->y); }',
    'test:::b { self->x = 1; a[arg1] = 5; stack(); ustack(); } '
    'test:::a /self->x/ { trace(a[arg0]); self->x = 0; }',
    'test:::a { this->s = speculation(); speculate(this->s); trace(1); commit(this->s); }',
    'dtrace:::BEGIN { trace("begin"); } dtrace:::END { trace(timestamp); } dtrace:::ERROR { trace(arg4); }',
    'test:::a { @a[arg1] = sum(arg2); } '
    'test:::b { tracemem(arg0, 16); printa(@a); clear(@a); trunc(@a, 3); }',
    'test:::a { trace(copyinstr(arg0)); } test:::b { exit(0); }',
    '#pragma D option bufpolicy=ring\n#pragma D option bufsize=1k\n#pragma D option strsize=32\n'
    'test:::a { trace(substr("hello", arg0, arg1)); }',
    '#pragma D option quiet\n#pragma D option destructive\n'
    'test:::a { raise(9); chill(5); copyout(alloca(4), arg0, 4); stop(); system("x"); freopen("y"); }',
)


@cache
def enablings() -> tuple[bytes, ...]:
    """DOF of FIRING."""
    return tuple(writer.write(compiled(source).program) for source in FIRING)
