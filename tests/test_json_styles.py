"""How a JSON text is spelt is told without its content."""

from __future__ import annotations

import json
from typing import Any

import pytest

import agentmsg as am
from agentmsg.formats import spelling
from agentmsg.testing.laws import exact_return

_VALUE = {"name": "f", "arguments": {"q": ["é{", 1, None], "t": '"\\'}}
_UNUSUAL = (
    ' { "name" :"f","arguments":{"q":["é{",  1,null], "t" : "\\"\\\\"}}\n',
    '{\n\t"arguments": {"q": ["\\u00e9{",1,null],"t":"\\"\\\\"},"name" : "f"}',
)


@pytest.mark.parametrize("style", spelling.JSON_STYLES)
def test_a_known_style_is_told_by_its_name(style: str) -> None:
    """Another order of keys is told, too."""
    text = spelling.dump_styled(_VALUE, style)
    assert spelling.parse_told(text) == (_VALUE, style)
    other = spelling.told_style(text, dict(reversed(_VALUE.items())))
    assert other == [style, [[], ["name", "arguments"]]]
    assert spelling.dump_as_told(dict(reversed(_VALUE.items())), other) == text


@pytest.mark.parametrize("text", _UNUSUAL)
def test_unusual_white_space_is_told(text: str) -> None:
    """The note has the white space alone, which is ignored if the value has other tokens."""
    told = spelling.told_style(text, _VALUE)
    assert not set(told[1]) - set(". \n\t")
    assert spelling.dump_as_told(_VALUE, told) == text
    assert spelling.dump_as_told({"a": 1}, told[:2]) == '{"a":1}'


@pytest.mark.parametrize("token", ["1.50", "15e-1", r'"a\/b"', r'"\u0061/b"'])
def test_an_unusual_token_is_told(token: str) -> None:
    """It is written while its value is the same."""
    text = f'{{"a" : {token}, "b":"é"}}'
    found = spelling.parse_told(text)
    assert found is not None
    assert found[1] == ["compact", ".. . .. ....", [3, token]]
    assert spelling.dump_as_told(found[0], found[1]) == text
    assert spelling.dump_as_told({**found[0], "a": 2}, found[1]) == text.replace(token, "2")


@pytest.mark.parametrize("text", ["{'a': 1}", '{"a": 1, "a": 1}', "["])
def test_what_is_no_json_has_no_style(text: str) -> None:
    """Nor has an object with a key twice."""
    assert spelling.parse_told(text) is None
    assert spelling.told_style(text, {"a": 1}) is None


@pytest.mark.parametrize(
    "told",
    [
        ["python", "x.y"],
        ["compact", "."],
        ["compact", 5],
        ["compact", "." * 18, [3, " "], [3, '"g"'], [3], 5],
        ["x", ""],
        [],
        None,
        {},
    ],
)
def test_a_planted_style_changes_no_meaning(told: Any) -> None:
    """What isn't white space for each token is ignored."""
    text = spelling.dump_as_told(_VALUE, told)
    assert text is None or spelling.parse_told(text) == (_VALUE, told[0])


@pytest.mark.parametrize("text", _UNUSUAL)
@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("hf", {"role": "tool_call", "content": "*"}),
        ("hf", {"role": "assistant", "content": [{"type": "tool_call", "value": "*"}]}),
        ("sharegpt", {"from": "function_call", "value": "*"}),
        ("sharegpt", {"from": "gpt", "value": "Well.\n<tool_call>*</tool_call>"}),
    ],
)
def test_calls_in_rows_are_read_however_they_are_spelt(name: am.CodecName, row: Any, text: str) -> None:
    """No note holds what a call says."""
    native = json.loads(json.dumps(row).replace("*", json.dumps(text)[1:-1]))
    history = exact_return(am.get_codec(name), [native])
    assert history is not None
    ((call,),) = [message.tool_calls for message in history]
    assert call.input == _VALUE["arguments"]
    assert "é" not in repr((history[0].notes, call.notes))
