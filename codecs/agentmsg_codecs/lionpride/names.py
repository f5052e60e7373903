"""Names that several modules of the codec use, the class of a content, and ids."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from agentmsg.formats import Containers

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


FAMILY = "lionpride"
# A pile has its nodes under `items`.
CONTAINERS = Containers(family=FAMILY, title="lionpride", keys=("items",), own=frozenset({"content"}))
# Namespaces in extras: for unknown keys of the content, and for another class in the metadata.
CONTENT = "lionpride.content"
META = "lionpride.metadata"
CLASS = "lionpride.session.messages.message.Message"
NODE_KEYS = frozenset({"id", "created_at", "metadata", "content", "embedding", "sender", "recipient"})
DETAILS = frozenset({"low", "high", "auto"})

# The classes of content, in the order in which lionpride tries them: any one of these keys decides, even an empty one.
TRIGGERS: Mapping[str, frozenset[str]] = {
    "instruction": frozenset({"instruction", "context", "request_model", "tool_schemas", "images"}),
    "assistant_response": frozenset({"assistant_response"}),
    "action_response": frozenset({"result", "error"}),
    "action_request": frozenset({"function", "arguments"}),
    "system": frozenset({"system_message", "system_datetime"}),
}
# The known keys of each class.
FIELDS: Mapping[str, frozenset[str]] = {
    **TRIGGERS,
    "instruction": TRIGGERS["instruction"] | {"image_detail"},
    "action_response": TRIGGERS["action_response"] | {"request_id"},
}
# The fields that become a DataBlock of their name, in their order, by role.
SLOTS: Mapping[str, tuple[str, ...]] = {
    "user": ("context", "tool_schemas", "request_model"),
    "system": ("system_datetime",),
}
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def class_of_content(content: Iterable[str]) -> str:
    """Return the class of a content by its keys; an instruction if no key decides."""
    return _class_of(tuple(content))


@lru_cache(maxsize=256)
def _class_of(keys: tuple[str, ...]) -> str:
    return next((name for name, triggers in TRIGGERS.items() if not triggers.isdisjoint(keys)), "instruction")


def _taken(name: str) -> frozenset[str]:
    before = list(TRIGGERS)[: list(TRIGGERS).index(name)]
    return FIELDS[name].union(*(TRIGGERS[other] for other in before))


# The keys that extras of a content can't use, by class: its known keys, and those that would change the class.
TAKEN: Mapping[str, frozenset[str]] = {name: _taken(name) for name in TRIGGERS}
# Keys that hold content for a model; in a content of another class, each is an unknown field.
CONTENT_KEYS = frozenset({"response_model"}.union(*FIELDS.values()))


def is_uuid(text: str) -> bool:
    """Whether an id is a UUID as lionpride writes it."""
    return _UUID.fullmatch(text) is not None


def own_id(text: str) -> str:
    """Return the id if it is a UUID, else a name-based UUID (version 5) of it, always the same."""
    if is_uuid(text):
        return text
    from uuid import NAMESPACE_URL, uuid5  # noqa: PLC0415 - few need it, and it is slow to import

    return str(uuid5(NAMESPACE_URL, f"agentmsg:{text}"))
