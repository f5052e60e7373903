"""``--page``: the tables and plots of README.md beside this module, from the measured figures.

A table is between ``<!-- results:NAME -->`` and ``<!-- /results:NAME -->``. Tables of sections that were not measured
stay unchanged.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import plots
from benchmarks.report import conditions, table_of
from benchmarks.targets import ratios

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from benchmarks.section import Section

__all__ = ["PAGE", "markdown", "replaced", "write"]

PAGE = Path(__file__).with_name("README.md")
# Sections with a row for each codec: their promises are told by those that are missed.
_LONG = ("codecs", "recorded")


def markdown(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table of Markdown; all columns but the first hold numbers."""
    lines = [headings, ["---", *["---:"] * (len(headings) - 1)], *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def write(sections: Mapping[str, Section], messages: int, page: Path = PAGE) -> None:
    """Write the measured figures into the page, and draw its plots beside it."""
    text = page.read_text(encoding="utf-8")
    for name, table in _tables(sections, messages):
        text = replaced(text, name, table)
    page.write_text(text, encoding="utf-8")
    plots.draw(sections, page.with_name("plots"))


def replaced(text: str, name: str, table: str) -> str:
    """Replace the table at a name; return the page unchanged if it has no place for that."""
    between = rf"(<!-- results:{re.escape(name)} -->\n).*?(<!-- /results:{re.escape(name)} -->)"
    return re.sub(between, lambda found: f"{found[1]}\n{table}\n\n{found[2]}", text, flags=re.DOTALL)


def _tables(sections: Mapping[str, Section], messages: int) -> Iterator[tuple[str, str]]:
    for name, section in sections.items():
        told = [f"{missing.name}: left out, {missing.why}." for missing in section.missing]
        yield name, "\n\n".join([f"*{section.title}*", markdown(*table_of(section, medians=True)), *told])
    day = datetime.now(UTC).date()
    yield "conditions", "\n".join(f"- {line}" for line in [f"measured on {day}", *conditions(messages)])
    rows = [
        [ratio.name, f"{ratio.paired:.2f}", f"{ratio.bound:g}", "kept" if ratio.kept else "missed"]
        for ratio in ratios({name: section for name, section in sections.items() if name not in _LONG})
    ]
    if rows:
        yield "promises", markdown(["ratio (lower is better)", "measured", "at most", ""], rows)
    for name in _LONG:
        if name in sections:
            found = ratios({name: sections[name]})
            missed = [f"{ratio.name}: {ratio.paired:.2f}, at most {ratio.bound:g}" for ratio in found if not ratio.kept]
            kept = f"{len(found) - len(missed)} of {len(found)} promises of `{name}` are kept."
            told = ["", *(f"- missed: {line}" for line in missed)] if missed else []
            yield f"{name} promises", "\n".join([kept, *told])
