"""Page: a view as HTML. Needs jinja2 and markdown-it-py (the extra ``html``).

Texts from data reach the page through autoescaping templates only, and markdown through a renderer that escapes. There
is no script, nothing is fetched, and pictures are shown only if their type can't hold anything else.
"""

from __future__ import annotations

from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from agentmsg.errors import AgentMsgError, is_a
from agentmsg.fitting.losses import Losses
from agentmsg.model.history import History, as_history
from agentmsg.model.msg import Msg
from agentmsg.show.json_lines import json_words
from agentmsg.show.markdown import parser, tokens
from agentmsg.show.pieces import Code
from agentmsg.show.small_print import count
from agentmsg.show.view import Lengths, view_of
from agentmsg.show.visible_text import brief, words
from agentmsg.values.text import parse_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentmsg.api.writing import Conversion
    from agentmsg.fitting.losses import Loss
    from agentmsg.show.view import View

# A notebook cell has no room for more rows, or for longer values.
_ROWS, _VALUE = 200, 240
_LEVELS = ("content", "annotation", "setting", "unsent")
# For these, `now` is the value's new place.
_WHERE = frozenset({"moved", "split", "merged"})
# What a notebook keeps of each text: a cell has no room for a megabyte.
_IN_NOTEBOOKS = Lengths(text=10_000, detail=4_000)


def _document_code(document: Any) -> Code:
    """Return a document to show: plain data or JSON laid out, otherwise its size."""
    if is_a(document, (bytes, bytearray, memoryview, str)):
        try:
            return Code(label="document", words=json_words(parse_json(document), _ROWS * _VALUE))
        except AgentMsgError:
            return Code(label="document", words=words(f"{count(len(document), 'byte')}, not JSON"))
    return Code(label="document", words=json_words(document, _ROWS * _VALUE))


def _title(losses: Iterable[Loss]) -> str:
    levels = [loss.tally for loss in losses]
    counts = [f"{levels.count(level):,} {level}" for level in _LEVELS if level in levels]
    return f"Lost: {', '.join(counts)}" if counts else "Nothing lost"


def _before(loss: Loss) -> str:
    return _value(loss, loss.was)


def _after(loss: Loss) -> str:
    return f"to {_place(loss.now)}" if loss.kind in _WHERE else _value(loss, loss.now)


def _value(loss: Loss, value: Any) -> str:
    """Return a value of a loss; nothing if it is secret."""
    if value is None or loss.secret:
        return ""
    if isinstance(value, datetime):
        return value.isoformat()
    is_json = isinstance(value, (bool, int, float, dict, list))
    shown = json_words(value, _VALUE) if is_json else words(value if is_a(value, str) else repr(value), _VALUE)
    return shown.text + shown.rest


def _place(now: Any) -> str:
    """Return where a value went: a block of the same message, or one message and block, or several."""
    if type(now) is int:
        return f"content/{now}"
    try:
        places: tuple[Any, ...] = now if all(type(place) is tuple for place in now) else (now,)
        return ", ".join(f"messages/{message}/content/{block}" for message, block in places)
    except (TypeError, ValueError):  # a made-up loss
        return brief(str(now))


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
    return _report(value.losses, _document_code(value.document))


def _report(losses: Losses, document: Code | None) -> str:
    """Return a table of losses: content first, then in their own order."""
    ordered = sorted(losses, key=lambda loss: _LEVELS.index(loss.tally))
    carried = f"{count(losses.carried, 'loss', 'losses')} carried in the document"
    return (
        _templates()
        .get_template("report.html.j2")
        .render(
            title=_title(losses),
            facts=(f"converted to {brief(losses.codec)}", *[carried] * bool(losses.carried)),
            losses=ordered[:_ROWS],
            more=max(0, len(ordered) - _ROWS),
            document=document,
        )
    )


@cache
def _templates() -> Environment:
    made = Environment(
        loader=PackageLoader("agentmsg.show"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"after": _after, "before": _before, "brief": brief, "markdown": _markdown}
    return made


def _markdown(text: str) -> Markup:
    made = parser()
    return Markup(made.renderer.render(tokens(text), made.options, {}))  # noqa: S704 - it escapes, and knows no HTML
