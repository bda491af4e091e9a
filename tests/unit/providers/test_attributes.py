"""What `dtrace -lv` tells of the stability of probes: the attributes that kernels' providers declare."""

from __future__ import annotations

import re

import atonce

# the weakest of a probe's provider, module, function and name; then that of its arguments
DECLARED = {
    "dtrace:::BEGIN": ("Stable/Stable/Common", "Stable/Stable/Common"),
    "profile:::tick-10": ("Evolving/Evolving/Common", "Evolving/Evolving/Common"),
    "profile:::profile-97": ("Evolving/Evolving/Common", "Evolving/Evolving/Common"),
    "syscall::read:entry": ("Private/Private/ISA", "Private/Private/ISA"),
    "syscall::read:return": ("Private/Private/ISA", "Private/Private/ISA"),
    "fbt::fop_read:entry": ("Private/Private/Unknown", "Private/Private/ISA"),
    "sched:::on-cpu": ("Private/Private/Unknown", "Evolving/Evolving/ISA"),
    "vminfo:::zfod": ("Private/Private/Unknown", "Private/Private/ISA"),
}


def test_the_stability_of_probes() -> None:
    words = [word for probe in DECLARED for word in ("-n", probe)]
    shown = atonce.run(["dtrace", "-lv", *words], check=True).stdout
    found = ["/".join(each) for each in re.findall(
        r"Identifier Names: (\w+)\s+Data Semantics:\s+(\w+)\s+Dependency Class: (\w+)", shown)]
    assert list(zip(found[::2], found[1::2], strict=True)) == list(DECLARED.values())
