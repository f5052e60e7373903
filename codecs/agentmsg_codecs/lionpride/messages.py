"""Nodes to messages and back, one to one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import AgentMsgError, DecodeError
from agentmsg.formats import (
    EMPTY,
    Native,
    Shape,
    Unreadable,
    adopt,
    excerpt,
    given,
    is_marked,
    is_object,
    maker,
    marked,
    natives,
    object_at,
    spelling,
    tool_links,
    write_as,
)
from agentmsg_codecs.lionpride.format import CONTENT, DESCRIBED, FAMILY, NODE_KEYS, class_extras, class_of_content

if TYPE_CHECKING:
    from agentmsg.formats import CallNames


_make_msg = maker(am.Msg)
_READERS, _WRITERS = DESCRIBED.names.readers, DESCRIBED.names.writers


def kind_of(message: am.Msg) -> str:
    """Return the class of content that a message is written as."""
    if message.role == "assistant":
        return "action_request" if message.has(am.ToolUseBlock) else "assistant_response"
    return {"system": "system", "tool": "action_response"}.get(message.role, "instruction")


# -- contents ---------------------------------------------------------------------------------------------------------


def _bare(message: am.Msg) -> am.Msg:
    """Return the parts of a message that its content holds: no ids of calls, no names of results."""
    own = natives.extras_of(message, CONTENT)
    content = message.content
    if message.role == "assistant":
        content = tuple(block.evolve(id=None) if isinstance(block, am.ToolUseBlock) else block for block in content)
    elif message.role == "tool":
        content = (content[0].evolve(name=None),)
    return _make_msg(message.role, content, extras=adopt({CONTENT: own}) if own else EMPTY, notes=message.notes)


def _write_content(message: am.Msg) -> Native:
    kind = kind_of(message)
    if CONTENT not in message.notes and CONTENT not in message.extras:
        native: Native = _WRITERS[kind](message)
        return native
    return write_as(DESCRIBED.shapes[kind], _bare(message), CONTENT)


# -- nodes ------------------------------------------------------------------------------------------------------------


def _read(native: Native, _: Any = None) -> am.Msg:
    content = object_at(native, "content")
    inner = _READERS[class_of_content(content)](content)
    message: am.Msg = _READERS["node"]({**native, "content": inner})
    extras = class_extras(native.get("metadata"))
    if not extras and not inner.notes and not inner.extras:
        return message
    changes = {"extras": {**inner.extras, **extras, **message.extras}, "notes": {**inner.notes, **message.notes}}
    return spelling.changed(message, {name: adopt(value) for name, value in changes.items()})


def _write(message: am.Msg) -> Native:
    native: Native = _WRITERS["node"](message)
    native["content"] = _write_content(message)
    # Replace empty values by the invalid ones that were read there.
    for key in NODE_KEYS & natives.extras_of(message, FAMILY).keys() & native.keys():
        if native[key] is None or (key == "metadata" and not message.metadata):
            del native[key]
    return native


NODE = Shape(
    cls=am.Msg,
    keys={None: NODE_KEYS},
    tag="",
    read=_read,
    write=_write,
    odd=DESCRIBED.forms["node"].odd,
    exact=_READERS,
)


def read_node(native: Any, names: CallNames | None = None) -> am.Msg:
    """Read a node; an unreadable one becomes a message with the role ``native``.

    Args:
        native: the node, or as little as ``{"content": {...}}``.
        names: the names of earlier calls; None for a single message.

    Raises:
        DecodeError: if it isn't a message at all.
    """
    if not is_object(native):
        raise DecodeError(f"a message of lionpride is an object, not {excerpt(native)}")
    if not is_object(native.get("content")):
        raise DecodeError("a message of lionpride has an object as its content", path=("content",))
    stored = "metadata" not in native and "node_metadata" in native
    node = {("metadata" if key == "node_metadata" else key): native[key] for key in native} if stored else native
    try:
        message = _read(node)
    except (Unreadable, AgentMsgError):
        return natives.read_whole(native, FAMILY)
    message = marked(message, FAMILY, stored=True) if stored else message
    return message if names is None else names.named(message)


def write_node(message: am.Msg) -> Any:
    """Write a message that fits as a node."""
    whole = natives.native_of(message, FAMILY)
    if whole is not None:
        return whole
    if message.role == "tool" and given(message.content[0].name) is not None:  # type: ignore[union-attr] # its result
        # Nodes have no name of a result. Remove it, because spellings are tested by reading the node again.
        message = tool_links.named(message, None)
    native = write_as(NODE, message, FAMILY)
    if is_marked(message, FAMILY, "/stored") and "node_metadata" not in native:
        return {("node_metadata" if key == "metadata" else key): native[key] for key in native}
    return native
