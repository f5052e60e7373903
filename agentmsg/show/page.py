"""Page: a view as HTML. Needs jinja2 and markdown-it-py (the extra ``html``).

Texts of data reach the page through autoescaping templates only, and markdown through a renderer that escapes. There
is no script, nothing is fetched, and pictures are shown only of types that cannot hold anything else.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from agentmsg.model.history import as_history
from agentmsg.show.markdown import parser, tokens
from agentmsg.show.view import Lengths, view_of

if TYPE_CHECKING:
    from agentmsg.model.history import History
    from agentmsg.model.msg import Msg
    from agentmsg.show.view import View

__all__ = ["fragment", "page", "repr_html"]

# What a notebook keeps of each text: a cell is no place for a megabyte.
_IN_NOTEBOOKS = Lengths(text=10_000, detail=4_000)


def page(view: View) -> str:
    """Return one self-contained page: no network and no script is needed to read it."""
    return _templates().get_template("page.html.j2").render(view=view)


def fragment(view: View) -> str:
    """Return the same as a part of somebody else's page, with a style of its own."""
    return _templates().get_template("fragment.html.j2").render(view=view)


def repr_html(value: History | Msg) -> str:
    """Return what notebooks show of a history or message."""
    return fragment(view_of(as_history(value), lengths=_IN_NOTEBOOKS))


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
