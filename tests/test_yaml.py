"""YAML files: read as JSON where PyYAML is installed, such as cassettes of HTTP traffic."""

from __future__ import annotations

import json
import sys
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import agentmsg as am
from agentmsg.cli.program import program
from agentmsg.files.yaml_values import yaml_value
from agentmsg.limits import DEFAULT_LIMITS

REQUEST: Any = {"model": "gpt-5", "messages": [{"role": "user", "content": "Hi"}]}
ANSWER: Any = {
    "id": "r", "object": "chat.completion", "created": 1, "model": "gpt-5",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Yo"}, "finish_reason": "stop"}],
}  # fmt: skip
# As vcrpy writes it: bodies are texts, or bytes; equal headers are named once.
CASSETTE = f"""\
interactions:
- request:
    body: '{json.dumps(REQUEST)}'
    headers: &id001
      accept: ['*/*']
    method: POST
  response:
    headers: *id001
    body:
      string: !!binary |
        {b64encode(json.dumps(ANSWER).encode()).decode()}
    status: {{code: 200, message: OK}}
  recorded_at: 2026-01-02T03:04:05Z
version: 1
"""
PLACES = ("/interactions/*/request/body", "/interactions/*/response/body/string")


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder of the test's own."""
    monkeypatch.chdir(tmp_path)
    for name in ("a.yaml", "a.yml"):
        Path(name).write_text(CASSETTE)


def agentmsg(*args: str, given: bytes | None = None) -> Result:
    """Run the command line in this process."""
    return CliRunner().invoke(program, args, input=given, prog_name="agentmsg")


def test_a_cassette_is_read_like_json() -> None:
    """What stands in a cassette is found by its place, told of in the error, and restored."""
    done = agentmsg("convert", "a.yaml", "-t", "json")
    assert (done.exit_code, all(pointer in done.stderr for pointer in PLACES)) == (1, True)
    for pointer, document in zip(PLACES, (REQUEST, ANSWER), strict=True):
        for source, given in (("a.yaml", None), ("a.yml", None), ("-", CASSETTE.encode())):
            form = ["--form", "yaml"] if given else []
            out = ["-o", "b.jsonl", "--losses", "l", "--force", "--verify"]
            done = agentmsg("convert", source, *form, "--at", pointer, "-t", "gemini", *out, given=given)
            assert done.exit_code == 0, done.stderr
            assert json.loads(agentmsg("restore", "b.jsonl", "l").stdout) == document
        assert am.load("a.yaml", at=pointer) == next(am.load_lines("a.yaml", at=pointer))
    joined = agentmsg("convert", "a.yaml", "--at", PLACES[0], "--at", PLACES[1], "--join", "-t", "openai")
    assert [each["role"] for each in json.loads(joined.stdout)["messages"]] == ["user", "assistant"]


def test_yaml_is_read_and_not_written() -> None:
    """A folder's cassettes are converted, each to a file of JSON; no output is YAML."""
    Path("in").mkdir()
    Path("a.yaml").rename("in/a.yaml")
    assert agentmsg("convert", "in", "-o", "out", "-t", "json", "--at", PLACES[0]).exit_code == 0
    assert [path.name for path in Path("out").iterdir()] == ["a.jsonl"]
    done = agentmsg("convert", "a.yml", "-o", "b.yaml", "-t", "json", "--at", PLACES[0])
    assert (done.exit_code, "can't write a .yaml file" in done.stderr) == (2, True)


def test_without_pyyaml_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """YAML needs the extra yaml; whoever lacks it is told."""
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(am.FileError, match=r"agentmsg\[yaml\]") as raised:
        am.load("a.yaml", at=PLACES[0])
    assert raised.value.code == "unavailable"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("\ufeffa: 1", {"a": 1}),
        ("a: [yes, 0x1F, 1.5, ~, '1', 2026-01-02, 2026-01-02T03:04:05Z]",
         {"a": [True, 31, 1.5, None, "1", "2026-01-02", "2026-01-02T03:04:05Z"]}),
        ("- <<\n- {<<: [{a: 1}, {a: 2, b: 3}], c: 4}", ["<<", {"a": 1, "b": 3, "c": 4}]),
        ("a: &a {b: 1}\nc: *a\nd: {<<: *a, b: 2}", {"a": {"b": 1}, "c": {"b": 1}, "d": {"b": 2}}),
        ("a: !!binary aGk=\nb: !binary /w==", {"a": "hi", "b": "/w=="}),
        ("&k a: *k", {"a": "a"}),
    ],
)  # fmt: skip
def test_yaml_is_plain_data(text: str, value: Any) -> None:
    """Scalars are those of YAML 1.1; times stay as spelt; bytes are their text, or Base64."""
    assert yaml_value(text.encode(), DEFAULT_LIMITS) == value


def _bomb(item: str, around: str) -> str:
    lines = (f"a{n}: &a{n} {around.format(','.join([f'*a{n - 1}'] * 10))}" for n in range(1, 12))
    return "\n".join((f"a0: &a0 {item}", *lines))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (_bomb("[x, x]", "[{}]"), "bytes"),
        (_bomb("{k: v}", "{{<<: [{}]}}"), "bytes"),
        ("a: &a [*a]", "syntax"),
        ("a: *b", "syntax"),
        ("[" * 900, "depth"),
        ("{a: " * 900, "depth"),
        ("- " * 5000 + "a", "depth"),
        ("a: !!python/object/apply:os.system [ls]", "type"),
        ("a: !!python/name:os.system", "type"),
        ("a: !!set {x}", "type"),
        ("a: !mine b", "type"),
        ("a: {<<: 1}", "type"),
        ("1: 2", "key"),
        ("? [1]\n: 2", "key"),
        ("a: 1\na: 2", "duplicate-key"),
        ("a: .nan", "number"),
        ("a: -.inf", "number"),
        ("a\n--- b", "syntax"),
        ("a: !!int x", "syntax"),
        ("a: !!bool x", "syntax"),
        ("a: !!binary é", "syntax"),
        ("a: [", "syntax"),
        ("\x00", "syntax"),
    ],
)
def test_what_is_not_plain_data_is_a_typed_error(text: str, code: str) -> None:
    """Nothing is made but plain data, nothing grows by its names, and every fault has its code."""
    Path("a.yaml").write_text(text)
    with pytest.raises(am.DecodeError) as raised:
        am.load("a.yaml", "openai")
    assert raised.value.code == code
