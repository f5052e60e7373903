"""Reported inputs of several parts, or of formats without a reader: joined exactly, or refused honestly.

Each case is a public report; ``reported/*.md`` beside the inputs say what was expected, and what came out.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
from pathlib import Path
from typing import Any

import attrs
import pytest
from click.testing import CliRunner, Result

import agentmsg as am
from agentmsg.cli.program import program
from agentmsg.formats.spelling import same_document
from data import SHARED

REPORTED = SHARED / "reported"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder of the test's own."""
    monkeypatch.chdir(tmp_path)


def agentmsg(*args: str, given: bytes | None = None) -> Result:
    """Run the command line in this process."""
    return CliRunner().invoke(program, args, input=given, prog_name="agentmsg")


def values(name: str) -> list[Any]:
    """Return the JSON values of a reported file: one, or one per line."""
    text = (REPORTED / name).read_text()
    return [json.loads(line) for line in text.splitlines()] if name.endswith("l") else [json.loads(text)]


@attrs.frozen
class Parts:
    """A conversation in parts.

    Attributes:
        file: where it is.
        at: the places of its parts.
        parts: returns the parts in the values of the file.
        says: role and block classes of its messages.
        texts: some texts of its messages.
    """

    file: str
    at: tuple[str, ...]
    parts: Any
    says: list[tuple[str, list[type[am.Block]]]]
    texts: tuple[str, ...]

    @property
    def options(self) -> list[str]:
        """The options that read it as one conversation."""
        return [*(word for pointer in self.at for word in ("--at", pointer)), "--join"]


def _run_state(found: list[Any]) -> list[Any]:
    return [found[0]["original_input"], *(each["raw_item"] for each in found[0]["generated_items"])]


def _rollout(found: list[Any]) -> list[Any]:
    return [found[0]["responses_create_params"], found[0]["response"]]


def _session(found: list[Any]) -> list[Any]:
    return [each["message"] for each in found if "message" in each]


JOINED = {
    "input and items": Parts(
        "agents-run-state.json",
        ("/original_input", "/generated_items/*/raw_item"),
        _run_state,
        [("user", [am.TextBlock]), ("assistant", [am.ToolUseBlock]), ("tool", [am.ToolResultBlock])],
        ("What is the balance?", "5"),
    ),
    "request and response": Parts(
        "nemo-gym-rollout.json",
        ("/responses_create_params", "/response"),
        _rollout,
        [],
        ("Plot it.", "Done."),
    ),
    "lines": Parts(
        "claude-code-session.jsonl",
        ("/message",),
        _session,
        [
            ("user", [am.TextBlock]),
            ("assistant", [am.ThinkingBlock]),
            ("assistant", [am.ToolUseBlock]),
            ("tool", [am.ToolResultBlock]),
        ],
        ("fix it", "a.py"),
    ),
}


@pytest.mark.parametrize("name", JOINED)
@pytest.mark.parametrize("target", ["anthropic", "openai", "gemini", "json"])
def test_parts_of_a_conversation_are_joined_exactly(name: str, target: Any) -> None:
    """Parts become one conversation in their order; it converts, and with its loss report it gives the parts again."""
    case = JOINED[name]
    parts = case.parts(values(case.file))
    source = str(REPORTED / case.file)
    done = agentmsg("convert", source, *case.options, "-t", target, "-o", "a.json", "--losses", "l", "--verify")
    assert done.exit_code == 0, done.stderr
    history = am.decode_parts(parts)
    if case.says:
        assert [(each.role, [type(block) for block in each.content]) for each in history] == case.says
    assert set(case.texts) <= {part for message in history for part in (message.text, *_results(message))}
    losses: list[am.Loss] = []
    document = am.encode(history, target, losses=losses)
    assert same_document(document, json.loads(Path("a.json").read_bytes()))
    again = agentmsg("restore", "a.json", "l")
    assert (again.exit_code, same_document(json.loads(again.stdout), parts)) == (0, True)
    piped = agentmsg("convert", "-", *case.options, "-t", target, *_form(case.file), given=Path(source).read_bytes())
    assert same_document(json.loads(piped.stdout), document)


def _results(message: am.Msg) -> list[str]:
    return [block.text for block in message.content if isinstance(block, am.ToolResultBlock)]


def _form(name: str) -> list[str]:
    return ["--form", "jsonl"] if name.endswith("l") else []


def test_each_record_with_several_places_is_a_conversation() -> None:
    """Where pointers may find several parts in one record, each line is a conversation of its own."""
    (rollout,) = values("nemo-gym-rollout.json")
    Path("a.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in [rollout, {"x": 1}, rollout]) + "{bad\n")
    options = [*JOINED["request and response"].options, "-t", "json", "-o", "b.jsonl", "--losses", "l"]
    done = agentmsg("convert", "a.jsonl", *options)
    assert (done.exit_code, "nothing found in 1 document" in done.stderr) == (3, True)
    parts = [rollout["responses_create_params"], rollout["response"]]
    found = [json.loads(line) for line in agentmsg("restore", "b.jsonl", "l").stdout.splitlines()]
    assert same_document(found, [parts, parts])
    (kept,) = [json.loads(line) for line in Path("b.jsonl.bad.jsonl").read_text().splitlines()]
    assert (kept["line"], kept["code"], kept["text"]) == (4, "syntax", "{bad")


USER: Any = {"role": "user", "content": "Hi"}
REQUEST: Any = {"model": "gpt-5", "messages": [USER]}
ANSWER: Any = {
    "id": "r", "object": "chat.completion", "created": 1, "model": "gpt-5",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Yo"}, "finish_reason": "stop"}],
}  # fmt: skip
TOOLS: Any = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}]


@pytest.mark.parametrize(
    ("parts", "roles"),
    [
        ([REQUEST, ANSWER], ["user", "assistant"]),
        ([[USER], ANSWER, USER], ["user", "assistant", "user"]),
        (["Hi", ANSWER, USER, USER], ["user", "assistant", "user", "user"]),
        ([REQUEST, [USER, USER], USER, ANSWER], ["user"] * 4 + ["assistant"]),
        ([{**REQUEST, "tools": TOOLS}, ANSWER, {**REQUEST, "tools": TOOLS}], ["user", "assistant", "user"]),
    ],
)
def test_parts_come_back(parts: list[Any], roles: list[str]) -> None:
    """A history of parts keeps what each of them says, and converts to other formats and back exactly."""
    history = am.decode_parts(parts)
    assert [message.role for message in history] == roles
    assert am.decode_parts(parts, "openai") == history
    losses: list[am.Loss] = []
    document = am.encode(history, "anthropic", losses=losses)
    assert am.same(am.restore(am.decode(document, "anthropic"), losses), history)


@pytest.mark.parametrize(
    ("parts", "codec", "words"),
    [
        (["a", "b"], None, "only the first part can be a text"),
        ([REQUEST, "Yo"], None, "only the first part can be a text"),
        ([{"x": 1}], None, "no format is recognised"),
        (["Hi"], None, "no format is recognised"),
        ([USER, {"type": "human", "data": {"content": "Hi", "type": "human"}}], None, "several formats"),
        ([REQUEST, {"x": 1}], "each", "no format is recognised"),
        ([{**REQUEST, "tools": TOOLS}, {**REQUEST, "tools": TOOLS * 2}], None, "they differ in tools"),
        ([REQUEST, {**REQUEST, "model": "gpt-4"}], None, "they differ in settings"),
        ([{**REQUEST, "x": 1}, {**REQUEST, "x": 2}], None, "they differ in extras/openai/x"),
        ([REQUEST, {**REQUEST, "messages": 5}], "openai", "list of messages"),
        (REQUEST, None, "a list of documents"),
    ],
)
def test_what_is_no_conversation_is_refused(parts: Any, codec: str | None, words: str) -> None:
    """Nobody guesses who said a text, which format parts have, or which of two different tools hold."""
    with pytest.raises(am.AgentMsgError, match=words):
        am.decode_parts(parts, codec)


def test_only_a_loss_report_gives_parts_again() -> None:
    """Carried content says nothing of parts: restore asks for a format to write."""
    case = JOINED["request and response"]
    options = [*case.options, "-t", "langchain", "-o", "a.json", "--carry"]
    assert agentmsg("convert", str(REPORTED / case.file), *options).exit_code == 0
    done = agentmsg("restore", "a.json")
    assert (done.exit_code, "--to" in done.stderr, done.stdout) == (1, True, "")
    assert agentmsg("restore", "a.json", "-t", "json").exit_code == 0


def test_what_was_never_joined_gives_no_parts() -> None:
    """A loss report that calls another history joined is refused with a typed error."""
    Path("a.json").write_text(json.dumps([USER]))
    assert agentmsg("convert", "a.json", "-t", "openai", "-o", "b.json", "--losses", "l").exit_code == 0
    Path("l").write_text(Path("l").read_text().replace('"from":"openai"', '"from":"joined"'))
    done = agentmsg("restore", "b.json", "l")
    assert (done.exit_code, "can be written as parts" in done.stderr, done.stdout) == (1, True, "")


@pytest.mark.parametrize("number", [0, 1, 2])
def test_the_error_names_the_part(number: int) -> None:
    """The path of an error begins with the number of the part, even where parts are read together."""
    parts = [USER, USER, USER]
    parts[number] = {"role": 5, "content": "Hi"}
    with pytest.raises(am.DecodeError) as raised:
        am.decode_parts(parts, "openai")
    assert raised.value.path[0] == number


def test_joining_needs_a_format_to_write() -> None:
    """Commands that keep a document's format can't write parts; MessagePack isn't joined."""
    Path("a.jsonl").write_text(json.dumps(USER))
    done = agentmsg("trim", "a.jsonl", "--join", "--max-tokens", "5")
    assert (done.exit_code, "--join" in done.stderr) == (2, True)
    Path("a.msgpack").write_bytes(b"\x80")
    done = agentmsg("convert", "a.msgpack", "--join", "-t", "json")
    assert (done.exit_code, "[form]" in done.stderr) == (2, True)


@pytest.mark.parametrize("command", ["show", "stats", "check", "diff"])
def test_commands_that_look_at_data_join(command: str) -> None:
    """They read parts as one conversation, as convert does."""
    case = JOINED["lines"]
    source = str(REPORTED / case.file)
    more = {"check": ["--for", "anthropic"], "diff": [source], "stats": ["--json"]}.get(command, [])
    done = agentmsg(command, source, *more, *case.options)
    assert done.exit_code == 0, done.stderr
    if command == "stats":
        assert json.loads(done.stdout)["messages"] == len(case.says)


# By file: what is told to be inside, and as which format nobody may take all of it in silence.
REFUSED: dict[str, tuple[list[str], list[str]]] = {
    "agents-run-state.json": ([], []),
    "nemo-gym-rollout.json": (["/responses_create_params"], []),
    "openwebui-export.json": ([], []),
    "aistudio-export.json": ([], ["openai", "openai-responses", "anthropic", "gemini"]),
    "dolci-rows.json": ([], []),
    "claude-code-session.jsonl": ([], []),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_reader_is_refused(name: str) -> None:
    """It is not recognised, nothing is written, and hints name only documents of their own."""
    inside, codecs = REFUSED[name]
    source = str(REPORTED / name)
    done, found = agentmsg("convert", source, "-t", "json", "-o", "b.jsonl"), agentmsg("detect", source)
    assert (done.exit_code, found.exit_code, "unknown" in found.stdout) == (1, 1, True)
    assert not Path("b.jsonl").exists()
    assert all(pointer in done.stderr for pointer in inside)
    assert ("documents stand inside" in done.stderr) == bool(inside)
    for document in values(name):
        with pytest.raises(am.NotUnderstood):
            am.recognize(document)
        for codec in codecs:
            with pytest.raises(am.DecodeError):
                am.decode(document, codec)  # type: ignore[arg-type]


def test_messages_of_one_conversation_are_told_with_their_option() -> None:
    """Where lines hold the messages of a conversation, the hint is to join them, and it works."""
    source = str(REPORTED / "claude-code-session.jsonl")
    done = agentmsg("convert", source, "-t", "json")
    assert "read them with --join --at '/message'" in done.stderr
    assert agentmsg("convert", source, "-t", "json", "--join", "--at", "/message").exit_code == 0


JOINS_NOTHING = {
    "openwebui-export.json": "/*/chat/history/messages/*",
    "aistudio-export.json": "/chunkedPrompt/chunks/*",
    "dolci-rows.json": "/messages/*",
}


@pytest.mark.parametrize("name", JOINS_NOTHING)
def test_pieces_that_no_format_has_are_not_joined(name: str) -> None:
    """Joining doesn't make anybody's pieces a conversation: a format must fit all of them."""
    done = agentmsg("convert", str(REPORTED / name), "-t", "json", "--join", "--at", JOINS_NOTHING[name])
    assert (done.exit_code, "[not-understood]" in done.stderr, done.stdout) == (1, True, "")


ROW = '{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}\n'
ODD = os.fsdecode(b"a\xff")
NAMED: list[list[str]] = [
    ["convert", f"{ODD}.jsonl", "-t", "anthropic", "-o", f"o{ODD}.jsonl", "--losses", f"l{ODD}.jsonl"],
    ["convert", f"{ODD}.jsonl", "-t", "anthropic", "-o", f"o{ODD}.jsonl", "--losses", f"l{ODD}.jsonl", "--resume"],
    ["restore", f"o{ODD}.jsonl", f"l{ODD}.jsonl", "-o", f"r{ODD}.jsonl"],
    [
        "convert",
        f"{ODD}.jsonl",
        "b.jsonl",
        "-t",
        "hf",
        "-o",
        "m.jsonl",
        "--losses",
        "m.l.jsonl",
        "--losses-flat",
        "f.jsonl",
    ],
    ["convert", f"{ODD}.jsonl", "b.jsonl", "-t", "hf", "-o", f"d{ODD}/", "--jobs", "2"],
    ["convert", f"{ODD}.jsonl", "-t", "hf", "-o", "-"],
    ["filter", f"{ODD}.jsonl", "--role", "user", "-o", f"f{ODD}.jsonl"],
    ["redact", f"{ODD}.jsonl", "-o", f"s{ODD}.jsonl"],
    ["detect", f"{ODD}.jsonl", "--json"],
    ["stats", f"{ODD}.jsonl", "--json"],
    ["check", f"{ODD}.jsonl", "--for", "gemini", "--json"],
    ["diff", f"{ODD}.json", f"{ODD}.json", "--json"],
    ["show", f"{ODD}.json"],
]


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are UTF-8 there")
def test_the_name_of_a_file_may_be_any_bytes() -> None:
    """What isn't UTF-8 in a name is escaped where it is told; every command works with such a file."""
    for name in (f"{ODD}.jsonl", "b.jsonl"):
        Path(name).write_text(ROW * 2 + "{bad\n", encoding="utf-8")
    Path(f"{ODD}.json").write_text(ROW, encoding="utf-8")
    for command in NAMED:
        done = agentmsg(*command)
        assert "surrogate" not in done.stderr, command
        assert done.exception is None or isinstance(done.exception, SystemExit), command
        assert done.exit_code in (0, 1, 3), done.stderr
    assert Path(f"r{ODD}.jsonl").read_text(encoding="utf-8") == ROW * 2
    assert json.loads(Path(f"o{ODD}.jsonl.bad.jsonl").read_bytes())["file"] == "a\\udcff.jsonl"
    assert (Path(f"d{ODD}") / f"{ODD}.jsonl").is_file()
    assert Path("m.jsonl").read_text(encoding="utf-8").count("\n") == 4


def test_jobs_for_a_small_compressed_file_are_told() -> None:
    """One process reads it, however much it holds once it is unpacked."""
    Path("a.jsonl.gz").write_bytes(gzip.compress(ROW.encode() * 2))
    done = agentmsg("convert", "a.jsonl.gz", "-t", "hf", "-o", "b.jsonl", "--jobs", "2")
    assert "--jobs: a.jsonl.gz can't be cut" in done.stderr
