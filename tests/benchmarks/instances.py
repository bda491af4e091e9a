"""Many instances traced as one: is the sum right, and what does an instance cost?

    python tests/benchmarks/instances.py [scale] [workers] [hostile] [--instances 1000] [--machines 50]
                                         [--workers 2] [--seconds 2] [--engine dask|local]

The tree is root - relays on dask workers (or in processes of this host) - groups - instances.  Machines are
processes; the other instances are frameworks over a host of a few numbers, each behind frames of its own
(tests/unit/instances/many.py).  What comes up is compared with a sequential oracle.

scale      a quarter of the instances, half of them, all: processor time an event, delay, memory
workers    half of the instances over one worker, over two, ...: events a second
hostile    a tenth of all is killed at random, a twentieth is hostile: everyone else's results are the same

Processor time is that of all processes together from the first round to the last, without their start.  A
second by the clock means little on a busy machine; "events/CPU-s of the busiest relay" is what a host with a
processor for each would have.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
HELPERS = ROOT / "tests" / "unit" / "instances"
sys.path[:0] = [str(ROOT), str(HELPERS)]

from many import Drive, Plan, differences, made_up, relay, specification  # noqa: E402

from dof.model import ActionKind  # noqa: E402
from runtime.instances.hop.children import Child  # noqa: E402
from runtime.instances.hop.relay import Relay  # noqa: E402
from runtime.instances.starting.starter import load  # noqa: E402
from runtime.instances.wire.links import Link, SocketTransport  # noqa: E402
from runtime.instances.wire.service import Service  # noqa: E402

PATIENCE = 60  # seconds for a worker to begin
HEARTBEAT = 60 * 10**9
HZ = os.sysconf("SC_CLK_TCK")


# -- processes --------------------------------------------------------------------------------------------

class Process(NamedTuple):
    pid: int
    parent: int
    seconds: float  # of processor time, with that of its children that have ended


def processes(top: int) -> list[Process]:
    """A process and all below it."""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            fields = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        found[int(name)] = Process(int(name), int(fields[1]), sum(map(int, fields[11:15])) / HZ)
    kept, left = [], [top]
    while left:
        pid = left.pop()
        kept.append(found[pid])
        left += [each.pid for each in found.values() if each.parent == pid]
    return kept


def seconds(pids: list[int] | None = None) -> float:
    """Processor time of this process and all below it, or of some."""
    return sum(each.seconds for each in processes(os.getpid()) if pids is None or each.pid in pids)


def kilobytes(pid: int, file: str, key: str) -> int:
    """A line of a process's status."""
    lines = Path(f"/proc/{pid}/{file}").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(key))


# -- engines ----------------------------------------------------------------------------------------------

class Engine:
    """Processes of this host."""

    def links(self, plan: Plan) -> list[Link]:
        """The way to each relay."""
        frames = made_up() if plan.hostile else []
        return [self._forked(plan, number, frames) for number in range(plan.workers)]

    @staticmethod
    def _forked(plan: Plan, number: int, frames: list[bytes]) -> Link:
        ours, theirs = socket.socketpair()
        if os.fork() == 0:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            ours.close()
            Service(relay(plan, number, frames)).serve(theirs)
            os._exit(0)
        theirs.close()
        return Link(SocketTransport(ours), heartbeat=HEARTBEAT)

    def relays(self) -> list[int]:
        """The processes of relays."""
        return [each.pid for each in processes(os.getpid())[1:] if each.parent == os.getpid()]

    def ended(self, count: int) -> None:
        """Wait until the relays of a run have ended."""
        for _ in range(count):
            os.wait()


class DaskEngine(Engine):
    """A scheduler of dask.distributed and its workers."""

    def __init__(self, folder: str, count: int) -> None:
        from distributed import Client

        with socket.create_server(("127.0.0.1", 0)) as free:
            port = str(free.getsockname()[1])
        environment = dict(os.environ, PYTHONPATH=f"{ROOT}:{HELPERS}")
        address = f"tcp://127.0.0.1:{port}"
        worker = ["worker", address, "--no-nanny", "--nthreads", "2"]
        self.started = []
        with open(os.path.join(folder, "log"), "wb") as log:
            for words in (["scheduler", "--port", port], *[worker] * count):
                command = [sys.executable, "-m", "dask", *words, "--host", "127.0.0.1", "--no-dashboard"]
                self.started.append(subprocess.Popen(command, cwd=folder, env=environment, stdout=log,
                                                     stderr=log))
        self._client = Client(address, timeout=PATIENCE)
        self._client.wait_for_workers(count, timeout=PATIENCE)
        self._actors: list[object] = []

    def links(self, plan: Plan) -> list[Link]:
        from runtime.instances.starting.daskengine import ActorTransport, RelayActor

        workers = sorted(self._client.scheduler_info(n_workers=-1)["workers"])[:plan.workers]
        frames = made_up() if plan.hostile else []
        futures = [self._client.submit(RelayActor, specification(plan, number, frames), "many", actor=True,
                                       pure=False, workers=[worker]) for number, worker in enumerate(workers)]
        self._actors = [each.result(timeout=PATIENCE) for each in futures]
        return [Link(ActorTransport(actor, worker), heartbeat=HEARTBEAT)
                for actor, worker in zip(self._actors, workers, strict=True)]

    def relays(self) -> list[int]:
        workers = [each.pid for each in self.started[1:]]
        return [each.pid for each in processes(os.getpid()) if each.parent in workers]

    def ended(self, count: int) -> None:
        self._actors.clear()
        until = time.monotonic() + PATIENCE
        while self.relays() and time.monotonic() < until:
            time.sleep(0.05)

    def close(self) -> None:
        self._client.close()
        for each in self.started:
            each.terminate()
            each.wait()


@contextmanager
def engine(name: str, workers: int) -> Iterator[Engine]:
    if name == "local":
        yield Engine()
        return
    with tempfile.TemporaryDirectory() as folder:
        dask = DaskEngine(folder, workers)
        try:
            yield dask
        finally:
            dask.close()


# -- a run ------------------------------------------------------------------------------------------------

class Figures(NamedTuple):
    instances: int
    bare: int
    workers: int
    start: float  # seconds
    events: int
    per_second: float
    cpu: float  # microseconds an event
    per_relay: float  # events a second of the busiest relay's processor time
    round: float  # milliseconds
    delay: float  # milliseconds, the 99th percentile
    idle: int  # kilobytes of all relays together, before tracing
    machine: float  # kilobytes a machine
    peak: float  # megabytes of the largest relay
    lost: int
    quarantined: int
    right: bool

    @property
    def lines(self) -> str:
        return f"""{self.instances} instances over {self.workers} workers, up in {self.start:.1f} s; load {
            os.getloadavg()[0]:.1f}
    {self.events} events, {self.per_second:,.0f} a second, {self.per_relay:,.0f} a CPU-second of the busiest {
            'relay'}
    {self.cpu:.0f} us of CPU an event; p99 delay {self.delay:,.0f} ms, a round {self.round:,.0f} ms
    the largest relay has {self.peak:.0f} MB; {self.lost} lost, {self.quarantined} quarantined; {
            'totals are right' if self.right else 'TOTALS ARE WRONG'}"""


def measured(plan: Plan, engine: Engine) -> Figures:
    """One run; prints and returns its figures."""
    began = time.perf_counter()
    drive = Drive(plan, Relay([Child(number, "", link) for number, link in enumerate(engine.links(plan))]))
    started = time.perf_counter() - began
    relays = engine.relays()
    machines = [each.pid for each in processes(os.getpid()) if each.parent in relays]
    idle = sum(kilobytes(pid, "status", "VmRSS:") for pid in relays)
    inside = sum(kilobytes(pid, "smaps_rollup", "Pss:") for pid in machines)
    drive.enable()
    before, at_relays, began = seconds(), [seconds([pid]) for pid in relays], time.perf_counter()
    dice = random.Random(2)
    doomed = dice.sample(machines, plan.killed * plan.machines // plan.instances)
    rounds, last = [], began
    for _step in drive.rounds():
        rounds.append(time.perf_counter() - last)
        last = time.perf_counter()
        if doomed and dice.random() < 0.7:
            os.kill(doomed.pop(), signal.SIGKILL)
    wall, used = time.perf_counter() - began, seconds() - before
    busiest = max(seconds([pid]) - was for pid, was in zip(relays, at_relays, strict=True))
    peak = max(kilobytes(pid, "status", "VmHWM:") for pid in relays) / 1024
    drive.close()
    engine.ended(plan.workers)
    wrong = differences(plan, drive.results)
    for line in wrong[:5]:
        print("WRONG:", line)
    ways = list(drive.results.gone.values())
    events = sum(words[0] for (action, key), words in drive.results.totals.items()
                 if action == ActionKind.AGG_COUNT and (not key or key[:1] == b"m"))
    if plan.hostile:  # which say anything about themselves in the total
        events = sum(words[0] for (action, key), words in drive.results.totals.items()
                     if action == ActionKind.AGG_COUNT and key and words[0] <= plan.seconds * 50)
    delays = sorted(drive.results.delays)
    figures = Figures(plan.instances, len(plan.bare), plan.workers, started, events, events / wall,
                      used * 1e6 / events, events / busiest, wall / len(rounds) * 1e3,
                      delays[int(len(delays) * 0.99)] / 1e6, idle, inside / max(len(machines), 1), peak,
                      ways.count("lost"), ways.count("quarantined"), not wrong)
    print(figures.lines, flush=True)
    return figures


def scale(plan: Plan, engine: Engine) -> list[Figures]:
    found = [measured(Plan(plan.instances // part, plan.machines // part, plan.workers, plan.seconds), engine)
             for part in (4, 2, 1)]
    ratios = ", ".join(f"{each.instances}: {each.cpu / found[0].cpu:.2f}" for each in found)
    print(f"CPU an event as instances are added (1.00 is linear): {ratios}")
    print(f"p99 delay to the time of a round: {found[-1].delay / found[-1].round:.2f}")
    first, last = found[0], found[-1]
    more = (last.idle - first.idle) / (last.bare - first.bare)
    print(f"memory of one more idle instance: {more:.0f} kB, of a machine {last.machine:.0f} kB")
    return found


def workers(plan: Plan, engine: Engine) -> list[Figures]:
    found = [measured(Plan(plan.instances // 2, 0, count, plan.seconds), engine)
             for count in range(1, plan.workers + 1)]
    for each in found[1:]:
        print(f"{each.workers} workers to 1: events a second {each.per_second / found[0].per_second:.2f}, "
              f"with a processor for each relay {each.per_relay / found[0].per_relay:.2f}")
    return found


def hostile(plan: Plan, engine: Engine) -> list[Figures]:
    found = [measured(Plan(plan.instances, plan.machines, plan.workers, plan.seconds, killed, bad), engine)
             for killed, bad in ((0, 0), (plan.instances // 10, plan.instances // 20))]
    quiet, harmed = found
    print(f"{plan.instances // 10} killed and {plan.instances // 20} hostile, to none: CPU an event "
          f"{harmed.cpu / quiet.cpu:.2f}, a round {harmed.round / quiet.round:.2f}, p99 delay "
          f"{harmed.delay / quiet.delay:.2f}, memory of the largest relay {harmed.peak / quiet.peak:.2f}")
    return found


PARTS = {"scale": scale, "workers": workers, "hostile": hostile}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS) + "; all of them")
    for name, default in (("instances", 1000), ("machines", 50), ("workers", 2), ("seconds", 2)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--engine", choices=["dask", "local"],
                        default="dask" if find_spec("distributed") else "local")
    given = parser.parse_args()
    for part in given.parts:
        if part not in PARTS:
            parser.error(f"there is no part {part}")
    load()
    plan = Plan(given.instances, given.machines, given.workers, given.seconds)
    with engine(given.engine, given.workers) as started:
        right = [each.right for part in given.parts or PARTS for each in PARTS[part](plan, started)]
    sys.exit(0 if all(right) else 1)


if __name__ == "__main__":
    main()
