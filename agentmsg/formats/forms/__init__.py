"""Forms: a format, described once. Readers, writers, capability rows, schemas and tables for people are made of it.

A ``Form`` says how one kind of native object and one class of the model stand for each other: data, for both
directions. What it needs of code beyond that are pairs of plain functions (``Via``, ``Hatch``).

| words | what they say |
| --- | --- |
| Form, Described | one kind of native object; all those of a format, and the places where they may stand |
| Key, Const | a key and its field; a key that always says the same |
| Inside | an object inside that says more of the same |
| Lifted: Place, Beside | the content of a message that several keys hold, each of them some of the blocks |
| Single | keys of a message that say the one block that it holds |
| Spread | keys that say together an object of the model |
| Hatch | keys that two plain functions read and write |
| Text, Whole, Total, Number, Truth | strings, numbers, a count that leaves out others, true and false |
| Json, Object | any JSON, or any object, as it is |
| Link, Input, Arguments | the id of a call; its arguments as an object, or as JSON text |
| Spare | a key that no field is for: usual it says nothing, else it is an extra |
| Words | a word that the model says otherwise |
| Wrapped, Nested, Each | a value that is an object of the model; an object with a form of its own; a list |
| Content | a text, or the parts of a place |
| Grouped, Rows | the engine of messages that hold the results of several calls; the rows of the capability table |
| Via | a value through two plain functions |

The JSON Schema of a format's native objects, and its tables, are made by ``schemas`` and ``tables``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentmsg.lazy import later

if TYPE_CHECKING:
    from agentmsg.formats.forms.call_values import Arguments, Content, Input
    from agentmsg.formats.forms.described import Described
    from agentmsg.formats.forms.form import Form
    from agentmsg.formats.forms.grouped import Grouped
    from agentmsg.formats.forms.items import (
        Beside,
        Const,
        Hatch,
        Inside,
        Key,
        Lifted,
        Place,
        Single,
        Spare,
        Spread,
    )
    from agentmsg.formats.forms.object_values import Each, Nested, Wrapped
    from agentmsg.formats.forms.rows import Rows
    from agentmsg.formats.forms.values import (
        Json,
        Link,
        Number,
        Object,
        Text,
        Total,
        Truth,
        Via,
        Whole,
        Words,
    )

_HOMES = {
    **dict.fromkeys(("Arguments", "Content", "Input"), "agentmsg.formats.forms.call_values"),
    "Described": "agentmsg.formats.forms.described",
    "Form": "agentmsg.formats.forms.form",
    "Grouped": "agentmsg.formats.forms.grouped",
    **dict.fromkeys(("Each", "Nested", "Wrapped"), "agentmsg.formats.forms.object_values"),
    "Rows": "agentmsg.formats.forms.rows",
    **dict.fromkeys(
        ("Beside", "Const", "Hatch", "Inside", "Key", "Lifted", "Place", "Single", "Spare", "Spread"),
        "agentmsg.formats.forms.items",
    ),
    **dict.fromkeys(
        (
            "Json",
            "Link",
            "Number",
            "Object",
            "Text",
            "Total",
            "Truth",
            "Via",
            "Whole",
            "Words",
        ),
        "agentmsg.formats.forms.values",
    ),
}

__all__ = [
    "Arguments",
    "Beside",
    "Const",
    "Content",
    "Described",
    "Each",
    "Form",
    "Grouped",
    "Hatch",
    "Input",
    "Inside",
    "Json",
    "Key",
    "Lifted",
    "Link",
    "Nested",
    "Number",
    "Object",
    "Place",
    "Rows",
    "Single",
    "Spare",
    "Spread",
    "Text",
    "Total",
    "Truth",
    "Via",
    "Whole",
    "Words",
    "Wrapped",
]

__getattr__ = later(globals(), _HOMES)
