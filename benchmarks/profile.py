"""``python -m benchmarks.profile NAME``: our own time by function, in json.decode, langchain.encode, conversion ..."""

from __future__ import annotations

import cProfile
import pstats
import sys
from argparse import ArgumentParser
from typing import TYPE_CHECKING, Any

from benchmarks.competitors import TABLE, Missing, enter
from benchmarks.conversations import support_chat
from benchmarks.conversions import CONVERTERS, enter_converter
from benchmarks.data import mixed_history
from benchmarks.timing import copy_bytes

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["main"]

_CONVERSION = "conversion"
_NAMES = [*(f"{form}.{way}" for form in TABLE for way in ("decode", "encode")), _CONVERSION]


def _format(name: str, rounds: int, messages: int) -> tuple[Callable[[Any], Any], list[Any]] | Missing:
    form, _, way = name.partition(".")
    ours = enter(form, TABLE[form]["agentmsg"], mixed_history(messages))
    if isinstance(ours, Missing):
        return ours
    given = [copy_bytes(ours.raw) for _ in range(rounds)]
    return (ours.decode, given) if way == "decode" else (ours.encode, list(map(ours.decode, given)))


def _conversion(rounds: int) -> tuple[Callable[[Any], Any], list[Any]] | Missing:
    convert = enter_converter("agentmsg", CONVERTERS["agentmsg"])
    return convert if isinstance(convert, Missing) else (convert, [{"messages": support_chat()} for _ in range(rounds)])


def main(argv: list[str] | None = None) -> int:
    """Print the 25 functions that take the most time themselves; return 1 if the codec is unavailable."""
    parser = ArgumentParser(prog="python -m benchmarks.profile", description="Where the time goes.")
    parser.add_argument("name", choices=_NAMES, metavar="NAME", help=", ".join(_NAMES))
    parser.add_argument("--rounds", type=int, default=20, metavar="N")
    parser.add_argument("--messages", type=int, default=1000, metavar="N")
    args = parser.parse_args(argv)
    found = _conversion(args.rounds) if args.name == _CONVERSION else _format(args.name, args.rounds, args.messages)
    if isinstance(found, Missing):
        print(found.why, file=sys.stderr)
        return 1
    work, inputs = found
    profiler = cProfile.Profile()
    profiler.enable()
    for each in inputs:
        work(each)
    profiler.disable()
    pstats.Stats(profiler).sort_stats("tottime").print_stats(25)
    return 0


if __name__ == "__main__":
    sys.exit(main())
