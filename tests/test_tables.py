"""Documents in columns of tables: each row has its document, or the reason; what was converted is restored."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pytest

import agentmsg as am
from agentmsg.embed.tables import converting, restoring

MESSAGES = [{"role": "user", "content": [{"type": "text", "text": "Hi"}], "name": "n"}]
DOCUMENT = {"messages": MESSAGES}
ARRAYS = {"messages": np.array([{**MESSAGES[0], "content": np.array(MESSAGES[0]["content"])}])}


def column(*cells: Any) -> Any:
    """Return cells as a column of numpy, whatever they are."""
    held = np.empty(len(cells), dtype=object)
    held[:] = cells
    return held


@pytest.mark.parametrize("cell", [DOCUMENT, ARRAYS, json.dumps(DOCUMENT), json.dumps(DOCUMENT).encode()], ids=repr)
def test_every_form_of_a_cell_is_read(cell: Any) -> None:
    """Texts, bytes, objects and the arrays that frames hold for lists; converted rows come back by what they hold."""
    made = pickle.loads(pickle.dumps(converting("openai", "anthropic")))
    row: dict[str, Any] = {"id": 1, **made.row({"document": cell})}
    assert json.loads(row["converted"]) == am.convert(DOCUMENT, "openai", "anthropic").document
    assert (row["id"], row["error"], json.loads(row["losses"].split("\n")[0])["from"]) == (1, None, "openai")
    back = restoring().row(row)
    assert (json.loads(back["restored"]), back["restored_error"]) == (DOCUMENT, None)


@pytest.mark.parametrize(
    ("cell", "code"),
    [(None, "required"), (float("nan"), "required"), ("{", "syntax"), (np.array(1j), "type")],
    ids=repr,
)
def test_a_row_that_cannot_be_read_says_why(cell: Any, code: str) -> None:
    """No row is lost, and none ends the run."""
    batch = converting("openai", "anthropic")({"document": column(cell, DOCUMENT)})
    assert batch["error"][0].startswith(f"[{code}] ")
    assert [batch["converted"][0], batch["losses"][0], batch["error"][1]] == [None, None, None]
    assert json.loads(batch["converted"][1])["messages"][0]["role"] == "user"
