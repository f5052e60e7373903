"""``agentmsg guide``: the guides, which ship with the package as Markdown."""

from __future__ import annotations

import re
import sys
from importlib.resources import files
from typing import TYPE_CHECKING

import click

from agentmsg.cli.options import Named
from agentmsg.cli.output import Output, printing
from agentmsg.cli.terminal import aligned, console, is_terminal, write_bytes
from agentmsg.errors import AgentMsgError, close_to, excerpt

if TYPE_CHECKING:
    from collections.abc import Mapping

# Lines longer than this are hard to read, however wide the window is.
_WIDEST = 100
_INDEX = "README"
_ENTRY = re.compile(r"^- \[([\w-]+)\]\(\1\.md\): (.+)$", re.MULTILINE)

_EXAMPLES = """\b
Examples:
  agentmsg guide
  agentmsg guide first-steps
  agentmsg guide losses | less
  agentmsg guide langchain -o langchain.md
"""


def guides() -> Mapping[str, str]:
    """Return the names of all guides, in the order to read them, each with one line about it."""
    return dict(_ENTRY.findall(read_guide(_INDEX)))


def read_guide(name: str) -> str:
    """Return the Markdown of a guide."""
    return files("agentmsg").joinpath("guides", f"{name}.md").read_text(encoding="utf-8")


@click.command("guide", short_help="List the guides, or show one.", epilog=_EXAMPLES)
@click.argument("guide", metavar="[NAME]", type=Named("guide", guides), required=False)
@printing("The file to write: .md or .txt", (".md", ".txt"))
def command(*, guide: str | None, out: Output) -> None:
    """List the guides, or show one.

    A terminal shows the guide formatted. A pipe or a file gets its Markdown.
    """
    known = guides()
    if guide is not None and guide not in known:
        hint = close_to(guide, known) or f"the guides are {', '.join(known)}"
        msg = f"there is no guide {excerpt(guide)}; {hint}"
        raise AgentMsgError(msg, code="option")
    out.check()
    with out.printed():
        if guide is None:
            click.echo("\n".join(aligned(list(known.items()))))
        elif is_terminal(sys.stdout):
            _render(read_guide(guide))
        else:
            write_bytes(read_guide(guide).encode())


def _render(text: str) -> None:
    from rich.markdown import Markdown  # noqa: PLC0415 - may be missing, see program

    screen = console()
    screen.print(Markdown(text, hyperlinks=False), width=min(screen.width, _WIDEST))
