"""Show: a conversation to look at, as text for a terminal or as a page of HTML.

``view`` says what there is to see, once; ``terminal`` (needs rich) and ``page`` (needs jinja2) only draw it.

May import ``ops`` and what lies below it; ``_repr_html_`` of the model reaches it by name, when asked.
"""

from __future__ import annotations

from agentmsg.show.view import Lengths, View, view_of

__all__ = ["Lengths", "View", "view_of"]
