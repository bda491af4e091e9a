"""User stacks from any instruction, with and without frame pointers, against what the source says."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from runtime.kernel.kernel import Kernel
from runtime.objects import MachineSymbols

SOURCE = r"""
#include <signal.h>
#include <unistd.h>
__attribute__((noinline)) int leaf(int n) { getppid(); return n + 1; }
__attribute__((noinline)) int middle(int n)
{
	char room[64];

	room[n & 63] = 1;
	return leaf(n) + room[n & 63];
}
static void handler(int signal) { leaf(signal); }
int main(void)
{
	signal(SIGUSR1, handler);
	int sum = middle(3);
	raise(SIGUSR1);
	return sum != 5;
}
"""


@pytest.mark.parametrize("flags", [("-O1",), ("-O1", "-fno-omit-frame-pointer"), ("-O0", "-no-pie"),
                                   ("-O1", "-fno-asynchronous-unwind-tables", "-fno-omit-frame-pointer")])
def test_stack_names_every_caller(tmp_path: Path, flags: tuple[str, ...]) -> None:
    source, program = tmp_path / "stack.c", tmp_path / "stack"
    source.write_text(SOURCE)
    subprocess.run(["cc", *flags, "-o", str(program), str(source)], check=True)
    kernel = Kernel()
    symbols = MachineSymbols(kernel)
    stacks: list[list[str]] = []

    def entry(thread: object, name: str, _values: object) -> None:
        if name == "getppid":
            counters = thread.user_stack(30)  # type: ignore[attr-defined]
            found = [symbols.user(thread.pid, counter) for counter in counters]  # type: ignore[attr-defined]
            stacks.append([symbol.name if symbol else "?" for symbol in found])

    kernel.hooks.attach("syscall_entry", entry)
    process = kernel.spawn([str(program)])
    process.resume()
    kernel.run()
    assert process.exit_status == 0
    assert [name for name in stacks[0] if name in ("leaf", "middle", "main")] == ["leaf", "middle", "main"]
    if "-fno-asynchronous-unwind-tables" not in flags:
        assert stacks[1].index("handler") == stacks[1].index("leaf") + 1
        assert stacks[1].index("main") > stacks[1].index("handler")  # beyond the signal frame
    kernel.close()
