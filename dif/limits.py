"""The machine's dimensions (dtrace.h), and its units of time.  They stand apart from the tables of dif.isa,
because others need no more than these."""

DIF_VERSION = 2
MASK = (1 << 64) - 1  # the largest value of a register
MAX_CPUS = 64  # processors of an emulated machine
# What an emulated machine has unless its options say otherwise (see runtime.kernel.base.budgets).
MACHINE_MEMORY = 1 << 30  # bytes
MACHINE_DISK = 1 << 29  # bytes that programs may have written
# What is read of files that others made, unless options say otherwise.
DEBUG_INFORMATION = 256 << 20  # bytes of debug information that are read of a program's file, unpacked
DEBUG_DEPTH = 64  # namespaces and classes within one another
SYMBOLS = 1_000_000  # symbols of a file
PLAIN_NAME = 16 << 10  # characters of a name as its programmer wrote it
INCLUDES, INCLUDE_DEPTH = 500, 100  # files that one program includes, and how deep within one another
INCLUDED = 16 << 20  # bytes of all of them
RECURSION = 20_000  # Python calls within one another while a program is compiled
EXPANDED = 256 << 20  # bytes of memory for what macros are replaced by
AGGREGATED = 256 << 20  # bytes of memory for what dtrace keeps of aggregations
MACHINE_OUTPUT = 1 << 30  # bytes
MACHINE_TASKS = 4096  # processes and threads
MACHINE_FILES = 1 << 15  # open files
# Of helper DOF, that is what programs register, what a kernel takes of one process (dtrace.c, fasttrap.c).
HELPER_CLAUSES = 128  # dtrace_helper_actions_max: clauses that name stack frames
HELPER_DOFS = 32  # dtrace_helper_providers_max: objects of DOF with providers, however many these are
PROVIDER_NAME = 64  # DTRACE_PROVNAMELEN: bytes of a provider's name, its process number and a NUL included
PROCESS_NUMBER = 10  # digits that the number may have
NREGS = 8  # DIF_DIR_NREGS: integer registers
NTUPLE = 8  # DIF_DTR_NREGS: tuple registers
SECOND = 10**9  # in nanoseconds, the unit of all time in D
# Nanoseconds of each unit in which rates are written: `-x switchrate=10ms`, `profile:::tick-5sec`.
NANOSECONDS = {
    "ns": 1, "nsec": 1, "us": 1_000, "usec": 1_000, "ms": 1_000_000, "msec": 1_000_000,
    "s": SECOND, "sec": SECOND, "m": 60 * SECOND, "min": 60 * SECOND,
    "h": 3600 * SECOND, "hour": 3600 * SECOND, "d": 86400 * SECOND, "day": 86400 * SECOND,
}
