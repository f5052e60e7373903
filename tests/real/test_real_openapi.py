"""Generators of clients read what a service of ours describes: a text block keeps its text, an own one is open."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Annotated, Any

import pytest
from fastapi import Body, FastAPI
from pydantic import BaseModel

import agentmsg as am
from real.library import python_of, start

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

HISTORY = {
    "agentmsg": 1,
    "messages": [
        {"role": "user", "content": [{"type": "text", "text": "Hi"}, {"type": "my.note", "x": 1}]},
        {"role": "assistant", "content": [{"type": "thinking"}, {"type": "tool_use", "name": "f", "input": {"a": 1}}]},
        {"role": "tool", "content": [{"type": "tool_result", "content": [], "cache": {}}]},
    ],
    "tools": [{"type": "tool", "name": "f"}],
}
USE_PYTHON = """
import json, sys
from models import History, TextBlock
history = History.model_validate(json.loads(sys.argv[1]))
text, own = (block.root for block in history.messages[0].content)
assert type(text) is TextBlock and text.text == "Hi" and text.citations == [] and text.metadata == {}, text
assert own.type == "my.note" and own.x == 1, own
ways = {"exclude_unset": True}, {"exclude_none": True}, {}
print(json.dumps([history.model_dump(mode="json", **way) for way in ways]))
"""
USE_TYPESCRIPT = """
import type { components } from "./api";
type Schemas = components["schemas"];
const text: Schemas["TextBlock"] = { type: "text", text: "Hi" };
const call: Schemas["ToolUseBlock"] = { type: "tool_use", id: "c", name: "f", input: { a: 1 }, metadata: { a: [1] } };
const settings: Schemas["Settings"] = { tool_choice: { name: "f" }, response_format: { schema: { type: "object" } } };
// @ts-expect-error - a setting is one of its words
settings.reasoning = "high";
// @ts-expect-error - what has a default may be absent from what is written
export const cited: Schemas["Citation"][] = text.citations;
const own: Schemas["Block"] = { type: "my.note", x: 1 };
const blocks: Schemas["Block"][] = [text, call, own];
export const said: string = text.text;
// @ts-expect-error - a text is a text
export const wrong: number = text.text;
export default blocks;
"""


class Stored(BaseModel):
    """What the service stores."""

    history: am.History
    blocks: list[am.Block] = []
    losses: list[am.Loss] = []


def described() -> dict[str, Any]:
    """Return the description of a service that takes and gives the model."""
    app = FastAPI()

    @app.post("/echo")
    def _(stored: Annotated[Stored, Body()]) -> Stored:
        return stored

    return app.openapi()


def test_classes_for_python_keep_texts(tmp_path: Path) -> None:
    """datamodel-code-generator makes pydantic models that read a history whole, and write it as it was."""
    python = python_of("openapi")
    (tmp_path / "openapi.json").write_text(json.dumps(described()))
    (tmp_path / "use.py").write_text(USE_PYTHON)
    make = [
        python,
        "-W",
        "ignore",
        "-m",
        "datamodel_code_generator",
        "--input",
        "openapi.json",
        "--output",
        "models.py",
    ]
    kind = ["--input-file-type", "openapi", "--output-model-type", "pydantic_v2.BaseModel"]
    subprocess.run([*make, *kind], cwd=tmp_path, check=True, capture_output=True)
    used = subprocess.run([python, "use.py", json.dumps(HISTORY)], cwd=tmp_path, check=True, capture_output=True)
    unset, *filled = json.loads(used.stdout)
    assert unset == HISTORY
    for each in (unset, *filled):
        assert am.decode(each, "json") == am.decode(HISTORY, "json")


def test_types_for_typescript_keep_texts() -> None:
    """openapi-typescript makes types that code which uses them compiles with."""
    library = start("openapi_ts")
    try:
        (told,) = library.ask([{"described": described(), "code": USE_TYPESCRIPT}])
    finally:
        library.close()
    assert told == {"errors": []}
