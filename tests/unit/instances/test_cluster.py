"""Clusters of machines in processes of this host, from the command line to what it prints."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
DTRACE = [sys.executable, "-m", "runtime.command"]
NESTED = '''
[cluster]
quantum = "10ms"
[[instance]]
path = "p1"
[[instance]]
path = "p1/vm1"
trust = "none"
[[instance]]
path = "p1/vm1/n1"
[[instance]]
path = "p2"
'''


def dtrace(folder: Path, *words: str, cluster: str | None = NESTED, check: int | None = 0
           ) -> subprocess.CompletedProcess[str]:
    if cluster is not None:
        (folder / "lab.toml").write_text(cluster)
        words = ("--cluster", "lab.toml", *words)
    env = dict(os.environ, PYTHONPATH=str(ROOT), TZ="UTC")
    done = subprocess.run([*DTRACE, *words], cwd=folder, env=env, capture_output=True, text=True, timeout=120,
                          check=False)
    assert check is None or done.returncode == check, done.stderr
    return done


def test_a_program_over_three_levels(tmp_path: Path) -> None:
    program = '''
        **:dtrace:::BEGIN { printf("%s %s\\n", instance, vmname); }
        BEGIN /pid == $pid && ppid == $ppid/ { printf("dtrace is a process of the host\\n"); }
        p1/**:profile:::tick-100ms { @[instance] = count(); @all = count(); @lowest = min(timestamp); }
        tick-1s { exit(3); }'''
    done = dtrace(tmp_path, "-q", "-n", program, check=3)
    lines = done.stdout.split("\n")
    begun = sorted(line for line in lines if line and line[0] != " ")
    assert begun == ["dtrace is a process of the host", "host host", "p1 p1", "p1/vm1 vm1", "p1/vm1/n1 n1",
                     "p2 p2"]
    counted = {line.split()[0]: int(line.split()[1]) for line in lines if line.startswith("  p1")}
    assert set(counted) == {"p1", "p1/vm1", "p1/vm1/n1"} and set(counted.values()) == {10}
    assert dtrace(tmp_path, "-q", "-n", program, check=3).stdout == done.stdout  # the same bytes again


def test_any_number_of_workers_prints_the_same_bytes(tmp_path: Path) -> None:
    program = ("**:profile:::tick-200ms { trace(timestamp); trace(instance); @[instance] = count(); } "
               "tick-1s { exit(0); }")
    printed = {dtrace(tmp_path, "-n", program,
                      cluster=NESTED.replace("[cluster]", f'[cluster]\nscheduler = "local{workers}"')).stdout
               for workers in ("", ":1", ":2")}
    assert len(printed) == 1
    assert "p1/vm1/n1" in printed.pop()


def test_lists(tmp_path: Path) -> None:
    tree = dtrace(tmp_path, "--instances").stdout.split("\n")
    assert [line[:14].rstrip() for line in tree[1:6]] == ["host", "p1", "  vm1", "    n1", "p2"]
    assert all(" ready " in line for line in tree[1:6])
    listed = dtrace(tmp_path, "-l", "-n", "p*/**:dtrace:::END").stdout.split("\n")
    assert [line.split()[0] for line in listed[1:5]] == ["p1", "p1/vm1", "p1/vm1/n1", "p2"]
    assert len({line.split()[1] for line in listed[1:5]}) == 4  # each probe has a number of its own


def test_json_names_the_instance(tmp_path: Path) -> None:
    done = dtrace(tmp_path, "--json", "-n", "p1/vm1:dtrace:::BEGIN { trace(1); } tick-10ms { exit(0); }")
    items = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(each["instance"], each["cpu"]) for each in items if each["type"] == "firing"] == \
        [("p1/vm1", 0), ("host", 0)]


def test_commands_run_where_they_are_to(tmp_path: Path) -> None:
    done = dtrace(tmp_path, "-q", "-n", "p*/**:proc:::exit { @[instance, execname] = count(); }",
                  "-c", "p2:/bin/true", "-c", "p1/vm1:/bin/echo hello")
    assert "hello" in done.stdout
    counted = [line.split() for line in done.stdout.split("\n") if line.startswith("  p")]
    assert sorted(counted) == [["p1/vm1", "echo", "1"], ["p2", "true", "1"]]


def test_kernels_of_another_system(tmp_path: Path) -> None:
    """What is compiled has that system's numbers of variables and subroutines."""
    done = dtrace(tmp_path, "-x", "target=freebsd", "-qn", r"""**:dtrace:::BEGIN {
        printf("%s %d %s\n", instance, jid, json("{\"a\": \"x\"}", "a")); } tick-1ms { exit(0); }""")
    assert sorted(done.stdout.split("\n")) == [
        "", "", "host 0 x", "p1 0 x", "p1/vm1 0 x", "p1/vm1/n1 0 x", "p2 0 x"]


def test_exit_anywhere_ends_everything(tmp_path: Path) -> None:
    done = dtrace(tmp_path, "-q", "-n", "p1/vm1/n1:profile:::tick-50ms { exit(7); }", check=7)
    assert done.stderr == ""


def test_a_machine_in_a_machine_is_a_process_of_that(tmp_path: Path) -> None:
    done = dtrace(tmp_path, "-qn",
                  'p1/**:syscall::ioctl:entry /execname == "vmm"/ { @[instance] = count(); } '
                  "**:profile:::tick-10ms { } tick-100ms { exit(0); }")
    counted = dict(zip(done.stdout.split()[::2], map(int, done.stdout.split()[1::2]), strict=True))
    assert counted.keys() == {"p1", "p1/vm1"} and min(counted.values()) >= 9


@pytest.mark.parametrize("allowed,status", [("destructive = true", 0), ("", 1)])
def test_destructive_actions_only_where_the_file_allows_them(tmp_path: Path, allowed: str,
                                                             status: int) -> None:
    cluster = f'[[instance]]\npath = "p1"\n{allowed}'
    done = dtrace(tmp_path, "-qwn", "p1:dtrace:::BEGIN { chill(1); exit(0); }", cluster=cluster, check=status)
    assert ("Destructive actions not allowed" in done.stderr) == bool(status)


def test_an_address_is_that_of_one_instance(tmp_path: Path) -> None:
    """All machines are alike: what is a pointer has the instance with it, what is a number is the same."""
    done = dtrace(tmp_path, "-qn", "**:dtrace:::BEGIN { @p[curthread] = count(); @i[instance, curthread] = "
                  "count(); @n[(uint64_t)curthread] = count(); } tick-1ms { exit(0); }")
    rows = [line.split() for line in done.stdout.splitlines() if line]
    pointer = rows[0][0]
    places = ["host", "p1", "p1/vm1", "p1/vm1/n1", "p2"]
    assert sorted(rows) == sorted([*([pointer, place, "1"] for place in places), [pointer, "5"],
                                   *([place, pointer, "1"] for place in places)])


def test_rows_of_processes_say_which_instance(tmp_path: Path) -> None:
    """Programs are alike, and so are their stacks: each row says whose it is, however it is shown."""
    programs = [word for place in ("p1", "p1/vm1", "p2") for word in ("-c", f"{place}:/bin/echo hi")]
    clause = "**:syscall::write:entry { @u[ustack(1)] = count(); @q[umod(ucaller)] = quantize(4, 3); " \
             "@b[ustack(1)] = sum(arg2); }"
    places = ["p1", "p1/vm1", "p2"]
    done = dtrace(tmp_path, "-q", "--folded", "out.folded", *programs, "-n", clause + """
        END { printa("%k|%@d\\n", @u); printa("%k|%@d %@d\\n", @u, @b); printa(@u, @b); }""")
    write = r"\nlibc\S+`\w*write\S*\n"
    assert re.findall(rf"^(\S+) +{write}\|1$", done.stdout, re.M) == places  # printa() with a format
    assert re.findall(rf"^(\S+) +{write}\|1 3$", done.stdout, re.M) == places  # of several
    assert re.findall(r"^  (\S+) +1 +3$", done.stdout, re.M) == places  # without a format
    assert re.findall(r"^  \S+ +(\S+) +\n.*Distribution", done.stdout, re.M) == places  # at the end
    assert len(re.findall(r" 3 +$", done.stdout, re.M)) == 3  # as much as quantize() is to add
    folded = (tmp_path / "out.folded").read_text().splitlines()
    assert [line.partition(";")[0] for line in folded] == places
    done = dtrace(tmp_path, "--json", *programs, "-n", clause)
    items = [json.loads(line) for line in done.stdout.splitlines() if line != "hi"]
    rows = [(item["name"], item["keys"][1]) for item in items if item["type"] == "aggregation"]
    assert rows == [(name, place) for name in "uqb" for place in places]


def test_errors_of_instances_say_where(tmp_path: Path) -> None:
    """Of each instance, nested ones too; actions have the numbers that they have in the program."""
    program = """**:dtrace:::BEGIN { @a[curthread] = sum(*(int *)8); }
        **:dtrace:::BEGIN { @b[ustack(1)] = quantize(1, *(int *)16); }
        p*/**:dtrace:::BEGIN { @c = sum(*(int *)24); }
        p2:dtrace:::BEGIN, p2:profile:::tick-1ms { @d = sum(*(int *)32); }
        tick-10ms { exit(0); }"""
    (tmp_path / "a.d").write_text(program)
    items = [json.loads(line) for line in dtrace(tmp_path, "--json", "-s", "a.d").stdout.splitlines()]
    found = {(item.get("instance"), item["address"], item["action"], item["source"]["line"])
             for item in items if item["type"] == "error"}
    nested = {"p1", "p1/vm1", "p1/vm1/n1", "p2"}
    assert found == {(place, address, action, line) for address, action, line, places in (
        (8, 3, 1, nested | {"host"}), (16, 3, 2, nested | {"host"}), (24, 2, 3, nested), (32, 2, 4, {"p2"}))
        for place in places}
    repeats, = (item for item in items if item["type"] == "repeats")
    assert (repeats["instance"], repeats["count"]) == ("p2", 10) and "and 1 other" in repeats["message"]


@pytest.mark.parametrize("words,message", [
    (["-n", "p9:syscall:::"], "p9:syscall:::: no instance is called p9: 'dtrace --cluster lab.toml"),
    (["-l", "-n", "p9:syscall:::"], "failed to match p9:syscall:::: no instance is called p9: 'dtrace"),
    (["-l", "-n", "syscall:::", "-n", "p1/*:io:::"], "to match p1/*:io:::: no instance is called p1/*"),
    (["-n", "p1:nosuch:::"], "p1:nosuch::: does not match any probes"),
    (["-n", "p1:a:b:c:d:e"], "no more than 4 fields are possible"),
    (["-n", "BEGIN", "-c", "p9:/bin/true"], "failed to control p9:/bin/true: no instance is called p9"),
    (["-n", "BEGIN", "-c", "p1:/no/such"], "failed to control /no/such: No such file or directory")])
def test_what_is_wrong_is_told(tmp_path: Path, words: list[str], message: str) -> None:
    done = dtrace(tmp_path, *words, check=1, cluster='[[instance]]\npath = "p1"')
    assert message in done.stderr and not done.stdout
    assert "Traceback" not in done.stderr


def test_a_machine_that_cannot_be_made_is_told_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("[machines]\n")
    done = dtrace(tmp_path, "-n", "BEGIN", check=1, cluster='\n[[instance]]\npath = "p1"\nimage = "bad.toml"')
    assert done.stderr == "dtrace: lab.toml:3: instance p1: bad.toml:1: machines: there is no such table\n"


def test_without_a_cluster_there_is_no_fifth_field(tmp_path: Path) -> None:
    done = dtrace(tmp_path, "-n", "host:dtrace:::BEGIN", cluster=None, check=1)
    assert "no more than 4 fields are possible" in done.stderr
    assert dtrace(tmp_path, "--instances", cluster=None, check=1).stderr == \
        "dtrace: --instances needs a cluster: say which with --cluster FILE\n"


def processes_of(session: int) -> list[int]:
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            fields = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] != "Z":
            found.append(int(name))
    return found


def test_a_machine_that_dies_is_named_and_the_rest_is_right(tmp_path: Path) -> None:
    (tmp_path / "lab.toml").write_text(NESTED)
    child = subprocess.Popen([*DTRACE, "--cluster", "lab.toml", "-qn", """
        BEGIN { printf("begun\\n"); } **:profile:::tick-1s { @[instance] = count(); }
        tick-30s { exit(0); }"""], cwd=tmp_path, env=dict(os.environ, PYTHONPATH=str(ROOT)), text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "begun\n"
    children = [pid for pid in processes_of(child.pid)
                if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1] == str(child.pid)]
    os.kill(max(children), signal.SIGKILL)  # the last that was started, which is p2
    out, err = child.communicate(timeout=120)
    assert "dtrace: instance p2 lost: " in err and ", 0 records unacknowledged" in err
    counted = dict(zip(out.split()[::2], map(int, out.split()[1::2]), strict=True))
    assert child.returncode == 0
    assert [counted[path] for path in ("host", "p1", "p1/vm1", "p1/vm1/n1")] == [30] * 4
    assert counted.get("p2", 0) < 30


def test_nothing_goes_on_without_the_host(tmp_path: Path) -> None:
    (tmp_path / "lab.toml").write_text(NESTED)
    child = subprocess.Popen([*DTRACE, "--cluster", "lab.toml", "-qn", """
        BEGIN { printf("begun\\n"); } **:profile:::tick-1s { @[instance] = count(); }"""], cwd=tmp_path,
        env=dict(os.environ, PYTHONPATH=str(ROOT)), text=True, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, start_new_session=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "begun\n"
    children = [pid for pid in processes_of(child.pid)
                if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1] == str(child.pid)]
    os.kill(min(children), signal.SIGKILL)  # the first that was started, which is the host
    _out, err = child.communicate(timeout=60)
    assert child.returncode == 1
    assert err.startswith("dtrace: the host's machine is gone: ") and err.count("\n") == 1


def test_an_interrupt_ends_everything_that_was_started(tmp_path: Path) -> None:
    (tmp_path / "lab.toml").write_text(NESTED)
    child = subprocess.Popen([*DTRACE, "--cluster", "lab.toml", "-qn", 'BEGIN { printf("begun\\n"); } '
                              "**:profile:::tick-1s { @[instance] = count(); }"], cwd=tmp_path,
                             env=dict(os.environ, PYTHONPATH=str(ROOT)), stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, start_new_session=True, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "begun\n"
    assert len(processes_of(child.pid)) == 6
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert child.returncode == 0 and err == ""
    assert "p1/vm1/n1" in out
    deadline = time.monotonic() + 5
    while processes_of(child.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert processes_of(child.pid) == []


def test_equal_addresses_of_two_kernels_stay_apart(tmp_path: Path) -> None:
    """Functions are the same in every kernel of one version; where a thread lies is an instance's own."""
    done = dtrace(tmp_path, "-qn", """
        p*/**:dtrace:::BEGIN { @[sym((uintptr_t)curthread)] = count();
                               @t = count(); @s[stack()] = count(); }
        tick-5ms { exit(0); }""")
    words = done.stdout.split()
    own = {word.partition("`")[0]: word for word in words if "`0xffff" in word}
    assert own.keys() == {"p1", "p1/vm1", "p1/vm1/n1", "p2"}
    assert len({word.partition("`")[2] for word in own.values()}) < 4  # the same address in two of them
    assert done.stdout.count("genunix`fop_ioctl+") == 1  # one row for all


@pytest.mark.parametrize("words,told", [
    ((), "Destructive actions not allowed (instance p1)\n"),
    (("-w",), "Destructive actions not allowed (instance p1: lab.toml:2 does not say destructive = true)\n")])
def test_who_refuses_destructive_actions_is_told(tmp_path: Path, words: tuple[str, ...], told: str) -> None:
    done = dtrace(tmp_path, *words, "-qn", "p1:dtrace:::BEGIN { chill(1); }", check=1,
                  cluster='[[instance]]\npath = "p1"')
    assert done.stderr == f"dtrace: could not enable tracing: {told}"


def test_a_path_that_means_no_instance(tmp_path: Path) -> None:
    done = dtrace(tmp_path, "-n", "p9/*:syscall:::", check=1)
    assert "p9/*:syscall:::: no instance is called p9/*: 'dtrace --cluster lab.toml --instanc" in done.stderr


def test_json_sums_what_was_recorded(tmp_path: Path) -> None:
    done = dtrace(tmp_path, "--json", "-x", "bufsize=1k", "-x", "switchrate=1s", "-n",
                  "p*/**:profile:::tick-1ms { trace(instance); } tick-100ms { exit(0); }")
    items = [json.loads(line) for line in done.stdout.splitlines()]
    accounts = {each["instance"]: each for each in items if each["type"] == "account"}
    firings = [each["instance"] for each in items if each["type"] == "firing"]
    assert accounts.keys() >= {"p1", "p1/vm1", "p1/vm1/n1", "p2"} and items[-1]["type"] == "end"
    for path, account in accounts.items():
        assert account["delivered"] == firings.count(path)
        assert account["produced"] == account["delivered"] + sum(each["count"] for each in account["dropped"])
    assert accounts["p1/vm1"]["produced"] in (99, 100)
    lost = accounts["p1/vm1"]["dropped"]
    assert [(each["hop"], each["class"]) for each in lost] == [("p1/vm1", "principal")]
