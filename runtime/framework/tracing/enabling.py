"""From DOF bytes to clauses on probes, and the beginning and end of tracing."""

from __future__ import annotations

import errno

from dif.arithmetic import MASK
from dif.difo import Difo
from dof import model
from dof.actionrules import Refused
from dof.format import DofError
from dof.options import BY_ID, OPTION_MAX, OPTION_NAMES, SECOND, UNSET, VALUE_MAX, OptionId, Resize, within
from dof.reader import read_enabling
from runtime.border import BorderError
from runtime.framework.firing.code import Code
from runtime.framework.tracing.clauses import Clause, ClauseBuilder
from runtime.framework.tracing.state import Activity, State

RETAINED_MAX = 1024
FORMATS_MAX = 0xFFFF
DEADMAN_INTERVAL = SECOND
DEADMAN_USER = 30 * SECOND  # without a STATUS request for so long, tracing is killed
DEADMAN_TIMEOUT = 10 * SECOND
_MOST_DYNAMIC = 1 << 28  # bytes that dynamic variables grow to where nothing is to be lost
SPECULATIONS_MAX = 1 << 30  # bytes of all speculation buffers together
_SIZES = (OptionId.BUFSIZE, OptionId.DYNVARSIZE, OptionId.AGGSIZE, OptionId.SPECSIZE, OptionId.STRSIZE)


def refuse(number: int, reason: str) -> BorderError:
    """The error of a refused request."""
    return BorderError(number, reason)


def enable(state: State, dof: bytes) -> int:
    """ENABLE: add the DOF's clauses to the state; returns how many probes they matched.

    Raises BorderError: EINVAL for DOF or clauses a kernel refuses, EFAULT or
    E2BIG for DOF that it does not even copy in, EBUSY once tracing has begun,
    ENOSPC with too many enablings.  A refused request leaves the state as it was.
    """
    if state.activity is not Activity.INACTIVE:
        raise refuse(errno.EBUSY, "tracing has begun")
    if state.enablings >= RETAINED_MAX:
        raise refuse(errno.ENOSPC, "too many enablings")
    known = dict(state.environment.variables.known)
    try:
        program = read_enabling(dof, target=state.tracing.platform.target, known=known,
                                strsize=state.options[OptionId.STRSIZE])
    except DofError as error:
        raise refuse(error.errno, str(error)) from None
    return enable_program(state, program)


def enable_program(state: State, program: model.Program) -> int:
    """Add a program's clauses, which the rules for DIF have been applied to; the rest is as with `enable`."""
    for number, value in program.options:
        set_option(state, number, value)
    for ecb in program.ecbs:
        ecb.probe = state.registry.resolve(ecb.probe, state.credentials)
    clauses = _clauses(state, program)
    state.enablings += 1
    matched = 0
    for clause in clauses:
        probes = state.registry.match(clause.probe, state.credentials)
        matched += len(probes)
        for probe in probes:
            state.add_ecb(probe, clause)
    state.retained += clauses
    return matched


def set_option(state: State, number: int, value: int) -> None:
    """One option of an enabling.  Raises BorderError."""
    if number >= OPTION_MAX:
        raise refuse(errno.EINVAL, f"no option {number}")
    value &= MASK
    if number != OptionId.CPU and value >> 63:
        raise refuse(errno.EINVAL, f"negative value of option {number}")
    if number in _SIZES:
        value = min(value, VALUE_MAX - (1 << 27) + 1)
    if number == OptionId.STRSIZE and value > BY_ID[number].most:
        raise refuse(errno.EINVAL, f"strsize of {value} bytes is too large")
    state.options[number] = value


def _clauses(state: State, program: model.Program) -> list[Clause]:
    """The program's clauses, laid out; nothing is entered in `state` unless all are good."""
    formats, aggregations = len(state.formats), len(state.aggregations)
    builder = ClauseBuilder(state.options, state.format_number, state.aggregation_id)
    clauses = []
    try:
        for ecb in program.ecbs:
            codes = [_code(state, action.difo) for action in ecb.actions]
            clauses.append(builder.build(ecb, _code(state, ecb.predicate), codes))
        if len(state.formats) > FORMATS_MAX:
            raise Refused("too many formats")
    except Refused as error:
        del state.formats[formats:], state.aggregations[aggregations:]
        raise refuse(errno.EINVAL, str(error)) from None
    state.clauses += clauses
    state.destructive |= any(clause.destructive for clause in clauses)
    return clauses


def _code(state: State, difo: Difo | None) -> Code | None:
    return None if difo is None else state.environment.load(difo)


def replicate(state: State, match: model.ProbeDesc, create: model.ProbeDesc) -> None:
    """REPLICATE: put every clause whose description is exactly `match` on `create`, too.

    Raises BorderError ENOENT if there is none.
    """
    found = [clause for clause in state.retained if clause.probe[:4] == match[:4]]
    if not found:
        raise refuse(errno.ENOENT, "no such enabling")
    if state.enablings >= RETAINED_MAX:
        raise refuse(errno.ENOSPC, "too many enablings")
    state.enablings += 1
    for clause in found:
        state.retained.append(clause.for_probe(create))


# -- beginning and end ----------------------------------------------------------------------------------

def go(state: State) -> int:
    """GO: make buffers, fire BEGIN, let probes fire; returns the CPU on which BEGIN fired.

    Raises BorderError: EBUSY, EACCES (destructive clauses without the option),
    ENOSPC (no room for a record), ENOMEM.
    """
    if state.activity is not Activity.INACTIVE:
        raise refuse(errno.EBUSY, "tracing has begun")
    if state.destructive and state.options[OptionId.DESTRUCTIVE] == UNSET:
        raise refuse(errno.EACCES, "destructive actions not allowed")
    _settle_sizes(state)
    _allocate(state)
    options = state.options
    options[OptionId.STATUSRATE] = within(OptionId.STATUSRATE, options[OptionId.STATUSRATE])
    cleanrate = options[OptionId.CLEANRATE] or BY_ID[OptionId.CLEANRATE].most  # 0 is the longest, too
    options[OptionId.CLEANRATE] = within(OptionId.CLEANRATE, cleanrate)
    host = state.host
    state.alive = state.last_status = host.hrtime()
    if state.has_to_clean:
        state.timers.append(host.cyclic(options[OptionId.CLEANRATE], state.clean))
    if not all(clause.probe.own for clause in state.retained):  # without others nothing fires for too long
        state.timers.append(host.cyclic(DEADMAN_INTERVAL, lambda: _deadman(state)))
    if state.environment.opens_files and not state.credentials.kernel:
        state.tracing.guard_files(state)
    cpu = state.begin_cpu = host.cpu
    state.become(Activity.WARMUP)
    state.fire_own(state.registry.own.begin, (state.address, 0, 0, 0, 0))
    if state.activity is Activity.WARMUP:
        state.become(Activity.ACTIVE)
    return cpu


def _settle_sizes(state: State) -> None:
    options = state.options
    if options[OptionId.NSPEC] > BY_ID[OptionId.NSPEC].most:
        raise refuse(errno.ENOMEM, "too many speculations")
    if options[OptionId.AGGSIZE] not in (UNSET, 0):
        if not state.aggregations:
            options[OptionId.AGGSIZE] = 0
        elif options[OptionId.BUFSIZE] < state.needed:
            options[OptionId.BUFSIZE] = (state.needed + 7) & ~7
    if options[OptionId.SPECSIZE] != UNSET and not state.speculates:
        options[OptionId.SPECSIZE] = 0
    short = [OPTION_NAMES[opt] for opt, wanted in (
        (OptionId.BUFSIZE, state.needed), (OptionId.SPECSIZE, state.speculates),
        (OptionId.AGGSIZE, state.aggregations))
        if wanted and options[opt] < 8]
    if short:
        raise refuse(errno.ENOSPC, f"{short[0]} is too small")


def _allocate(state: State) -> None:
    """Buffers and dynamic variables; sizes are halved until they fit, unless resizing is manual."""
    manual = state.options[OptionId.BUFRESIZE] == Resize.MANUAL
    if state.options[OptionId.NSPEC] * 64 * state.host.ncpus > SPECULATIONS_MAX:
        raise refuse(errno.ENOMEM, "not enough memory for speculations")
    try:
        state.make_buffers()
    except MemoryError:
        raise refuse(errno.ENOMEM, "not enough memory for buffers") from None
    if state.reserve() > max(state.options[OptionId.BUFSIZE], 0):
        raise refuse(errno.E2BIG, "END clauses do not fit the buffer")
    _allocate_dynamic(state, manual)


def _allocate_dynamic(state: State, manual: bool) -> None:
    size = state.options[OptionId.DYNVARSIZE]
    if size == UNSET:
        size = BY_ID[OptionId.DYNVARSIZE].default
    while True:
        try:
            if size > BY_ID[OptionId.DYNVARSIZE].most:
                raise MemoryError
            state.environment.make_dynamic(size, 0 if state.tracing.relief is None else _MOST_DYNAMIC)
            break
        except MemoryError:
            if manual or not size:
                raise refuse(errno.ENOMEM, "not enough memory for dynamic variables") from None
            size //= 2
    state.options[OptionId.DYNVARSIZE] = size


def stop(state: State) -> int:
    """STOP: fire END; returns its CPU.  Raises BorderError EINVAL if tracing is not under way."""
    if state.activity not in (Activity.ACTIVE, Activity.DRAINING):
        raise refuse(errno.EINVAL, "tracing is not under way")
    state.become(Activity.COOLDOWN)
    state.end_reserve()
    cpu = state.host.cpu
    state.fire_own(state.registry.own.end, (state.address, 0, 0, 0, 0))
    state.become(Activity.STOPPED)
    state.tracing.forget_files(state)
    return cpu


def _deadman(state: State) -> None:
    """Kill a state whose consumer has not asked for its status for too long."""
    now = state.host.hrtime()
    if now - state.last_status < DEADMAN_USER:
        state.alive = now
    elif now - state.alive > DEADMAN_TIMEOUT and state.options[OptionId.DESTRUCTIVE] == UNSET \
            and state.activity is Activity.ACTIVE:
        state.become(Activity.KILLED)


def enable_anonymous(state: State, dofs: list[bytes]) -> None:
    """Anonymous tracing: enable every DOF of the boot configuration and begin at once."""
    for dof in dofs:
        enable(state, dof)
    go(state)
