"""``python -m benchmarks.profile NAME``: where our time goes; a name is json.decode, langchain.encode ..."""

from __future__ import annotations

import cProfile
import pstats
import sys
from argparse import ArgumentParser

from benchmarks.competitors import TABLE, Missing, enter
from benchmarks.data import mixed_history
from benchmarks.timing import copy_bytes

__all__ = ["main"]

_NAMES = [f"{form}.{way}" for form in TABLE for way in ("decode", "encode")]


def main(argv: list[str] | None = None) -> int:
    """Print the 25 functions that take the most time of their own; return 1 where the codec cannot be had."""
    parser = ArgumentParser(prog="python -m benchmarks.profile", description="Where the time goes.")
    parser.add_argument("name", choices=_NAMES, metavar="NAME", help=", ".join(_NAMES))
    parser.add_argument("--rounds", type=int, default=20, metavar="N")
    parser.add_argument("--messages", type=int, default=1000, metavar="N")
    args = parser.parse_args(argv)
    form, _, way = args.name.partition(".")
    ours = enter(form, TABLE[form]["agentmsg"], mixed_history(args.messages))
    if isinstance(ours, Missing):
        print(ours.why, file=sys.stderr)
        return 1
    work = ours.decode if way == "decode" else ours.encode
    given = [copy_bytes(ours.raw) for _ in range(args.rounds)]
    inputs = given if way == "decode" else list(map(ours.decode, given))
    profiler = cProfile.Profile()
    profiler.enable()
    for each in inputs:
        work(each)
    profiler.disable()
    pstats.Stats(profiler).sort_stats("tottime").print_stats(25)
    return 0


if __name__ == "__main__":
    sys.exit(main())
