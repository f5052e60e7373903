"""Show a conversation, as text for a terminal or as an HTML page.

``view`` computes what there is to see, once; ``terminal`` (needs rich) and ``page`` (needs jinja2) only draw it.

May import ``ops`` and what lies below it; ``_repr_html_`` of the model looks it up by name when needed.
"""

from __future__ import annotations

from agentmsg.show.view import Lengths, View, view_of

__all__ = ["Lengths", "View", "view_of"]
