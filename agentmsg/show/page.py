"""Page: a view as HTML. Needs jinja2 and markdown-it-py (the extra ``html``).

Texts from data reach the page through autoescaping templates only, and markdown through a renderer that escapes. There
is no script, nothing is fetched, and pictures are shown only if their type can't hold anything else.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from agentmsg.fitting.losses import Losses
from agentmsg.model.history import History, as_history
from agentmsg.model.msg import Msg
from agentmsg.show.blocks import Lengths
from agentmsg.show.loss_table import document_code, table_of
from agentmsg.show.markdown import parser, tokens
from agentmsg.show.view import view_of

if TYPE_CHECKING:
    from agentmsg.api.writing import Conversion
    from agentmsg.show.pieces import Code
    from agentmsg.show.view import View

# What a notebook keeps of each text: a cell has no room for a megabyte.
_IN_NOTEBOOKS = Lengths(text=10_000, detail=4_000)


def page(view: View) -> str:
    """Return one self-contained page that needs neither network nor scripts."""
    return _templates().get_template("page.html.j2").render(view=view)


def fragment(view: View, *, alone: bool = False) -> str:
    """Return the same as a fragment for another page, with its own style.

    Args:
        view: what to draw.
        alone: whether it is a single message, shown without anything of a conversation.
    """
    return _templates().get_template("fragment.html.j2").render(view=view, alone=alone)


def repr_html(value: History | Msg | Losses | Conversion) -> str:
    """Return the HTML that notebooks show for a history, a message, a loss report or a conversion."""
    if isinstance(value, (History, Msg)):
        return fragment(view_of(as_history(value), lengths=_IN_NOTEBOOKS), alone=isinstance(value, Msg))
    if isinstance(value, Losses):
        return _report(value, None)
    return _report(value.losses, document_code(value.document))


def _report(losses: Losses, document: Code | None) -> str:
    return _templates().get_template("report.html.j2").render(table=table_of(losses), document=document)


@cache
def _templates() -> Environment:
    made = Environment(
        loader=PackageLoader("agentmsg.show"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["markdown"] = _markdown
    return made


def _markdown(text: str) -> Markup:
    made = parser()
    return Markup(made.renderer.render(tokens(text), made.options, {}))  # noqa: S704 - it escapes, and knows no HTML
