"""``python -m benchmarks``: measure and report; ``--help`` lists the options."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

import orjson

from benchmarks.data import MESSAGES, mixed_history
from benchmarks.report import as_json, as_text, versions
from benchmarks.sections import SECTIONS, Scale
from benchmarks.targets import ratios

__all__ = ["main"]

_ROUNDS, _QUICK_ROUNDS = 40, 5


def _arguments(argv: list[str] | None) -> Namespace:
    parser = ArgumentParser(prog="python -m benchmarks", description="Our codecs beside their peers.")
    parser.add_argument("--quick", action="store_true", help="few messages and few rounds: to see that it runs")
    parser.add_argument("--only", metavar="NAME", action="append", choices=SECTIONS, help=", ".join(SECTIONS))
    parser.add_argument("--messages", type=int, metavar="N", help=f"how long the history is (default: {MESSAGES})")
    parser.add_argument("--recorded", type=Path, metavar="FOLDER", help="your documents, as CODEC/*.json or *.jsonl")
    parser.add_argument("--rounds", type=int, metavar="N", help=f"how often each runs (default: {_ROUNDS})")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there as well")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the ratios, as .svg or .png (needs matplotlib)")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    """Measure what the arguments ask for; return 0, or 1 where the plot cannot be drawn."""
    args = _arguments(argv)
    messages = args.messages or (100 if args.quick else MESSAGES)
    rounds = args.rounds or (_QUICK_ROUNDS if args.quick else _ROUNDS)
    scale = Scale(mixed_history(messages), rounds, processes=rounds, recordings=args.recorded)
    sections = {name: measure(scale) for name, measure in SECTIONS.items() if name in (args.only or SECTIONS)}
    print(as_text(sections, messages))
    if args.json:
        args.json.write_bytes(orjson.dumps(as_json(sections, messages), option=orjson.OPT_INDENT_2))
    if args.plot:
        try:
            from benchmarks.plot import draw

            python = versions()["python"]
            draw(
                ratios(sections),
                args.plot,
                f"agentmsg beside its peers, {messages} messages, Python {python}",
            )
        except ImportError as error:
            print(f"no plot: {error}; pip install 'agentmsg[bench]'", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
