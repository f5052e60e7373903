"""The house rules: they keep the code readable and the layers apart, and are checked on every module.

The packages are taken from where they are imported, so that the rules hold for a checkout and an installed
wheel. Each test collects all offenders and names them as ``file:line name``.
"""

from __future__ import annotations

import ast
import importlib
import importlib.metadata
import importlib.util
import os
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import agentmsg as am

if TYPE_CHECKING:
    from collections.abc import Iterator

Function = ast.FunctionDef | ast.AsyncFunctionDef

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("agentmsg", "agentmsg_codecs")
MAX_MODULE = 700
MAX_FUNCTION = 60
# A loop with this many rounds in a test calls `effort`.
MANY_ROUNDS = 200
DEPENDENCIES = ["attrs", "cattrs", "msgpack", "orjson"]
TOP_LEVEL = {
    ".ci",
    ".github",
    ".gitignore",
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "agentmsg",
    "benchmarks",
    "codecs",
    "pyproject.toml",
    "tests",
}
# Imported on first use: most of them cost more than the whole model.
LATE = [
    "agentmsg_codecs",
    "cattrs",
    "click",
    "importlib.metadata",
    "jinja2",
    "json",
    "markdown_it",
    "msgpack",
    "orjson",
    "rich",
    "uuid",
]
# Modules that codecs don't need: a codec turns plain data into a History and back without looking around.
OUTSIDE_WORLD = {"asyncio", "glob", "io", "os", "pathlib", "random", "secrets", "shutil", "tempfile", "time"}
# Characters of source text that the first document may compile: a millisecond takes about 5,000.
_MOST_COMPILED = 6_500
# What the codecs that read with functions of their own compile: a reader for each kind of message.
_COMPILED_BY = {"langchain-lc": 9_000, "langgraph": 11_000}
CLOCKS = {"now", "today", "utcnow"}
DOORS = {"__import__", "breakpoint", "eval", "input", "open", "print"}


@cache
def _modules(package: str) -> dict[str, ast.Module]:
    """Return the parsed modules of a package by their path from the package's parent folder."""
    spec = importlib.util.find_spec(package)
    assert spec is not None, f"{package} cannot be imported"
    assert spec.origin is not None, f"{package} has no __init__.py"
    folder = Path(spec.origin).parent
    paths = sorted(folder.rglob("*.py"))
    return {p.relative_to(folder.parent).as_posix(): ast.parse(p.read_bytes(), filename=str(p)) for p in paths}


def _all_modules() -> Iterator[tuple[str, ast.Module]]:
    for package in PACKAGES:
        yield from _modules(package).items()


def _text_of(path: str) -> str:
    package = path.split("/", 1)[0]
    spec = importlib.util.find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    return (Path(spec.origin).parents[1] / path).read_text(encoding="utf-8")


def _lines(path: str) -> int:
    return len(_text_of(path).splitlines())


def _public_functions(body: list[ast.stmt]) -> Iterator[Function]:
    """Yield the public functions of a module and the public methods of its public classes."""
    for node in body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from _public_functions(node.body)
        elif isinstance(node, Function) and not node.name.startswith("_"):
            yield node
        elif isinstance(node, ast.If | ast.Try):
            yield from _public_functions([*node.body, *node.orelse])


def _boolean_positionals(function: Function) -> Iterator[str]:
    """Yield the names of the parameters that take a boolean and may be passed by position."""
    args = [*function.args.posonlyargs, *function.args.args]
    defaults = [None] * (len(args) - len(function.args.defaults)) + list(function.args.defaults)
    for arg, default in zip(args, defaults, strict=True):
        annotation = ast.unparse(arg.annotation).strip("'\"") if arg.annotation else ""
        parts = {part.strip() for part in annotation.split("|")}
        boolean_default = isinstance(default, ast.Constant) and isinstance(default.value, bool)
        if boolean_default or ("bool" in parts and parts <= {"bool", "None"}):
            yield arg.arg


def _imports(tree: ast.Module) -> Iterator[tuple[int, str, str]]:
    """Yield line, module and name of every import in a module, at its top or inside a function."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name, ""
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield node.lineno, "." * node.level + (node.module or ""), alias.name


def _requirement_names(requirements: list[str]) -> list[str]:
    return sorted(re.split(r"[^\w.-]", requirement, maxsplit=1)[0] for requirement in requirements)


def _declared_dependencies() -> list[str]:
    """Read the project's run-time dependencies from pyproject.toml or, without it, from the installed package."""
    pyproject = ROOT / "pyproject.toml"
    if pyproject.is_file():
        project = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]
        return _requirement_names(project["dependencies"])
    installed = importlib.metadata.requires("agentmsg") or []
    return _requirement_names([requirement for requirement in installed if "extra ==" not in requirement])


def _tracked_top_level() -> set[str]:
    """Return the first path component of every tracked file; outside a git checkout nothing is tracked."""
    if not (ROOT / ".git").exists():
        return set()
    # safe.directory: a checkout of another user may be read too
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z"]
    listing = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return {path.split("/", 1)[0] for path in listing.split("\0") if path}


def _loaded_by(statement: str) -> set[str]:
    """Return the names of all modules in a fresh interpreter after a statement."""
    return set(_output_of(f"{statement}; import sys; print(*sorted(sys.modules), sep='\\n')").split())


def _output_of(program: str) -> str:
    env = os.environ | {"PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    done = subprocess.run([sys.executable, "-c", program], env=env, check=True, capture_output=True, text=True)
    return done.stdout


def _compiled_by(statement: str) -> int:
    """Return how many characters of source a statement compiles in a fresh interpreter, besides its modules."""
    program = (
        "from __future__ import annotations; import agentmsg, builtins; texts, compiled = [], builtins.compile\n"
        "builtins.compile = lambda text, *args, **named: texts.append(text) or compiled(text, *args, **named)\n"
        f"{statement}\n"
        "print(sum(len(text) for text in texts if isinstance(text, str)))"
    )
    return int(_output_of(program))


def test_modules_are_short() -> None:
    """A module has at most 700 lines."""
    long = [f"{path} has {n} lines" for path, _ in _all_modules() if (n := _lines(path)) > MAX_MODULE]
    assert not long


def test_functions_are_short() -> None:
    """A function has at most 60 lines, docstring included."""
    long: list[str] = []
    for path, tree in _all_modules():
        for node in ast.walk(tree):
            if isinstance(node, Function):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > MAX_FUNCTION:
                    long.append(f"{path}:{node.lineno} {node.name} has {lines} lines")
    assert not long


def test_modules_say_what_they_are() -> None:
    """Every module opens with a docstring."""
    assert not [path for path, tree in _all_modules() if not ast.get_docstring(tree)]


def test_names_of_modules_say_what_is_inside() -> None:
    """No module is named utils: such a drawer collects everything."""
    drawers = {"util", "utils", "_util", "_utils"}
    assert not [path for path, _ in _all_modules() if drawers & set(path.removesuffix(".py").split("/"))]


def test_booleans_are_given_by_name() -> None:
    """A public function takes its booleans as keywords only."""
    assert not [
        f"{path}:{function.lineno} {function.name}({name})"
        for path, tree in _all_modules()
        for function in _public_functions(tree.body)
        for name in _boolean_positionals(function)
    ]


def test_public_names_are_named_once() -> None:
    """``agentmsg.__all__`` has no duplicates; it is grouped, the most needed names first."""
    names = list(importlib.import_module("agentmsg").__all__)
    assert len(names) == len(set(names))
    assert names[:2] == ["convert", "restore"]


def test_public_names_exist() -> None:
    """Every name in ``agentmsg.__all__`` exists and is listed by dir()."""
    agentmsg = importlib.import_module("agentmsg")
    assert not [name for name in agentmsg.__all__ if not hasattr(agentmsg, name)]
    assert set(agentmsg.__all__) <= set(dir(agentmsg))


def test_import_is_light() -> None:
    """``import agentmsg`` loads no codec and no heavy module beyond what attrs itself loads."""
    loaded = _loaded_by("import agentmsg") - _loaded_by("import attrs")
    roots = {".".join(name.split(".")[:depth]) for name in loaded for depth in (1, 2)}
    assert not [name for name in LATE if name in roots & loaded]


@pytest.mark.parametrize("name", [name for name in am.codec_names() if not name.endswith("-response")])
def test_reading_loads_what_it_needs(name: am.CodecName) -> None:
    """The first document read loads what reads, and compiles the readers of its own kinds of objects only."""
    document = am.encode(am.History.of(am.Msg(role="user", content="Hi")), name, on_loss="ignore")
    reading = f"agentmsg.decode({document!r}, {name!r})"
    loaded = _loaded_by(f"import agentmsg; {reading}") - _loaded_by("import agentmsg")
    unneeded = re.compile(
        r"cattrs|_?hashlib|agentmsg\.(stream|fitting|checking|values\.objects|model\.structured_output)"
        r"|agentmsg\.formats\.(understanding|bodies\.settings|forms\.(code|rows|schemas|tables|writer))"
        r"|agentmsg_codecs\..*\.(capabilities|chunks|sending|settings)|decimal"
    )
    assert not [module for module in loaded if unneeded.match(module)]
    assert _compiled_by(reading) < _COMPILED_BY.get(name, _MOST_COMPILED)


def test_dependencies_are_four() -> None:
    """At run time agentmsg needs attrs, cattrs, msgpack and orjson, and nothing else."""
    assert _declared_dependencies() == DEPENDENCIES


# A group that is repeated possessively, and a set of characters.
_POSSESSIVE = re.compile(r"\)(?:[*+?]|\{\{?\d*,?\d*\}?\})\+")
_SET = re.compile(r"\[\^?\]?(?:\\.|[^\]\\\n])*+\]")


def test_no_pattern_repeats_a_group_possessively() -> None:
    """Python 3.11.0 to 3.11.4 match ``(...)*+`` wrongly where a round fails midway; ``(?>(...)*)`` says the same."""
    offenders = [
        f"{path}:{number}"
        for path, _ in _all_modules()
        for number, line in enumerate(_text_of(path).splitlines(), 1)
        if _POSSESSIVE.search(_SET.sub("x", line))
    ]
    assert not offenders


def test_codec_table_is_sorted() -> None:
    """The table of codecs is in alphabetical order and every entry has the form ``module:attribute``."""
    codecs: dict[str, str] = importlib.import_module("agentmsg_codecs").CODECS
    assert list(codecs) == sorted(codecs)
    assert not {name: entry for name, entry in codecs.items() if not re.fullmatch(r"[\w.]+:\w+", entry)}


def test_codecs_use_public_names_only() -> None:
    """A codec imports public names of agentmsg only, so that a third party's codec can do everything that ours can."""
    assert not [
        f"{path}:{line} {module} {name}"
        for path, tree in _modules("agentmsg_codecs").items()
        for line, module, name in _imports(tree)
        if module.split(".")[0] == "agentmsg"
        if any(part.startswith("_") for part in [*module.split("."), name])
    ]


def test_codecs_look_at_data_only() -> None:
    """A codec opens no file and reads no environment and no clock."""
    offenders: list[str] = []
    for path, tree in _modules("agentmsg_codecs").items():
        offenders += [
            f"{path}:{line} imports {module}"
            for line, module, _ in _imports(tree)
            if module.split(".")[0] in OUTSIDE_WORLD
        ]
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                match node.func:
                    case ast.Name(id=name) if name in DOORS:
                        offenders.append(f"{path}:{node.lineno} calls {name}")
                    case ast.Attribute(attr=name) if name in CLOCKS:
                        offenders.append(f"{path}:{node.lineno} calls .{name}")
                    case _:
                        pass
    assert not offenders


def test_top_level_is_the_design() -> None:
    """The top of the repository has only what the design puts there."""
    assert not _tracked_top_level() - TOP_LEVEL


# Loops of many rounds that don't call `effort`: they build one document, or the number is the point.
LONG_LOOPS = {
    "support/hostile_objects.py:_deep",  # nests one value
    "test_chunk_documents.py:test_deep_documents_are_refused",  # nests one value
    "test_cli_terminal.py:test_diff_tells_how_far_it_is",  # a history long enough to take a while
    "test_cli_terminal.py:test_groups_do_not_grow_without_end",  # more groups than there is room for
    "test_cli_terminal.py:test_progress_moves_within_a_range",  # a file that is read in several pieces
    "test_cli_terminal.py:test_unreadable_files_are_counted",  # more files than are reported
    "test_deep.py:test_bombs_are_refused_at_once",  # nests one value
    "test_detection.py:test_detection_looks_at_a_bounded_sample",  # a history longer than any sample
    "test_differences.py:test_words_apart_of_long_texts_take_no_minutes",  # one long text
    "test_errors.py:",  # one wide value
    "test_json_text.py:test_brackets_inside_of_texts_are_no_depth",  # one wide value
    "test_langchain_bytes.py:test_depth_is_bounded",  # the depths around a bound
    "test_langchain_bytes.py:test_wide_data_is_not_deep",  # one wide value
    "test_langgraph_fast.py:test_wide_data_is_not_deep",  # one wide value
    "test_langgraph_safety.py:_respelt",  # the places of one document
    "test_langgraph_safety.py:test_wide_containers_come_back",  # more items than two bytes count
    "test_laws.py:test_cycles_and_depth_give_one_error",  # nests one value
    "test_msg.py:test_repr_is_bounded",  # one wide value
    "test_operations.py:test_merged_from_grows_by_one_entry_a_message",  # one history that grows
    "test_show.py:test_json_that_cannot_be_written_says_so",  # nests one value
    "test_tokens.py:_bytes",  # all bytes
}


def _rounds(node: ast.expr, numbers: dict[str, int]) -> Iterator[int]:
    """Yield the fixed numbers of rounds of a loop: those of ``range`` and ``repeat``."""
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in {"range", "repeat"}:
            for each in call.args:
                match each:
                    case ast.Constant(value=int(number)):
                        yield number
                    case ast.Name(id=name) if name in numbers:
                        yield numbers[name]
                    case _:
                        pass


def _long_loops(path: Path) -> Iterator[tuple[str, int]]:
    """Yield the function and line of each loop of a test module with a large fixed number of rounds."""
    tree = ast.parse(path.read_bytes(), filename=str(path))
    numbers = {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, int)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for top in tree.body:
        for node in ast.walk(top):
            loops = [node] if isinstance(node, ast.For) else getattr(node, "generators", [])
            for loop in loops:
                if any(number >= MANY_ROUNDS for number in _rounds(loop.iter, numbers)):
                    yield getattr(top, "name", ""), loop.iter.lineno
            if isinstance(node, ast.keyword) and node.arg == "max_examples" and isinstance(node.value, ast.Constant):
                yield getattr(top, "name", ""), node.value.lineno


def test_loops_of_tests_obey_the_knob() -> None:
    """A test's loop with 200 fixed rounds or more, or a fixed ``max_examples``, calls ``data.effort``."""
    folder = Path(__file__).parent
    found = {
        f"{path.relative_to(folder).as_posix()}:{name}": f"{path.name}:{line}"
        for path in sorted(folder.rglob("*.py"))
        for name, line in _long_loops(path)
    }
    assert {name: place for name, place in found.items() if name not in LONG_LOOPS} == {}
    assert found.keys() >= LONG_LOOPS, "some are gone"
