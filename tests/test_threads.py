"""First use by several threads at once: modules are imported whole, tables are filled once, results are the same."""

from __future__ import annotations

import ast
import subprocess
import sys
from graphlib import TopologicalSorter
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import agentmsg
import agentmsg_codecs
from data import effort

if TYPE_CHECKING:
    from collections.abc import Iterator

# Where they are imported from, a checkout or an installed wheel.
SOURCES = {package.__name__: Path(str(package.__file__)).parent for package in (agentmsg, agentmsg_codecs)}
PROCESSES = min(effort(8, least=1), 100)

# The program of a fresh process: all threads start at once, and each begins with another pair of formats.
CONVERT = """
import itertools, random, sys, threading
import agentmsg as am
sys.setswitchinterval(1e-4)
seed, count = int(sys.argv[1]), 24
history = am.History.of(
    am.Msg.system("Be brief.", id="0", created_at=None),
    am.Msg.user("Weather?", id="1", created_at=None),
    am.Msg.assistant("Let me see.", tool_calls=[{"name": "f", "id": "c", "input": {"a": 1}}], id="2", created_at=None),
    am.Msg.tool("Sun.", tool_call_id="c", name="f", id="3", created_at=None),
    am.Msg.assistant("Sun.", id="4", created_at=None),
)
names = list(am.codec_names()) if seed % 2 else None  # asked by nobody before, or by all threads at once
start = threading.Barrier(count)
answers, errors = {}, []

def answer(source, target):
    raw = am.dumps(history, source, losses=[])
    result = am.convert(raw, source, target)
    back = am.restore(am.loads(result.document, target), result.losses)
    return raw, result.document, str(result.losses), am.same(back, result.history), am.detect(raw)[0][1]

def work(number):
    rng = random.Random(seed * 1000 + number)
    start.wait()
    try:
        mine = list(itertools.product(names or am.codec_names(), repeat=2))[number::count]
        rng.shuffle(mine)
        for pair in mine:
            answers[pair] = answer(*pair)
        answers[number] = history.stats(), history.turns(), history.to_text(), history[0].digest()
    except Exception as error:
        errors.append(f"{type(error).__name__}: {error}")

threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not errors, errors
same = [answers.pop(number) for number in range(count)]
assert all(each == same[0] for each in same)
assert len(answers) == len(am.codec_names()) ** 2
for pair, found in answers.items():
    assert found == answer(*pair), pair
    assert found[3], pair
"""

# The same for the public names, which are imported on first use.
NAMES = """
import random, sys, threading
import agentmsg as am
sys.setswitchinterval(1e-4)
count, start, found, errors = 24, threading.Barrier(24), [], []

def work(number):
    names = list(am.__all__)
    random.Random(number).shuffle(names)
    start.wait()
    try:
        objects = {name: id(getattr(am, name)) for name in names}
        codecs = [am.get_codec(name) for name in random.Random(number).sample(am.codec_names(), len(am.codec_names()))]
        found.append(objects | {codec.name: id(codec) for codec in codecs})
    except Exception as error:
        errors.append(f"{type(error).__name__}: {error}")

threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not errors, errors
assert len(found) == count
assert all(each == found[0] for each in found)
"""


def _in_a_fresh_process(code: str, *args: str) -> None:
    done = subprocess.run([sys.executable, "-c", code, *args], capture_output=True, text=True, timeout=120, check=False)
    assert not done.returncode, done.stderr[-2000:]


@pytest.mark.parametrize("seed", range(PROCESSES))
def test_threads_that_use_all_pairs_of_formats_first_get_the_same_answers(seed: int) -> None:
    """Many threads of a fresh process convert between all formats at once, and get the same results as one thread."""
    _in_a_fresh_process(CONVERT, str(seed))


def test_threads_get_the_same_objects() -> None:
    """Public names and codecs are the same objects for all threads, whichever was first."""
    _in_a_fresh_process(NAMES)


# -- the order of imports --------------------------------------------------------------------------------------------


def _modules() -> dict[str, Path]:
    found: dict[str, Path] = {}
    for root, folder in SOURCES.items():
        for path in folder.rglob("*.py"):
            parts = [root, *path.relative_to(folder).with_suffix("").parts]
            found[".".join(takewhile(lambda part: part != "__init__", parts))] = path
    return found


def _run_on_import(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the statements that run while a module is imported."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        return
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        for other in node.orelse:
            yield from _run_on_import(other)
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _run_on_import(child)


def _imports(path: Path, modules: dict[str, Path]) -> set[str]:
    """Return our own modules that a module waits for while it is imported."""
    found: set[str] = set()
    for node in _run_on_import(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found & set(modules)


def test_imports_have_an_order() -> None:
    """No module waits, through others, for itself: else two threads wait for each other and get half-imported modules.

    A package counts like a module: ``from package import module`` inside it waits for the package.
    """
    modules = _modules()
    assert len(modules) > 150
    TopologicalSorter({name: _imports(path, modules) for name, path in modules.items()}).prepare()


# Names modules imported before the package they are in: each holds its lock while the package is imported.
MODULES_FIRST = """
import sys
from importlib import import_module

class Watch:
    def find_spec(self, name, path, target=None):
        frame = sys._getframe(1)
        while frame is not None:
            wanted = frame.f_locals.get("name") if frame.f_code.co_name == "_find_and_load_unlocked" else None
            if isinstance(wanted, str) and wanted.startswith(name + "."):
                print(name, wanted)
            frame = frame.f_back

import agentmsg_codecs
sys.meta_path.insert(0, Watch())
import_module(sys.argv[1])
"""


def _loaded(package: str, modules: dict[str, Path]) -> set[str]:
    """Return the modules that a package waits for while it is imported, through others."""
    found: set[str] = set()
    waiting = [package]
    while waiting:
        for name in _imports(modules[waiting.pop()], modules) - found:
            found.add(name)
            waiting.append(name)
    return found


@pytest.mark.parametrize("codec", sorted(agentmsg_codecs.CODECS))
def test_packages_are_imported_before_their_modules(codec: str) -> None:
    """Else a thread that imports the package, and so that module, and this one wait for each other."""
    home = agentmsg_codecs.CODECS[codec].partition(":")[0]
    done = subprocess.run(
        [sys.executable, "-c", MODULES_FIRST, home], capture_output=True, text=True, timeout=120, check=True
    )
    modules = _modules()
    pairs = [(package, wanted) for package, _, wanted in (line.partition(" ") for line in done.stdout.splitlines())]
    own = [(package, wanted) for package, wanted in pairs if package in modules]
    assert [wanted for package, wanted in own if wanted in _loaded(package, modules)] == []
