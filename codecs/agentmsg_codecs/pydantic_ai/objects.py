"""Messages as objects: ``result.all_messages()`` of Pydantic AI is a list of them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, cast

from agentmsg.formats import is_object
from agentmsg_codecs.pydantic_ai.names import CONTAINERS

if TYPE_CHECKING:
    from collections.abc import Mapping

_PLAIN: set[type] = {dict}
_MODULE, _CLASSES = "pydantic_ai.messages", frozenset({"ModelRequest", "ModelResponse"})


def dumped(document: Any) -> Any:
    """Return a document of message objects as the library's own adapter dumps it; None if it holds none.

    The library is there if its objects are: nothing is imported.
    """
    if is_object(document):
        return _inside(document)
    messages: list[Any] = cast("list[Any]", document) if isinstance(document, (list, tuple)) else [document]
    if set(map(type, messages)) <= _PLAIN or not any(map(_is_message, messages)):
        return None
    adapter: Any = sys.modules[_MODULE].ModelMessagesTypeAdapter
    found = [adapter.dump_python([each], mode="json")[0] if _is_message(each) else each for each in messages]
    return found if messages is document or isinstance(document, tuple) else found[0]


def _is_message(value: Any) -> bool:
    classes: tuple[type[object], ...] = cast("Any", type(value)).__mro__
    return any(each.__name__ in _CLASSES and each.__module__ == _MODULE for each in classes)


def _inside(document: Mapping[str, Any]) -> Any:
    """Return an object that holds messages with them dumped."""
    for key in CONTAINERS.keys:
        found = dumped(document[key]) if isinstance(document.get(key), list) else None
        if found is not None:
            return {**document, key: found}
    return None
