"""Verdicts for other programs: JUnit's XML, the Test Anything Protocol, JSON."""

from __future__ import annotations

import json
import socket
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from xml.etree import ElementTree

from dif.records import NamedTuple
from runtime.dtest.judging import FAIL, PASS, SKIP, Verdict


class Report(NamedTuple):
    """All verdicts, in the order of names, and about the run: when it began, and the seed of its order."""

    verdicts: Sequence[Verdict]
    began: datetime
    seconds: float
    seed: int | None = None

    def count(self, verdict: str) -> int:
        return sum(each.verdict == verdict for each in self.verdicts)


def junit(report: Report) -> bytes:
    """As JUnit.xsd has it (that of Apache Ant's task, which Jenkins, GitLab and others read)."""
    categories: dict[str, list[Verdict]] = defaultdict(list)
    for verdict in report.verdicts:
        categories[verdict.name.rpartition("/")[0] or "tests"].append(verdict)
    root = ElementTree.Element("testsuites")
    for number, (category, verdicts) in enumerate(sorted(categories.items())):
        suite = ElementTree.SubElement(root, "testsuite", {
            "id": str(number), "package": "dtest", "name": category,
            "timestamp": report.began.strftime("%Y-%m-%dT%H:%M:%S"), "hostname": socket.gethostname(),
            "tests": str(len(verdicts)), "failures": str(sum(each.verdict == FAIL for each in verdicts)),
            "errors": "0", "skipped": str(sum(each.verdict == SKIP for each in verdicts)),
            "time": f"{sum(each.seconds for each in verdicts):.3f}"})
        ElementTree.SubElement(suite, "properties")
        for verdict in verdicts:
            case = ElementTree.SubElement(suite, "testcase", {
                "name": _clean(verdict.name.rpartition("/")[2]),
                "classname": _clean(category.replace("/", ".")),
                "time": f"{verdict.seconds:.3f}"})
            if verdict.verdict == FAIL:
                failure = ElementTree.SubElement(case, "failure", {
                    "message": _clean(verdict.reason), "type": "failure"})
                failure.text = _clean(f"{verdict.reason}\n{verdict.detail}")
            elif verdict.verdict == SKIP:
                ElementTree.SubElement(case, "skipped", {"message": _clean(verdict.reason)})
        ElementTree.SubElement(suite, "system-out")
        ElementTree.SubElement(suite, "system-err")
    ElementTree.indent(root)
    text: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _clean(text: str) -> str:
    """Text without what XML has no way to write."""
    return "".join(char if char in "\t\n" or " " <= char <= "\ud7ff" or "\ue000" <= char <= "\ufffd"
                   or char >= "\U00010000" else ascii(char)[1:-1] for char in text)


def tap(report: Report) -> bytes:
    """Version 14 of the protocol, whose readers take version 13, too."""
    lines = ["TAP version 14", f"1..{len(report.verdicts)}"]
    for number, verdict in enumerate(report.verdicts, 1):
        lines += _tap_lines(number, verdict)
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace")


def _tap_lines(number: int, verdict: Verdict) -> Iterator[str]:
    name = verdict.name.replace("\\", "\\\\").replace("#", "\\#")
    if verdict.verdict == SKIP:
        yield f"ok {number} - {name} # SKIP {_one_line(verdict.reason)}"
        return
    yield f"{'ok' if verdict.verdict == PASS else 'not ok'} {number} - {name}"
    yield "  ---"
    yield f"  duration_ms: {verdict.seconds * 1000:.0f}"
    if verdict.verdict == FAIL:
        yield f"  message: {json.dumps(verdict.reason)}"
        if verdict.detail:
            yield "  detail: |1"
            yield from (f"    {line}" for line in verdict.detail.splitlines())
    yield "  ..."


def _one_line(text: str) -> str:
    return " ".join(text.split())


def as_json(report: Report) -> bytes:
    """One object: the counts, and a list of the tests."""
    text = json.dumps({
        "passed": report.count(PASS), "failed": report.count(FAIL), "skipped": report.count(SKIP),
        "seconds": round(report.seconds, 3), "seed": report.seed,
        "tests": [{"name": each.name, "verdict": each.verdict, "reason": each.reason, "detail": each.detail,
                   "seconds": round(each.seconds, 3)} for each in report.verdicts]}, indent=1)
    return text.encode() + b"\n"


FORMS: dict[str, Callable[[Report], bytes]] = {"junit": junit, "tap": tap, "json": as_json}
