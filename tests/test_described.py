"""Derived from a description in forms: code, plain tables, mapping tables, and native objects that come back."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from functools import cache
from typing import TYPE_CHECKING, Any, get_args

import attrs
import pytest
from click.testing import CliRunner
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import agentmsg as am
from agentmsg.cli.program import program
from agentmsg.formats import Unreadable, write_as
from agentmsg.formats.forms.schemas import schema_of
from agentmsg.formats.forms.tables import mapping_of, plain_tables
from agentmsg.formats.spelling import SPELLINGS, same_document
from agentmsg.testing.native_objects import natives_of
from agentmsg.testing.systematic import objects
from agentmsg.values.frozen import plain_copy
from agentmsg.values.types import class_of
from agentmsg_codecs import CodecName
from data import effort
from support.documents import documents

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from agentmsg.formats.forms import Described

NAMES: tuple[am.CodecName, ...] = get_args(CodecName)
DESCRIBED: list[tuple[str, Described]] = [
    (f"{name}-{number}", described) for name in NAMES for number, described in enumerate(am.get_codec(name).described)
]
CHECKERS = {
    "ruff": ("check", "--isolated", "--no-cache", "--select", "E,F,W,B,PLE", "--ignore", "E501"),
    "mypy": ("--strict", "--config-file=", "--no-error-summary"),
    "pyright": ("--warnings",),
}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the generated code of all described codecs."""
    folder = tmp_path_factory.mktemp("code")
    for name, described in DESCRIBED:
        (folder / f"{name.replace('-', '_')}.py").write_text(described.code(), encoding="utf-8")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("checker", CHECKERS)
def test_generated_code_is_clean(written: Path, checker: str) -> None:
    """Linter and type checkers find nothing in the generated code of all described codecs."""
    if importlib.util.find_spec(checker) is None:
        assert os.environ.get("CI") != "true", f"{checker} is not installed"
        pytest.skip(f"{checker} is not installed")
    cache = [f"--cache-dir={written / 'cache'}"] if checker == "mypy" else []
    done = subprocess.run(
        [sys.executable, "-m", checker, *CHECKERS[checker], *cache, *map(str, written.glob("*.py"))],
        capture_output=True,
        text=True,
        check=False,
        cwd=written,
    )
    assert done.returncode == 0, done.stdout


def test_code_is_printed() -> None:
    """``agentmsg formats NAME --code`` prints the generated code of a format, or that there is none."""
    done = CliRunner().invoke(program, ["formats", "anthropic", "--code"])
    assert done.exit_code == 0
    assert done.stdout == "\n\n".join(each.code() for each in am.get_codec("anthropic").described)
    done = CliRunner().invoke(program, ["formats", "msgpack", "--code"])
    assert done.exit_code != 0
    assert "error [option] msgpack: this format isn't described in forms" in done.output
    assert CliRunner().invoke(program, ["formats", "--code"]).exit_code == 2


def _keys(items: list[Any]) -> list[str]:
    """Return the native keys that items name, without those of an inner object, which aren't the form's."""
    found: list[str] = []
    for item in items:
        if item["kind"] in ("Lifted", "Single", "Spread"):
            found += _keys(item.get("items", item.get("places")))
        else:
            found += item.get("keys", [item.get("native")])
    return found


@pytest.mark.parametrize(("name", "described"), DESCRIBED, ids=[name for name, _ in DESCRIBED])
def test_plain_tables_are_json(name: str, described: Described) -> None:
    """A description exports as JSON, and names each native key of a form once."""
    tables = plain_tables(described)
    assert json.loads(json.dumps(tables)) == tables
    assert tables["forms"].keys() == described.forms.keys()
    for form in described.forms.values():
        said = tables["forms"][form.name]
        keys = _keys(said["items"])
        tag = [] if form.tag is None or form.tag_key in keys else [form.tag_key]
        assert sorted([*keys, *tag]) == sorted(form.keys)


@pytest.mark.parametrize(("name", "described"), DESCRIBED, ids=[name for name, _ in DESCRIBED])
def test_mappings_are_of_all_keys(name: str, described: Described) -> None:
    """The mapping of a description names each native key of each form, and the command line shows it."""
    shown = CliRunner().invoke(program, ["formats", name.rpartition("-")[0]]).output
    for form, mapped in zip(described.forms.values(), mapping_of(described), strict=True):
        assert form.name in mapped.native
        keys = {key.partition(".")[0] for told, _ in mapped.keys for key in told.split(", ")}
        assert keys | {form.tag_key} == form.keys | {form.tag_key}
        assert all(told and key in shown for key, told in mapped.keys)


# -- native objects that come back ------------------------------------------------------------------------------------


@cache
def _schema(name: am.CodecName, number: int) -> dict[str, Any]:
    all_described = am.get_codec(name).described
    return schema_of(all_described[number], *all_described)


@cache
def _natives(name: am.CodecName, number: int) -> Callable[[str], st.SearchStrategy[Any]]:
    return natives_of(_schema(name, number))


def _left_as_it_is(obj: Any, keys: frozenset[str]) -> bool:
    """Whether a part of an object is a native one, or a value under a known key is an extra."""
    kind: Any = class_of(obj)
    if kind in (tuple, list):
        return any(_left_as_it_is(each, keys) for each in obj)
    if not attrs.has(kind):
        return False
    if isinstance(obj, am.NativeBlock):
        return True
    if any(not keys.isdisjoint(extras) for extras in getattr(obj, "extras", {}).values()):
        return True
    return any(_left_as_it_is(getattr(obj, field.name), keys) for field in attrs.fields(kind))


def _objects(name: str) -> list[Any]:
    """Return the objects in the documents of a codec, each once."""
    return list({repr(each): each for _, document in documents(name) for _, _, each in objects(document)}.values())


@pytest.mark.parametrize(("name", "described"), DESCRIBED, ids=[name for name, _ in DESCRIBED])
def test_the_schema_allows_what_is_read(name: str, described: Described) -> None:
    """The schema of a form allows each native object that the form reads, unless it leaves a value of it as it is."""
    codec: Any = name.rpartition("-")[0]
    am.get_codec(codec).read(documents(codec)[0][1])  # which fills all tables
    defs = _schema(codec, int(name.rpartition("-")[2]))["$defs"]
    keys = frozenset[str]().union(*(form.keys for form in described.forms.values()))
    found = _objects(codec)
    for form in described.forms.values():
        schema: Any = Draft202012Validator({"$ref": f"#/$defs/{form.name}", "$defs": defs})
        for native in found:
            if form.tag is not None and native.get(form.tag_key) != form.tag:
                continue
            try:
                fits = form.fits is None or form.fits(native)
                obj = described.names.readers[form.name](plain_copy(native)) if fits else None
            except (Unreadable, am.AgentMsgError, AttributeError, KeyError):
                continue  # an object of another kind, which isn't given to this reader
            if obj is None:
                continue
            assert schema.is_valid(native) or _left_as_it_is(obj, keys), (form.name, native)


def _is_told(name: am.CodecName, number: int, word: str) -> bool:
    """Whether the schema of a form or place, and of everything inside, covers all refusals."""
    defs = _schema(name, number)["$defs"]
    waiting, seen = [word], {word}
    while waiting:
        schema = defs[waiting.pop()]
        if "$comment" in schema:
            return False
        new = set(re.findall(r"#/\$defs/(\w+)", json.dumps(schema))) - seen
        waiting += new
        seen |= new
    return True


def _each(kind: str) -> dict[str, tuple[am.CodecName, int, str]]:
    """Return each form or place once: the codecs of a family share most of theirs."""
    found: dict[Any, tuple[am.CodecName, int, str]] = {}
    for name in NAMES:
        for number, described in enumerate(am.get_codec(name).described):
            for word in getattr(described, kind):
                own = described.forms[word] if kind == "forms" else (described.family, number, word)
                if _is_told(name, number, word if kind == "forms" else f"place_{word}"):
                    found.setdefault(own, (name, number, word))
    return {f"{name}-{number}-{word}": (name, number, word) for name, number, word in found.values()}


FORMS, PLACES = _each("forms"), _each("places")


@pytest.mark.parametrize(("name", "number", "form"), FORMS.values(), ids=FORMS)
@given(data=st.data())
@settings(max_examples=effort(40))
def test_what_the_schema_allows_comes_back(name: am.CodecName, number: int, form: str, data: st.DataObject) -> None:
    """Every native object that the schema of a form allows is read by the form, and comes back exactly."""
    described = am.get_codec(name).described[number]
    described.fill()
    native = data.draw(_natives(name, number)(form))
    one = described.forms[form]
    siblings = [each.keys for each in described.forms.values() if (each.cls, each.tag) == (one.cls, one.tag)]
    assume(frozenset[str]().union(*siblings).difference(one.keys).isdisjoint(native))  # these make it a sibling's
    obj = described.names.readers[form](plain_copy(native))
    space = one.space or described.family
    written = write_as(described.shapes[form], obj, one.spelt or space, namespace=space)
    assert same_document(written, native)


@pytest.mark.parametrize(("name", "number", "place"), PLACES.values(), ids=PLACES)
@given(data=st.data())
@settings(max_examples=effort(40))
def test_parts_of_a_place_come_back(name: am.CodecName, number: int, place: str, data: st.DataObject) -> None:
    """Every native object that the schema of a place allows is a block of its own there, and comes back exactly."""
    described = am.get_codec(name).described[number]
    described.fill()
    native = data.draw(_natives(name, number)(f"place_{place}"))
    block = described.parts[place].read(plain_copy(native))
    assert not isinstance(block, am.NativeBlock)
    assert same_document(described.parts[place].write(block), native)


@pytest.mark.parametrize(("name", "described"), DESCRIBED, ids=[name for name, _ in DESCRIBED])
def test_silent_spellings_say_nothing(name: str, described: Described) -> None:
    """Where a key has no value, the spellings that its form calls silent are read as the same object."""
    codec = am.get_codec(name.rpartition("-")[0])
    strategy = natives_of(schema_of(described, *codec.described))
    described.fill()
    for form in described.forms.values():
        read, silent = described.names.readers[form.name], form.silent
        if not silent:
            continue

        @settings(max_examples=effort(5), derandomize=True, database=None)
        @given(strategy(form.name))
        def check(native: Any) -> None:
            for key, names in silent.items():  # noqa: B023 - called here
                for spelling in names:
                    usual = {**native, key: None}
                    spelt = {**usual, key: SPELLINGS[spelling]}
                    del (spelt if spelling == "absent" else usual)[key]
                    assert _meaning(read, usual) == _meaning(read, spelt), f"{form.name}: {key} as {spelling}"  # noqa: B023

        check()


def _meaning(read: Callable[[Any], Any], native: Any) -> Any:
    """Return what a native object is read as, without notes; None if it has no meaning."""
    try:
        return read(plain_copy(native))
    except (Unreadable, am.AgentMsgError):
        return None
