"""The description: turns, each with its text under ``value``, and the tools."""

from __future__ import annotations

from typing import Any

import agentmsg as am
from agentmsg.formats.bodies import ToolColumn
from agentmsg.formats.forms import (
    Content,
    Described,
    Form,
    Inside,
    Key,
    Lifted,
    Link,
    Object,
    Place,
    Single,
    Text,
    Truth,
)
from agentmsg_codecs.sharegpt.names import FAMILY, ITEM, LINK, WORDS

_ABOUT = (
    Key("name", "name", Text()), Key("description", "description", Text(), "may"),
    Key("parameters", "parameters", Object(), "may"), Key("strict", "strict", Truth(is_flag=True), "may"),
)  # fmt: skip
_SAID = Lifted((Place("value", Content(), need='""'),))
# Usually, a result answers a call by its position.
_LINK = Key(LINK, "tool_call_id", Link(), "may", said="id", is_odd=True)
_RESULT = Single(am.ToolResultBlock, (Key("value", "content", Content(), '""'), _LINK))


def _turn(role: str, word: str) -> Form:
    item: Any = _RESULT if role == "tool" else _SAID
    return Form(role, am.Msg, word, (item,), tag_key="from", fixed={"role": role}, is_apart=role)


DESCRIBED = Described(FAMILY, (
    *(_turn(role, word) for role, word in WORDS.items()),
    Form("function", am.ToolSpec, None, _ABOUT, is_apart=True),
    Form("typed_function", am.ToolSpec, "function", (Inside("function", _ABOUT, space=ITEM),), is_apart=True,
         notes={"typed": True}),
), {})  # fmt: skip
TOOLS = ToolColumn(DESCRIBED, "function", "typed_function", style="python")
