"""``python -m benchmarks``: measure and report; ``--help`` lists the options."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from importlib.util import find_spec
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import attrs
import orjson

import agentmsg as am
from benchmarks import instructions, page, plots
from benchmarks.data import MESSAGES, mixed_history
from benchmarks.progress import progress_of
from benchmarks.report import as_json, conditions, show_ratios, show_section
from benchmarks.section import Scale, Section
from benchmarks.sections import SECTIONS
from benchmarks.targets import ratios
from benchmarks.timing import Rounds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["main"]

_ROUNDS, _QUICK_ROUNDS = 40, 5
# For each timed case, so that the whole takes about five minutes.
_SECONDS = 0.7


def _names(text: str) -> list[str]:
    names = text.split(",")
    if unknown := [name for name in names if name not in SECTIONS]:
        msg = f"there is no section {', '.join(unknown)}; the sections are {', '.join(SECTIONS)}"
        raise ArgumentTypeError(msg)
    return names


def _codec(name: str) -> str:
    try:
        return am.get_codec(name).name
    except am.CodecLookupError as error:
        raise ArgumentTypeError(str(error)) from None


def _arguments(argv: list[str] | None) -> Namespace:
    parser = ArgumentParser(prog="python -m benchmarks", description="Our codecs beside their peers.")
    parser.add_argument("--quick", action="store_true", help="few messages and few rounds: to see that it runs")
    parser.add_argument(
        "--only", metavar="NAMES", action="extend", type=_names, help=f"comma between names: {', '.join(SECTIONS)}"
    )
    parser.add_argument(
        "--codec",
        metavar="NAME",
        action="append",
        type=_codec,
        help="measure this codec, perhaps yours; repeatable",
    )
    parser.add_argument("--messages", type=int, metavar="N", help=f"how long the history is (default: {MESSAGES})")
    parser.add_argument("--recorded", type=Path, metavar="FOLDER", help="your documents, as CODEC/*.json or *.jsonl")
    parser.add_argument("--rounds", type=int, metavar="N", help=f"how often each runs at most (default: {_ROUNDS})")
    parser.add_argument(
        "--seconds", type=float, metavar="S", default=_SECONDS, help=f"for each case, at most (default: {_SECONDS})"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there as well")
    parser.add_argument("--plot", type=Path, metavar="FOLDER", help="draw plots there, as .svg (needs matplotlib)")
    parser.add_argument(
        "--page", action="store_true", help="write the tables and plots of benchmarks/README.md (needs matplotlib)"
    )
    return parser.parse_args(argv)


def _measured(names: Sequence[str], scale: Scale) -> Iterator[tuple[str, Section]]:
    """Yield each section as soon as it is measured."""
    with progress_of(len(names)) as progress:
        for name in names:
            progress.begin(name)
            section = SECTIONS[name](attrs.evolve(scale, rounds=attrs.evolve(scale.rounds, tell=progress.tell)))
            progress.end()
            yield name, section


def main(argv: list[str] | None = None) -> int:
    """Measure what the arguments request; return 0, or 1 if plots can't be drawn."""
    args = _arguments(argv)
    if (args.plot or args.page) and find_spec("matplotlib") is None:
        print("plots need matplotlib: pip install 'agentmsg[bench]'", file=sys.stderr)
        return 1
    messages = args.messages or (100 if args.quick else MESSAGES)
    rounds = Rounds(args.rounds or (_QUICK_ROUNDS if args.quick else _ROUNDS), args.seconds)
    began = monotonic()
    print("\n".join(conditions(messages)))
    sections: dict[str, Section] = {}
    only = args.only or (["codecs"] if args.codec else list(SECTIONS))
    scale = Scale(mixed_history(messages), rounds, args.recorded, tuple(args.codec or ()))
    for name, section in _measured(only, scale):
        sections[name] = section
        show_section(section)
        sys.stdout.flush()
    if found := ratios(sections):
        show_ratios(found)
    print(f"\nmeasured in {monotonic() - began:.0f} s")
    if args.json:
        args.json.write_bytes(orjson.dumps(as_json(sections, messages), option=orjson.OPT_INDENT_2))
    if args.plot:
        plots.draw(sections, args.plot)
    if args.page:
        page.write(sections, messages)
        if not args.only:
            instructions.main(["--page"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
