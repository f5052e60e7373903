"""``python -m benchmarks.instructions``: the number of instructions and bytecodes per message.

Unlike times, these counts don't depend on other work on the machine. Valgrind's callgrind counts instructions, if it is
installed; ``sys.settrace`` counts Python's bytecodes, everywhere. A test compares both with ``instructions.json``
beside this module, with 10 % of room; ``--record`` writes that file. Instructions are compared only if Python, the
parsers and the machine are those of the record.
"""

from __future__ import annotations

import gc
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from argparse import ArgumentParser
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import orjson

import agentmsg as am
from benchmarks import ours
from benchmarks.competitors import version
from benchmarks.conversations import support_chat
from benchmarks.conversions import BODIES
from benchmarks.data import mixed_history
from benchmarks.peers import by_hand
from benchmarks.timing import Case, copy_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import FrameType

__all__ = ["BYTECODES", "INSTRUCTIONS", "RECORD", "ROOM", "conditions", "grown", "main", "measured", "tasks"]

RECORD = Path(__file__).with_name("instructions.json")
# A count may be so many times that of the record.
ROOM = 1.1
BYTECODES, INSTRUCTIONS = "bytecodes", "instructions"
_METERS = (BYTECODES, INSTRUCTIONS)
_FORMS: tuple[am.CodecName, ...] = ("json", "msgpack", "openai", "anthropic", "langchain")
# Four turns of the mixed history.
_MESSAGES = 44
# What is called so costs nothing, and nobody else calls it: before it, callgrind writes down what it counted.
_MARK, _CALLED = os.getppid, "getppid"


def tasks() -> dict[str, tuple[Case, int]]:
    """Return the counted tasks by name, with the number of their messages."""
    history = mixed_history(_MESSAGES)
    found: dict[str, tuple[Case, int]] = {}
    for form in _FORMS:
        raw = am.dumps(history, form, on_loss="ignore")
        read: Callable[[Any], Any] = partial(am.loads, codec=form)
        count = len(read(raw))
        found[f"{form}.decode"] = Case(partial(copy_bytes, raw), read), count
        found[f"{form}.encode"] = Case(partial(_done, read, raw), partial(am.dumps, codec=form)), count
    plain = am.dumps(history, "json")
    found["orjson.decode"] = Case(partial(copy_bytes, plain), orjson.loads), _MESSAGES
    found["orjson.encode"] = Case(partial(orjson.loads, plain), orjson.dumps), _MESSAGES
    converters = {
        "openai to anthropic": ours.to_anthropic,
        "openai to anthropic by hand": by_hand.to_anthropic,
    }
    for name, convert in converters.items():
        for body, words in (("convert", ""), ("with tools", ", 10 tools")):
            found[f"{name}{words}"] = Case(BODIES[body], convert), len(support_chat())
    found["json to openai, losses"] = Case(partial(copy_bytes, plain), _losing), _MESSAGES
    return found


def _done(work: Callable[[bytes], Any], raw: bytes) -> Any:
    return work(copy_bytes(raw))


def _losing(raw: bytes) -> Any:
    return list(am.convert(raw, "json", "openai").losses)


def _marked(work: Callable[[Any], Any], given: Any) -> int:
    _MARK()
    work(given)
    _MARK()
    return 0


def _traced(work: Callable[[Any], Any], given: Any) -> int:
    """Return the number of bytecodes that some work takes."""
    count = 0

    def note(_: FrameType, event: str, __: object) -> Any:
        nonlocal count
        count += event == "opcode"
        return note

    def enter(frame: FrameType, *_: object) -> Any:
        frame.f_trace_opcodes = True
        frame.f_trace_lines = False
        return note

    sys.settrace(enter)
    try:
        work(given)
    finally:
        sys.settrace(None)
    return count


def _count(meter: str) -> dict[str, tuple[int, int]]:
    """Do all tasks in this process, with a meter; return the bytecodes of each, if it counts those, and messages."""
    found: dict[str, tuple[int, int]] = {}
    count = _traced if meter == BYTECODES else _marked
    for name, (case, messages) in tasks().items():
        # What is made when it is first needed is made now: the second time is that of all later ones.
        case.run(case.fresh())
        case.run(case.fresh())
        given = case.fresh()
        gc.collect()
        gc.disable()
        found[name] = count(case.run, given), messages
        gc.enable()
    return found


def measured(meter: str) -> dict[str, float]:
    """Return the bytecodes or instructions per message of all tasks, counted in a process of their own.

    Raises:
        FileNotFoundError: if instructions are requested without valgrind.
    """
    path = os.pathsep.join(entry for entry in sys.path if entry)
    env = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONPATH": path}
    command = [sys.executable, "-m", "benchmarks.instructions", "--worker", meter]
    if meter == BYTECODES:
        return {name: count / messages for name, (count, messages) in _output(command, env).items()}
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        msg = "there is no valgrind"
        raise FileNotFoundError(msg)
    with TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        options = ["--tool=callgrind", f"--callgrind-out-file={out}", f"--dump-before={_CALLED}", "-q"]
        marked = _output([valgrind, *options, *command], env)
        # Of each task the first mark ends what was before, the second ends the task.
        dumps = [Path(f"{out}.{2 * number}").read_text(encoding="utf-8") for number in range(1, len(marked) + 1)]
    totals = [int(_TOTAL.findall(dump)[-1]) for dump in dumps]
    return {name: total / messages for (name, (_, messages)), total in zip(marked.items(), totals, strict=True)}


_TOTAL = re.compile(r"^totals: (\d+)", re.MULTILINE)


def _output(command: list[str], env: Mapping[str, str]) -> dict[str, tuple[int, int]]:
    done = subprocess.run(command, env=dict(env), check=True, stdout=subprocess.PIPE)
    found: dict[str, tuple[int, int]] = json.loads(done.stdout)
    return found


def conditions(meter: str) -> dict[str, str]:
    """Return the conditions of a count, beside our own code."""
    if meter == BYTECODES:
        return {"python": ".".join(platform.python_version_tuple()[:2])}
    valgrind = shutil.which("valgrind")
    command = [valgrind or "false", "--version"]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout if valgrind else ""
    packages = {name: version(name) for name in ("msgpack", "orjson")}
    libc = " ".join(platform.libc_ver())
    machine = platform.machine()
    return {"python": sys.version, **packages, "libc": libc, "machine": machine, "valgrind": said.strip()}


def grown(found: Mapping[str, float], record: Mapping[str, float]) -> list[str]:
    """Return, in words, the tasks that exceed their record and its room, and those without a record."""
    return [
        f"{name}: {count:,.0f} a message, recorded {record[name]:,.0f}" if name in record else f"{name}: not recorded"
        for name, count in found.items()
        if name not in record or count > record[name] * ROOM
    ]


def _show(found: Mapping[str, Mapping[str, float]], record: Mapping[str, Any]) -> None:
    from agentmsg.cli.terminal import show_table

    show_table("A message takes", *_table(found, record))


def _table(found: Mapping[str, Mapping[str, float]], record: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    headings = [""] + [heading for meter in found for heading in (meter, "/ record")]
    names = next(iter(found.values()))
    rows = [
        [name] + [cell for meter in found for cell in _cells(name, found[meter], record.get(meter))] for name in names
    ]
    return headings, rows


def _cells(name: str, found: Mapping[str, float], record: Any) -> tuple[str, str]:
    was = record["counts"].get(name) if record else None
    return f"{found[name]:,.0f}", f"{found[name] / was:.2f}" if was else ""


def _write(found: Mapping[str, Mapping[str, float]]) -> None:
    """Write the table of the page."""
    from benchmarks.page import PAGE, markdown, replaced

    rows = [[name, *(f"{counts[name]:,.0f}" for counts in found.values())] for name in next(iter(found.values()))]
    table = markdown(["a message takes", *found], rows)
    PAGE.write_text(replaced(PAGE.read_text(encoding="utf-8"), "instructions", table), encoding="utf-8")


def main(argv: list[str] | None = None) -> int:
    """Count, and print the counts beside the record; return 1 if a compared task exceeds its bound."""
    parser = ArgumentParser(prog="python -m benchmarks.instructions", description="How much work a message takes.")
    parser.add_argument("--record", action="store_true", help=f"write {RECORD.name}")
    parser.add_argument("--page", action="store_true", help="write the table of benchmarks/README.md")
    parser.add_argument("--worker", choices=_METERS, help="print the marks or counts of this process, as JSON")
    args = parser.parse_args(argv)
    if args.worker:
        print(json.dumps(_count(args.worker)))
        return 0
    meters = [BYTECODES, *([INSTRUCTIONS] if shutil.which("valgrind") else [])]
    if INSTRUCTIONS not in meters:
        print("no instructions: there is no valgrind", file=sys.stderr)
    record: dict[str, Any] = json.loads(RECORD.read_bytes()) if RECORD.exists() else {}
    found = {meter: measured(meter) for meter in meters}
    _show(found, record)
    if args.page:
        _write(found)
    if args.record:
        for meter in meters:
            counts = {name: round(count) for name, count in found[meter].items()}
            record[meter] = {"conditions": conditions(meter), "counts": counts}
        RECORD.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
        return 0
    compared = [meter for meter in meters if meter in record and record[meter]["conditions"] == conditions(meter)]
    trouble = [f"{meter}: {line}" for meter in compared for line in grown(found[meter], record[meter]["counts"])]
    print("\n".join(trouble))
    return 1 if trouble else 0


if __name__ == "__main__":
    sys.exit(main())
