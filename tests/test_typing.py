"""The types of the model: code that mypy --strict and pyright strict accept, and mistakes that they find."""

from __future__ import annotations

import importlib.util
import inspect
import json
import os
import re
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_type_hints

import attrs
import pytest

import agentmsg as am
from agentmsg.api.reading import decode
from agentmsg.api.writing import convert, encode
from agentmsg.model.fields import (
    CallFields,
    Converting,
    MessageFields,
    MsgChanges,
    MsgFields,
    Reading,
    SettingsFields,
    ToolFields,
    Writing,
)
from agentmsg.model.msg import RESULT_FIELDS
from agentmsg.registry import codec_class
from agentmsg_codecs import CODECS, CodecName
from agentmsg_codecs.options import (
    CodecOptions,
    ListCodecName,
    ListWriting,
    ObjectCodecName,
    ObjectWriting,
    SingleCodecName,
)
from support.examples import examples

HERE = Path(__file__).resolve().parent / "typing"
EXTRA_PATHS = [str(HERE.parents[1]), str(HERE.parents[1] / "codecs")]
CHECKERS = ["mypy", "pyright"]
# Mistakes without effect at run time: a present value need not always be present.
ONLY_HINTS = {
    'Recorder(on_message="x")',
    "message.first(TextBlock).text",
    "message.first(str)",
    "message.id.upper()",
}


def _keys(cls: type[Any]) -> set[str]:
    return {key for base in cls.__mro__ for key in vars(base).get("__annotations__", {})}


@cache
def _errors(checker: str, file: str) -> dict[int, str]:
    """Return the complaints of a type checker about one file, by line."""
    if importlib.util.find_spec(checker) is None:
        if os.environ.get("CI") == "true":
            pytest.fail(f"{checker} is not installed", pytrace=False)
        pytest.skip(f"{checker} is not installed")
    return {"mypy": _mypy, "pyright": _pyright}[checker](HERE / file)


def _mypy(file: Path) -> dict[int, str]:
    flags = [
        "--strict",
        "--no-error-summary",
        "--hide-error-context",
        "--config-file=",
        f"--cache-dir={os.devnull}",
    ]
    done = _run("mypy", [*flags, str(file)])
    found = re.findall(r"^.*?([\w.]+):(\d+): error: (.*)$", done, re.MULTILINE)
    assert found or not done.strip(), done
    return {int(line): text for name, line, text in found if name == file.name}


def _pyright(file: Path) -> dict[int, str]:
    # A project of its own: the checkout's excludes the file, and an installed package has none.
    with tempfile.TemporaryDirectory() as folder:
        settings = {"include": [file.name], "extraPaths": EXTRA_PATHS, "typeCheckingMode": "strict"}
        Path(folder, "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
        Path(folder, file.name).write_bytes(file.read_bytes())
        done = _run("pyright", ["--outputjson", "--pythonpath", sys.executable, "-p", folder])
    # A bare expression is an error of the test, not of the mistake in it.
    errors = [
        each
        for each in json.loads(done)["generalDiagnostics"]
        if each["severity"] == "error" and each["rule"] != "reportUnusedExpression"
    ]
    return {each["range"]["start"]["line"] + 1: each["message"] for each in errors}


def _run(module: str, arguments: list[str]) -> str:
    env = os.environ | {"MYPYPATH": os.pathsep.join(EXTRA_PATHS)}
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(command, cwd=HERE, env=env, capture_output=True, text=True, check=False)
    assert done.returncode in {0, 1}, done.stdout + done.stderr
    return done.stdout


def _marked(file: str) -> dict[int, str]:
    lines = (HERE / file).read_text(encoding="utf-8").splitlines()
    return {number: line for number, line in enumerate(lines, 1) if "  # error: " in line}


@pytest.mark.slow
@pytest.mark.parametrize("checker", CHECKERS)
def test_what_is_right_is_accepted(checker: str) -> None:
    """Factories, accessors, patterns and a user's own block have their declared types."""
    assert _errors(checker, "accepts.py") == {}


@pytest.mark.slow
@pytest.mark.parametrize("checker", CHECKERS)
def test_what_is_wrong_is_found(checker: str) -> None:
    """Exactly the lines marked as errors are reported: no mistake slips through."""
    marked, found = _marked("rejects.py"), _errors(checker, "rejects.py")
    assert not [line for number, line in marked.items() if number not in found]
    assert not {number: text for number, text in found.items() if number not in marked}


@pytest.mark.slow
@pytest.mark.parametrize("checker", CHECKERS)
def test_the_guide_of_an_agent_loop_is_accepted(checker: str, tmp_path: Path) -> None:
    """What a service's author copies from the guide has no errors of types."""
    for needed in ("openai", "anthropic", "google.genai"):
        pytest.importorskip(needed)
    blocks = [example.text for example in examples("agentmsg/guides/agent-loop.md") if example.language == "python"]
    more = "try:\n    am.encode(history, 'openai')\nexcept am.LossError as error:\n"
    more += "    am.encode(history, 'openai', allow=error.allow)\n    print([loss.path for loss in error.losses])\n"
    file = tmp_path / "agent_loop.py"
    file.write_text("\n\n".join([*blocks, more]), encoding="utf-8")
    assert _errors(checker, str(file)) == {}


def test_names_told_to_type_checkers_are_all_there_are() -> None:
    """Values that a checker can't take from a table or a class are repeated, and are the same."""
    assert get_args(CodecName) == tuple(CODECS)
    assert {*get_args(ObjectCodecName), *get_args(ListCodecName)} == set(CODECS)
    names = {field.name for field in attrs.fields(am.Msg) if field.init}
    of_result = {*RESULT_FIELDS}
    assert _keys(MsgChanges) == names
    assert _keys(MsgFields) == names - {"role", "content"}
    assert _keys(SettingsFields) == {field.name for field in attrs.fields(am.Settings)} - {"extras", "notes"}
    assert _keys(MessageFields) == names | of_result | {"tool_calls", "tool_call_id"}
    assert _keys(Reading) == _arguments(decode)
    assert _keys(Writing) == _arguments(encode)
    assert _keys(Converting) | {"to"} == _arguments(convert)
    assert _keys(ToolFields) == names - {"role", "content", "name"} | of_result


def _arguments(function: Any) -> set[str]:
    parameters = inspect.signature(function).parameters.values()
    return {each.name for each in parameters if each.kind is each.KEYWORD_ONLY}


@pytest.mark.parametrize("name", CODECS)
def test_options_told_to_type_checkers_are_those_of_the_codec(name: str) -> None:
    """Each option of a codec is told, with all words that it takes; and no codec has an option that isn't."""
    of_group = ListWriting if name in get_args(ListCodecName) else ObjectWriting
    told = get_type_hints(CodecOptions)
    for field in attrs.fields(codec_class(name)):
        if not field.init:
            continue
        assert field.alias in _keys(of_group) | {"container"}
        words = getattr(field.validator, "options", None)
        if words is not None:
            hinted = {word for part in (told[field.alias], *get_args(told[field.alias])) for word in get_args(part)}
            assert set(words) - {None} <= hinted


def test_every_option_told_is_one_of_some_codec() -> None:
    """What no codec takes is not told."""
    fields = [field for name in CODECS for field in attrs.fields(codec_class(name)) if field.init]
    assert _keys(CodecOptions) == {field.alias for field in fields}


@pytest.mark.parametrize("name", CODECS)
def test_documents_have_the_types_told(name: CodecName) -> None:
    """A new history, or message by itself, is written as an object or a list, as the overloads say."""
    talk = am.History.of("Hi", am.Msg.assistant("Ho"))
    of_history = list if name in get_args(ListCodecName) else dict
    of_message = list if name in {"langgraph", "msgpack"} else dict
    assert type(am.encode(talk, name, on_loss="ignore")) is of_history
    assert type(talk.encode(name, on_loss="ignore")) is of_history
    assert type(am.encode(talk[1], name, on_loss="ignore")) is of_message
    assert (name in get_args(SingleCodecName)) == ((of_history, of_message) == (list, dict))
    for source in ("openai", "langchain"):
        document: Any = am.encode(talk, source)
        assert type(am.convert(document, source, name).document) is of_history
        assert isinstance(am.convert(am.dumps(talk, source), source, name).document, bytes)


@pytest.mark.parametrize("key", ["input", "args", "arguments"])
def test_a_call_as_a_mapping_has_the_keys_told(key: str) -> None:
    """``CallFields`` has what a call takes, and nothing else."""
    given: Any = {"name": "f", "call_id": "c", "id": "i", key: {"a": 1}}
    assert am.Msg.assistant(tool_calls=[given]).tool_calls[0].args == {"a": 1}
    assert given.keys() | {"input", "args", "arguments"} == _keys(CallFields)


def test_mistakes_are_mistakes_at_run_time_too() -> None:
    """The wrong lines also fail for callers without a type checker, unless only a hint is broken."""
    scope: dict[str, object] = {}
    source = (HERE / "rejects.py").read_text(encoding="utf-8").splitlines()
    first = min(_marked("rejects.py"))
    exec("\n".join(source[: first - 1]), scope)  # noqa: S102 - our own file, up to the first mistake
    unnoticed: list[str] = []
    for line in _marked("rejects.py").values():
        try:
            exec(line, scope)  # noqa: S102 - our own file
        except Exception:  # noqa: BLE001, S112 - any error will do
            continue
        unnoticed.append(line.split("  #", maxsplit=1)[0])
    assert set(unnoticed) <= ONLY_HINTS
