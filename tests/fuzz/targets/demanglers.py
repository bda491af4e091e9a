"""Mangled names of C++ and Rust: whatever a symbol table says, the readable name is short and soon there."""

from __future__ import annotations

from runtime.programs.demangle import Demangler
from runtime.programs.rustnames import TooLong
from runtime.programs.rustnames import demangle as demangle_rust
from tests.fuzz.engine import Target
from tests.fuzz.mutation import blind, mixed, tokens

RUNS = 10_000  # with one demangler
LONGEST = 1 << 16  # characters of a readable name
NAMES = (b"_ZN3foo3barEv", b"_ZNSt6vectorIiSaIiEE9push_backEOi",
         b"_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE",
         b"_ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_", b"_ZZ4mainENKUlvE_clEv",
         b"_RNvCskwGfYPst2Cb_3foo16example_function", b"_RNvMsr_NtCs3ssYzQotkvD_3std4pathNtB5_7PathBuf3new",
         b"_RINvNtC3std3mem8align_ofjE", b"_RNvC6_123foo3bar",
         b"_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y",
         b"_RMCs4fqI2P2rA04_13const_genericINtB0_3FooKpE", b"_RNvYNtNtCs1_3a1b1c_NtB2_1d1e",
         b"_RINbNbCskIICzLVDPPb_5alloc5alloc8box_freeDINbNiB4_5boxed5FnBoxuEp6OutputuEL_ECs1iopQbuBiw2_3std",
         b"_ZN1aIXadL_Z1bvEEE1cEv", b"_Z1fIJiiiiEEvDpT_", b"_ZNK3$LT$u20$as$GT$..x3fooE", b"main")
WORDS = (b"_Z", b"_R", b"N", b"E", b"S_", b"S0_", b"T_", b"I", b"J", b"B_", b"B0_", b"Nv", b"C3foo", b"3foo",
         b"1a", b"L_",
         b"K", b"j", b"p", b"u", b"D", b"W", b"G_", b"FEu", b"T", b"Dp", b"XadL", b"St", b"Sa", b"99999",
         b"u30____",
         b"M", b"X", b"Y", b"A", b"R", b"Q", b"P", b"O", b"Rh", b"e616263_", b"V")


class _Names:
    """Runs; a demangler gives up after some names without an end, so that it is a new one now and then."""

    def __init__(self) -> None:
        self._runs = 0

    def __call__(self, data: bytes) -> object:
        if self._runs % RUNS == 0:
            self._demangler = Demangler()
        self._runs += 1
        return run(self._demangler, data)


def run(demangler: Demangler, data: bytes) -> object:
    name = data.decode("utf-8", "surrogateescape")
    plain = demangler.demangle(name)
    rust = demangle_rust(name) or ""
    if max(len(plain), len(rust)) > max(LONGEST, len(name)):
        raise AssertionError(f"a name of {len(name)} characters becomes one of {len(plain)}, {len(rust)}")
    return plain != name, bool(rust), len(plain).bit_length()


def target() -> Target:
    names = mixed((3, tokens(WORDS, longest=200)), (2, blind))
    return Target(_Names(), (TooLong,), names, lambda: NAMES, seconds=2, megabytes=60)
