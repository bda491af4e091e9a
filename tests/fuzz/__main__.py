"""Fuzz: `python -m tests.fuzz [TARGET…] [--executions N | --time SECONDS] [--jobs J] [--guided]`.

Each target runs in a process of its own.  A table is printed, then what escaped, each with the command that
repeats it.  Status 1 if anything did.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.fuzz import engine

HEAD = ("target                executions  per second  refused  seeds    MB  slowest  escaped")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of: {', '.join(engine.names())}")
    parser.add_argument("--executions", type=int, metavar="N", help="inputs for each target")
    parser.add_argument("--total", type=int, metavar="N", help="inputs of all targets together")
    parser.add_argument("--time", type=float, metavar="SECONDS", help="time for each target (10)")
    parser.add_argument("--jobs", type=int, default=1, metavar="J", help="targets at the same time (1)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="another run (1)")
    parser.add_argument("--guided", action="store_true", help="learn from coverage, by atheris")
    parser.add_argument("--input", metavar="FILE", help="run one target on one input, and show how it ends")
    parser.add_argument("--json", metavar="FILE", help="add the results to FILE, one in a line")
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)  # in this process
    chosen = parser.parse_args()
    for name in chosen.targets:
        if name not in engine.names():
            parser.error(f"no target {name}; there are {', '.join(engine.names())}")
    if chosen.executions is None and chosen.time is None and chosen.total is None:
        chosen.time = 10.0
    return chosen


def alone(name: str, chosen: argparse.Namespace) -> int:
    """Run a target in this process; its result goes to standard output as JSON."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    loop = engine.Loop(name, chosen.seed)
    engine.limit_memory()
    result = loop.run(chosen.executions, chosen.time)
    print(json.dumps(result.row()))
    return 0


def apart(name: str, *, executions: int | None = None, time: float | None = None, seed: int = 1,
          guided: bool = False) -> dict[str, object]:
    """Run a target in a process of its own; returns its result."""
    given = {"executions": executions, "time": time, "seed": seed}
    limits = [f"--{key}={value}" for key, value in given.items() if value is not None]
    module = "tests.fuzz.guided" if guided else "tests.fuzz"
    done = subprocess.run([sys.executable, "-m", module, name, *limits, "--alone"], cwd=engine.ROOT,
                          capture_output=True, text=True, errors="replace", check=False)
    if done.returncode == 0:
        row: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
        return row
    last = engine.WORK / name / engine.LAST
    path = engine.WORK / name / "findings" / "died"
    if done.returncode < 0 and last.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        data = last.read_bytes()
        path.write_bytes(data[8:8 + int.from_bytes(data[:8], "little")])
    return {"target": name, "executions": 0, "findings": [
        {"kind": f"status {done.returncode}", "where": "", "trace": done.stderr[-3000:], "path": str(path)}]}


def once(name: str, path: str) -> int:
    """Run one input and show how it ends; status 1 if it ends badly."""
    target = engine.load(name)
    try:
        print("returned", target.run(Path(path).read_bytes()))
    except Exception as error:
        if not target.declares(error):
            traceback.print_exc()
            return 1
        print(f"refused: {type(error).__name__}: {error}")
    return 0


def line(row: dict[str, object]) -> str:
    """A row of the table."""
    def number(key: str) -> float:
        return float(row.get(key) or 0)  # type: ignore[arg-type]

    share = number("refused") / number("executions") if number("executions") else 0
    return (f"{row['target']:<20}{number('executions'):>12,.0f}{number('rate'):>12,.0f}{share:>9.0%}"
            f"{number('kept'):>7,.0f}{number('megabytes'):>6,.0f}{number('slowest'):>8.2f}s"
            f"  {len(row['findings'])}")  # type: ignore[arg-type]


def main() -> int:
    chosen = arguments()
    names = chosen.targets or engine.names()
    if chosen.input:
        return once(names[0], chosen.input)
    if chosen.alone:
        return alone(names[0], chosen)
    print(HEAD, flush=True)
    rows = []

    def run(name: str) -> dict[str, object]:
        executions = chosen.executions if chosen.total is None else engine.shared(chosen.total, name)
        return apart(name, executions=executions, time=chosen.time, seed=chosen.seed,
                     guided=chosen.guided)

    with ThreadPoolExecutor(chosen.jobs) as pool:
        for row in pool.map(run, names):
            rows.append(row)
            print(line(row), flush=True)
            if chosen.json:
                with open(chosen.json, "a", encoding="utf-8") as file:
                    print(json.dumps(row), file=file)
    found = [(row["target"], each) for row in rows for each in row["findings"]]  # type: ignore[attr-defined]
    for name, each in found:
        print(f"\n{name}: {each['kind']} {each['where']}\n{each['trace']}"
              f"repeat: python -m tests.fuzz {name} --input {each['path']}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
