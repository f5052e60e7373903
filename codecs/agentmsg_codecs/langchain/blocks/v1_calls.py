"""Calls as v1 blocks: arguments that must be an object, and arguments that are text."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import attrs

import agentmsg as am
from agentmsg.formats import (
    EMPTY,
    KEEP,
    Native,
    Unreadable,
    adopt,
    is_mapping,
    marked,
    natives,
    object_at,
    tool_arguments,
    word_at,
)
from agentmsg.formats.forms import Form, Hatch, Key, Link, Spare, Text, Via
from agentmsg_codecs.langchain.blocks.v1 import CACHE, make_call, nothing, read_extras, write_extras
from agentmsg_codecs.langchain.names import ANTHROPIC_IDS, FAMILY, INNER

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def _is_wrapped(args: Any) -> bool:
    """Whether an object is the envelope of what isn't an object, or of what looks like that envelope."""
    if not is_mapping(args) or len(args) != 1 or "_raw" not in args:
        return False
    inner: Any = args["_raw"]
    return not is_mapping(inner) or (len(inner) == 1 and "_raw" in inner)


def call_input(args: Native) -> Any:
    """Return the input of a call whose arguments must be an object: ``{"_raw": value}`` stands for any value."""
    return adopt(args["_raw"] if _is_wrapped(args) else args)


def args_of(value: Any) -> Any:
    """Return the object that stands for the input of a valid call."""
    return value if is_mapping(value) and not _is_wrapped(value) else {"_raw": value}


def error_first(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return unknown fields with `error` in front, where the parts of invalid calls have their key for it."""
    return {"error": fields["error"], **fields} if "error" in fields and next(iter(fields)) != "error" else fields


def ordered(block: am.ToolUseBlock) -> am.ToolUseBlock:
    """Return a call that was read: where it is invalid, with its error first."""
    own: Any = block.extras.get(FAMILY) if block.extras else None
    if not own or block.is_valid or error_first(own) is own:
        return block
    return block.evolve(extras={**block.extras, FAMILY: error_first(own)})


def of_call(block: am.ToolUseBlock) -> am.ToolUseBlock:
    """Return a call that was read: where it is invalid with its error first; and one without an id needs none."""
    block = ordered(block)
    if block.id is None and block.kind != "server":
        return marked(block, FAMILY, **{"no-id": True})
    return block


# What stands in the `extras` of calls.
IN_EXTRAS = {key: key for key in ("item_id", "provider", "status")}
_WRITTEN = {key: key for key in ("provider", "status")}
_READ = {**IN_EXTRAS, "raw_input": "raw_input"}
CELLS = dict.fromkeys((*_READ, "input", "signature", "phase", "metadata"), KEEP)


def _beside(part: Native, names: Mapping[str, str]) -> Native:
    found = read_extras(part, names)
    rest = found.get("extras", EMPTY).get(INNER, {})
    if rest.get("provider", "") is None:
        # Said where the message, or the id, would say otherwise.
        del rest["provider"]
        found["notes"] = {"extras": ["=", part["extras"]]}
        if not rest:
            del found["extras"]
    return found


def read_args(part: Native) -> Native:
    """Return, as a hatch does, the fields of the arguments and `extras` of a call."""
    value, found = call_input(object_at(part, "args")), _beside(part, _READ)
    raw = found.get("raw_input")
    if raw is not None and am.ToolUseBlock(None, "", value, raw_input=raw).significant_text is None:
        raise Unreadable
    return {**found, "input": value}


def write_args(block: am.ToolUseBlock) -> Native:
    """Return the arguments of a call."""
    return {"args": args_of(block.input)}


def _write_text(block: am.ToolUseBlock) -> Native:
    return {"args": tool_arguments.input_text(block)}


def write_beside(block: am.ToolUseBlock) -> Native:
    """Return the `extras` of a call."""
    own: Native = {} if block.item_id is None else {"item_id": block.item_id}
    if block.raw_input is not None and block.is_valid and block.significant_text is not None:
        own = {"raw_input": block.significant_text, **own}
    if block.kind == "server" and block.provider is None and str(block.id).startswith(ANTHROPIC_IDS):
        is_said = "extras" in natives.extras_of(block, FAMILY) or "provider" in natives.extras_of(block, INNER)
        own |= {} if is_said else {"provider": None}  # the id would say otherwise
    return write_extras(block, _WRITTEN, **own)


def _text_reader(mark: str) -> Callable[[Native], Native]:
    def read(part: Native) -> Native:
        raw, found = word_at(part, "args"), _beside(part, IN_EXTRAS)
        if "raw_input" in found.get("extras", EMPTY).get(INNER, ()):
            raise Unreadable
        found |= {"input": EMPTY} if raw is None else {"raw_input": raw}
        notes = {} if raw is not None else {"args": "null" if "args" in part else "absent"}
        if raw is None or make_call(id=None, name="", raw_input=raw).is_valid:
            notes["/shape"] = mark
        return {**found, "notes": {**found.get("notes", {}), **notes}}

    return read


def items_of_call(
    get: Callable[[Native], Native], *own: Spare, put: Callable[[Any], Native] | None = None, is_text: bool = False,
    spaces: tuple[str, ...] = (INNER,),
) -> tuple[Any, ...]:  # fmt: skip
    """Return the items of a call: its arguments are read together with its `extras`, which bear on them."""
    args = Hatch(
        keys=("args", "extras"), cells=CELLS, get=get, odd=("extras",), spaces=spaces,
        put=_write_text if is_text else write_args, must=() if is_text else ("args",),
    )  # fmt: skip
    name = Key("name", "name", Text(), '""', default="") if is_text else Key("name", "name", Text())
    if put is None:
        put = partial(write_extras, names={**_WRITTEN, "item_id": "item_id"}) if is_text else write_beside
    extras = Hatch(keys=(), cells={}, get=nothing, put=put)
    return (Key("id", "id", Link(), "null"), name, args, *own, CACHE, extras)


def _text(tag: str, *own: Spare, **fixed: str) -> Form:
    return Form(tag, am.ToolUseBlock, tag, items_of_call(_text_reader(tag), *own, is_text=True), fixed=fixed)


_SERVER = {"kind": "server"}
CALLS = (
    Form("server_tool_call", am.ToolUseBlock, "server_tool_call", items_of_call(read_args),
         fixed=_SERVER, when=lambda block: block.is_valid),
    _text("server_tool_call_chunk", **_SERVER),
    Form("tool_call", am.ToolUseBlock, "tool_call", items_of_call(read_args), when=lambda block: block.is_valid),
    _text("invalid_tool_call", Spare("error")),
)  # fmt: skip
CHUNK = attrs.evolve(_text("tool_call_chunk"), notes={"shape": "tool_call_chunk"})


def _read_input(value: Any) -> Any:
    return call_input(object_at({"": value}, ""))


INPUT = Key("input", "input", Via(_read_input, args_of))
