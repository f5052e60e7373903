"""``agentmsg check``: what a provider would refuse."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any

import attrs
import click

from agentmsg.cli.options import CODEC, jobs_option, quiet_option, reading_options
from agentmsg.cli.output import Output, reporting, write_json
from agentmsg.cli.reading import read_each
from agentmsg.cli.report import counted, found_in
from agentmsg.cli.terminal import show_table
from agentmsg.files.plan import Input
from agentmsg.fitting.repairing import check
from agentmsg.formats.sending import Finding
from agentmsg.model.history import History

# The most findings to list; all are counted.
_LISTED = 1000

_EXAMPLES = """\b
Examples:
  agentmsg check history.json --for anthropic
  agentmsg check train.jsonl --for openai --summary
  agentmsg check logs/*.jsonl --for anthropic --json
"""


@attrs.define
class _Report:
    documents: int = 0
    refused: int = 0
    counts: Counter[tuple[str, str]] = attrs.field(factory=Counter[tuple[str, str]])
    listed: list[tuple[str, Finding]] = attrs.field(factory=list["tuple[str, Finding]"])

    def add(self, found: tuple[Finding, ...], place: str) -> None:
        """Add the findings of a document."""
        self.documents += 1
        self.refused += any(finding.severity == "error" for finding in found)
        self.counts.update((finding.severity, finding.code) for finding in found)
        room = _LISTED - len(self.listed)
        self.listed += [(place, finding) for finding in found[:room]]


def _look(history: History, codec: str, *, target: Any) -> tuple[Finding, ...]:
    del codec
    return check(history, target)


@click.command("check", short_help="Tell what a provider would refuse.", epilog=_EXAMPLES)
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path())
@click.option("--for", "target", type=CODEC, required=True, help="The format that would be sent.")
@reading_options()
@jobs_option
@reporting
@click.option("--summary", is_flag=True, help="Count findings by code; list none.")
@quiet_option
def command(
    *,
    files: tuple[str, ...],
    target: Any,
    out: Output,
    summary: bool,
    jobs: int,
    quiet: bool,
    **how: Any,
) -> int:
    """Tell what the provider of a format would refuse in conversations, and what would mend it.

    FILE is a file, a folder, a pattern, or - for stdin, as for "agentmsg stats".

    An error is known to be refused; a warning is refused by some models only. The first 1,000 findings are listed, and
    all are counted. The exit code is 1 if there are errors, or documents that can't be read; it is 3 if a file of a
    folder can't be read.
    """
    check(History(), target)
    names = found_in(files, quiet=quiet)
    out.check(names)
    report = _Report()
    unread = read_each(names, partial(_look, target=target), report.add, Input(**how), jobs=jobs, quiet=quiet)
    with out.printed():
        if out.as_json:
            write_json(_as_data(report, unread.count, summary=summary))
        else:
            _print(report, unread.count, summary=summary)
    return unread.code(files) or int(report.refused > 0)


def _as_data(report: _Report, unread: int, *, summary: bool) -> dict[str, Any]:
    counts = [
        {"severity": severity, "code": code, "count": count}
        for (severity, code), count in sorted(report.counts.items())
    ]
    data = {"documents": report.documents, "refused": report.refused, "unreadable": unread, "counts": counts}
    if summary:
        return data
    findings = [
        {"place": place, **attrs.asdict(finding), "path": list(finding.path)} for place, finding in report.listed
    ]
    return {**data, "findings": findings}


def _print(report: _Report, unread: int, *, summary: bool) -> None:
    words = [counted(report.documents, "document"), f"{report.refused:,} would be refused"]
    click.echo(", ".join(words + ([f"{unread:,} not read"] if unread else [])))
    if not report.counts:
        return
    if summary:
        rows = [(code, severity, f"{count:,}") for (severity, code), count in sorted(report.counts.items())]
        show_table("Findings", ("code", "severity", "count"), rows, words=2)
        return
    listed = [
        (place, "/".join(map(str, each.path)), each.severity, each.code, each.message, each.fix)
        for place, each in report.listed
    ]
    columns = ("document", "path", "severity", "code", "what is wrong", "fix")
    show_table("Findings", columns, listed, words=len(columns))
    if rest := report.counts.total() - len(report.listed):
        click.echo(f"and {rest:,} more")
