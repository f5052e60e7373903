"""Tools that OpenAI defines and the client runs: computer, shells, patches. Their calls and results are items.

The kind of a call and of its result is the name of the tool; the input says what to do. In other formats it is a
function call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import (
    KEEP,
    Native,
    Unreadable,
    adopt,
    is_list,
    is_mapping,
    is_object,
    is_sequence,
    mark_of,
    media,
    natives,
    tool_arguments,
)
from agentmsg.formats.forms import Content, Form, Hatch, Input, Json, Key, Link, Spare, Text, Words
from agentmsg_codecs.openai_responses.item_keys import (
    ENDED,
    NEEDED_ID,
    STATUS,
    is_own_id,
    item_id,
    item_marks,
    lacks_id,
)
from agentmsg_codecs.openai_responses.names import FAMILY, PROVIDER

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_SCREEN = "computer_screenshot"
_TEXTS = ("text", "input_text", "output_text")
# What shows a screen, and the keys that say it.
_IMAGE = frozenset({"image_url", "file_id"})
_SHOWN: Mapping[str, frozenset[str]] = {
    _SCREEN: _IMAGE,
    "input_image": _IMAGE,
    **dict.fromkeys(_TEXTS, frozenset({"text"})),
}
_LINK = Key("call_id", "id", Link())
_ANY_ID = Key("id", "item_id", Text(), "may")


def has_input(key: str) -> Callable[[Native], bool]:
    """Return the test whether an item has an object for its input; ``_raw`` would say that it has none."""

    def fits(native: Native) -> bool:
        held = native.get(key)
        return is_object(held) and "_raw" not in held

    return fits


def said_by(*keys: str, must: tuple[str, ...] = ()) -> Hatch:
    """Return the hatch of a call whose arguments are some keys of the item.

    Args:
        keys: of the item; at least one must be there.
        must: those that are required.
    """

    def read(native: Native) -> dict[str, Any]:
        said = {key: native[key] for key in keys if key in native}
        if not said:
            raise Unreadable
        return {"input": adopt(said)}

    return Hatch(keys=keys, cells={"input": KEEP}, get=read, put=tool_arguments.input_copy, must=must,
                 schema={key: {} for key in keys}, about="input")  # fmt: skip


def _of(tool: str, key: str) -> dict[str, Any]:
    """Return what tells the calls of a tool, whose input stands under a key."""
    return {"fixed": {"kind": tool, "name": tool}, "fits": has_input(key)}


def _says_actions(value: Any) -> bool:
    """Whether an input is a list of actions: newer models ask a computer for that, older ones for one action a call."""
    return is_mapping(value) and list(value) == ["actions"] and is_sequence(value["actions"])


def _has_actions(native: Native) -> bool:
    return is_list(native.get("actions")) and native.get("action") is None


def _has_action(native: Native) -> bool:
    return has_input("action")(native) and not _says_actions(native["action"])


_OF_COMPUTER = {"kind": "computer", "name": "computer"}
_COMPUTER = (_LINK, item_id("computer"), Spare("pending_safety_checks", []), ENDED)
CALLS = (
    Form("computer_actions", am.ToolUseBlock, "computer_call", (
        said_by("actions", must=("actions",)), Spare("action", None, is_written=False), *_COMPUTER,
    ), fixed=_OF_COMPUTER, fits=_has_actions, when=lambda block: block.is_valid and _says_actions(block.input),
         marks=item_marks("computer"),
         schema={"properties": {"action": {"type": "null"}, "actions": {"type": "array"}}}),
    Form("computer_call", am.ToolUseBlock, "computer_call", (
        Key("action", "input", Input()), Spare("actions", None, is_written=False), *_COMPUTER,
    ), fixed=_OF_COMPUTER, fits=_has_action, marks=item_marks("computer")),
    Form("shell_call", am.ToolUseBlock, "shell_call", (_LINK, Key("action", "input", Input()), _ANY_ID, STATUS),
         **_of("shell", "action")),
    Form("local_shell_call", am.ToolUseBlock, "local_shell_call", (
        _LINK, Key("action", "input", Input()), NEEDED_ID, ENDED,
    ), **_of("local_shell", "action")),
    Form("apply_patch_call", am.ToolUseBlock, "apply_patch_call", (
        _LINK, Key("operation", "input", Input()), _ANY_ID, ENDED,
    ), **_of("apply_patch", "operation")),
)  # fmt: skip


def read_image_url(url: str) -> Any:
    """Return the source of an image by its URL: as data, if a data URL is spelt as it would be written.

    Raises:
        Unreadable: for other data URLs.
    """
    held = media.read_data_url(url)
    if held is not None and media.data_url(held) != url:
        raise Unreadable
    return am.URLSource(url) if held is None else held


def write_image_url(source: Any) -> Any:
    """Return the URL of an image given by URL or as data."""
    return media.data_url(source) if isinstance(source, am.Base64Source) else source.url


def _read_screen(native: Native) -> dict[str, Any]:
    """Read what a computer shows: a screenshot, which some clients call an image; a text in its place comes back."""
    held = native["output"]
    kind: Any = held.get("type") if is_object(held) else None
    keys = _SHOWN.get(kind) if type(kind) is str else None
    if not keys or len(held) != 2:  # noqa: PLR2004 - the type and what is shown
        raise Unreadable
    key, said = next(item for item in held.items() if item[0] != "type")
    if key not in keys or type(said) is not str:
        raise Unreadable
    if key == "text":
        shown: Any = am.TextBlock(said)
    else:
        shown = am.ImageBlock(read_image_url(said) if key == "image_url" else am.FileSource(said, PROVIDER))
    return {"content": (shown,), "notes": {} if kind == _SCREEN else {"/screen": kind}}


def _write_screen(block: am.ToolResultBlock) -> Native:
    shown: Any = block.content[0]
    noted = mark_of(block, FAMILY, "/screen") if block.notes else None
    if type(shown) is am.TextBlock:
        return {"output": {"type": noted, "text": shown.text}}
    source = shown.source
    said = {"file_id": source.file_id} if isinstance(source, am.FileSource) else {"image_url": write_image_url(source)}
    return {"output": {"type": "input_image" if noted == "input_image" else _SCREEN, **said}}


_SCREENSHOT = Hatch(keys=("output",), cells={"content": KEEP}, get=_read_screen, put=_write_screen, must=("output",),
                    about="content: the screenshot")  # fmt: skip
_CALLED = Key("call_id", "tool_call_id", Link())


def _read_linked(native: Native) -> dict[str, Any]:
    """Read whose result it is: the schema says so under ``id``, the guides under ``call_id``, as of other results."""
    is_linked = native.get("call_id") is not None
    key, other = ("call_id", "id") if is_linked else ("id", "call_id")
    value = native.get(key)
    if type(value) is not str or not value:
        raise Unreadable
    # Beside a link, an id is the item's own.
    odd = (other,) if other in native else ()
    return {"tool_call_id": value, "odd": odd, **({"notes": {"/linked": True}} if is_linked else {})}


def _write_linked(block: am.ToolResultBlock) -> Native:
    is_linked = bool(block.notes) and mark_of(block, FAMILY, "/linked") is True
    return {"call_id" if is_linked else "id": natives.link_of(block.tool_call_id)}


def _has_outputs(native: Native) -> bool:
    """Whether a shell gave a list, with what each of its commands gave."""
    return is_list(native.get("output"))


def _result(tool: str, *items: Any, **others: Any) -> Form:
    return Form(f"{tool}_output", am.ToolResultBlock, f"{tool}_call_output", items, fixed={"kind": tool},
                is_apart="output", **others)  # fmt: skip


RESULTS = (
    _result("computer", _CALLED, _SCREENSHOT, _ANY_ID, STATUS,
            Spare("acknowledged_safety_checks", [], is_written=False)),
    _result("shell", _CALLED, Key("output", "structured", Json()), _ANY_ID, STATUS,
            fits=_has_outputs, schema={"properties": {"output": {"type": "array"}}}),
    _result("local_shell", Hatch(keys=("id", "call_id"), cells={"tool_call_id": KEEP}, get=_read_linked,
                                 put=_write_linked, odd=("id", "call_id"), schema={"id": {"type": "string"}},
                                 about="tool_call_id"),
            Key("output", "content", Content()), STATUS),
    _result("apply_patch", _CALLED, Key("output", "content", Content(), "may"), _ANY_ID,
            Key("status", "status", Words({"completed": "success", "failed": "error"}, is_closed=True))),
)  # fmt: skip


# -- rules ------------------------------------------------------------------------------------------------------------


def is_call(block: am.ToolUseBlock) -> bool:
    """Whether a call says all that the item of its tool asks."""
    if block.name != block.kind or not block.is_valid or not is_mapping(block.input):
        return False
    if block.kind == "computer":
        return block.item_id is None or is_own_id(block.item_id, block, "computer")
    return block.kind != "local_shell" or block.item_id is not None or lacks_id(block)


def _is_screenshot(block: am.ToolResultBlock) -> bool:
    if len(block.content) != 1:
        return False
    shown: Any = block.content[0]
    if isinstance(shown, am.TextBlock):
        return bool(block.notes) and mark_of(block, FAMILY, "/screen") in _TEXTS and is_text(block)
    if not isinstance(shown, am.ImageBlock):
        return False
    source = shown.source
    if isinstance(source, am.FileSource):
        source = am.FileSource(source.file_id, PROVIDER)
    elif isinstance(source, (am.Base64Source, am.URLSource)):
        source = read_image_url(write_image_url(source))
    return am.same(shown, am.ImageBlock(source))


def is_text(block: am.ToolResultBlock) -> bool:
    """Whether a result is one text, or nothing."""
    texts = [item.text for item in block.content if type(item) is am.TextBlock]
    return len(texts) < 2 and am.same(block.content, tuple(map(am.TextBlock, texts)))  # noqa: PLR2004 - one


_ANSWERS: Mapping[str, Callable[[am.ToolResultBlock], bool]] = {
    "apply_patch": lambda block: block.status in ("success", "error") and is_text(block),
    "computer": _is_screenshot,
    "local_shell": is_text,
    "shell": lambda block: is_sequence(block.structured) and not block.content,
}


def is_result(block: am.ToolResultBlock) -> bool:
    """Whether a result is what the item of its tool holds."""
    return block.error is None and (block.structured is None or block.kind == "shell") and _ANSWERS[block.kind](block)
