"""What each format carries, measured: every field of every class, alone, is written and read back.

``python -m support.carried`` (with ``tests`` on the path) writes the table that ``tests/test_carried.py`` compares.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import attrs

import agentmsg as am
from agentmsg.testing.check import single_values

STORED = Path(__file__).parents[1] / "stored" / "carried.txt"
_HEAD = "= comes back; ~ comes back as something else that loses no content; - content is lost. In the best role.\n"
_RANKS = "-~="
_APART = frozenset({"content", "messages", "notes", "role"})


def _said(owner: Any) -> list[str]:
    """Return the fields of an object that say something, besides those that it needs."""
    cls: Any = owner.__class__
    fields = [field for field in attrs.fields(cls) if field.init and field.alias not in _APART]
    optional = [field for field in fields if field.default is not attrs.NOTHING]
    return [str(field.alias) for field in optional if getattr(owner, field.name) not in (None, "", (), field.default)]


def _label(history: am.History) -> str:
    """Return what a history of one value holds: its class and field."""
    message = history[0] if history else None
    content = message.content if message is not None else ()
    owners = (history.settings, *history.tools, message, history, *content)
    owner = next((each for each in owners if each is not None and _said(each)), (message, *content)[-1] or history)
    inside = owner.content[0] if isinstance(owner, am.ToolResultBlock) and owner.content else None
    if inside is not None and _said(owner) == ["tool_call_id", "name"]:
        return ".".join(["in a result", type(inside).__name__, *_said(inside)[-1:]])
    return ".".join([type(owner).__name__, *_said(owner)[-1:]])


def _mark(history: am.History, codec: am.Codec) -> str:
    losses: list[am.Loss] = []
    document = am.encode(history, codec, losses=losses)
    if am.same(am.decode(document, codec), history):
        return "="
    return "-" if any(loss.tally == "content" for loss in losses) else "~"


def measured(codec: am.Codec) -> dict[str, str]:
    """Return what becomes of each field in a format, by its label."""
    found: dict[str, str] = {}
    for history in single_values():
        label = _label(history)
        found[label] = max(found.get(label, "-"), _mark(history, codec), key=_RANKS.index)
    return found


def stored(codec: am.Codec) -> dict[str, str]:
    """Return the same as it is kept."""
    at = am.codec_names().index(codec.name)
    lines = STORED.read_text(encoding="utf-8").splitlines()[1 + len(am.codec_names()) :]
    return {label: marks[at] for marks, label in (line.split(" ", 1) for line in lines)}


def _table() -> str:
    codecs = [am.get_codec(name) for name in am.codec_names()]
    columns = [measured(codec) for codec in codecs]
    names = "".join(f"{' ' * at}| {codec.name}\n" for at, codec in enumerate(codecs))
    return _HEAD + names + "".join(f"{''.join(column[label] for column in columns)} {label}\n" for label in columns[0])


if __name__ == "__main__":
    STORED.write_text(_table(), encoding="utf-8")
