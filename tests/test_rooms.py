"""The rooms of the core: agentmsg/README.md draws them like the folders, the imports and the linter's layers."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import agentmsg.formats

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROOT = Path(__file__).resolve().parents[1]
CORE = Path(str(importlib.util.find_spec("agentmsg").origin)).parent  # type: ignore[union-attr]
CODECS = Path(str(importlib.util.find_spec("agentmsg_codecs").origin)).parent  # type: ignore[union-attr]
# Rooms and modules that list their names still.
_LISTED = {"cli", "embed", "files", "fitting.fit"}
# Not rooms: the package itself, and its entry point.
DOORS = {"__init__", "__main__"}


def _drawing() -> list[list[str]]:
    """Return the layers drawn in README, top to bottom: the first words of each line, up to the wide gap."""
    text = (CORE / "README.md").read_text(encoding="utf-8").split("```")[1]
    return [re.split(r" {3,}", line)[0].split(" | ") for line in text.strip().splitlines()]


def _circles_told() -> set[frozenset[str]]:
    """Return the circles of modules that README explains."""
    text = (CORE / "README.md").read_text(encoding="utf-8").split("| modules | why |")[1]
    return {frozenset(re.findall(r"`(\w+(?:\.\w+)+)`", line.split(" | ")[0])) for line in text.splitlines()[2:]}


@cache
def _modules() -> Mapping[str, ast.Module]:
    """Return the modules of the core and the codecs, by their full names."""
    found: dict[str, ast.Module] = {}
    for folder in (CORE, CODECS):
        for path in sorted(folder.rglob("*.py")):
            name = ".".join(path.relative_to(folder.parent).with_suffix("").parts).removesuffix(".__init__")
            found[name] = ast.parse(path.read_bytes())
    return found


def _imports(tree: ast.AST, *, typing: bool) -> Iterator[str]:
    """Yield our own modules that a module imports, at its top or inside functions."""
    for node in ast.iter_child_nodes(tree):
        match node:
            case ast.If(test=ast.Name(id="TYPE_CHECKING")) if not typing:
                continue
            case ast.Import():
                yield from (alias.name for alias in node.names)
            case ast.ImportFrom(module=str(module)):
                for alias in node.names:
                    inner = f"{module}.{alias.name}"
                    yield inner if inner in _modules() else module
            case _:
                yield from _imports(node, typing=typing)


def _room(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def test_the_drawing_is_of_the_folders() -> None:
    """Each drawn room is a folder or module, and each folder and module is drawn; few are at the top."""
    drawn = {room for layer in _drawing() for room in layer}
    folders = {path.parent.name for path in CORE.glob("*/__init__.py")}
    files = {path.stem for path in CORE.glob("*.py")}
    assert drawn == (folders | files) - DOORS
    assert len([path for path in CORE.iterdir() if path.is_file()]) <= 10


def test_the_drawing_is_of_the_layers() -> None:
    """The linter's layers are those of the drawing."""
    pyproject = ROOT / "pyproject.toml"
    if not pyproject.is_file():
        pytest.skip("an installed wheel is tested: pyproject.toml stands in the checkout only")
    contracts = tomllib.loads(pyproject.read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    (rooms,) = [contract["layers"] for contract in contracts if contract["id"] == "rooms"]
    assert [re.split(r" [|:] ", layer) for layer in rooms] == _drawing()


def test_imports_point_downwards() -> None:
    """A room imports rooms below it; only at the bottom, those of one layer import each other."""
    layers = _drawing()
    level = {room: len(layers) - number for number, layer in enumerate(layers) for room in layer}
    upwards = [
        f"{name} imports {module}"
        for name, tree in _modules().items()
        if (room := _room(name)) in level and name.startswith("agentmsg.")
        for module in _imports(tree, typing=False)
        if module.startswith("agentmsg.") and (other := _room(module)) != room
        if level[other] > level[room] or (level[other] == level[room] > 1)
    ]
    assert upwards == []


def test_rooms_say_what_they_may_import() -> None:
    """The docstring of a room has its allowed imports; docstrings of modules leave that to the linter."""
    for path in CORE.glob("*/__init__.py"):
        doc = ast.get_docstring(_modules()[f"agentmsg.{path.parent.name}"]) or ""
        assert re.search(r"^May import ", doc, re.MULTILINE), path.parent.name
    told = [name for name, tree in _modules().items() if re.search(r"\bImports? [`\w]", ast.get_docstring(tree) or "")]
    assert told == []


def test_tables_of_rooms_list_their_modules() -> None:
    """A room whose docstring has a table of modules lists each of them, and no others."""
    for path in CORE.glob("*/__init__.py"):
        doc = ast.get_docstring(_modules()[f"agentmsg.{path.parent.name}"]) or ""
        if "| module | what |" not in doc:
            continue
        listed = re.findall(r"\w+", " ".join(re.findall(r"^\| (``.*?) \|", doc, re.MULTILINE)))
        assert sorted(listed) == sorted(each.stem for each in path.parent.glob("*.py") if each.stem not in DOORS)


def _circles(graph: Mapping[str, set[str]]) -> set[frozenset[str]]:
    """Return the sets of modules that lead back to themselves: those that reach a module and that it reaches."""

    def reached(start: str) -> set[str]:
        seen: set[str] = set()
        open_ends = [start]
        while open_ends:
            for module in graph[open_ends.pop()] - seen:
                seen.add(module)
                open_ends.append(module)
        return seen

    reach = {module: reached(module) for module in graph}
    members = [module for module in graph if module in reach[module]]
    return {frozenset(other for other in reach[module] if module in reach[other]) for module in members}


def test_circles_are_told() -> None:
    """Modules that need each other, even for type checkers only, are those that README explains."""
    graph: dict[str, set[str]] = {}
    for name, tree in _modules().items():
        if name.startswith("agentmsg."):
            graph[name] = {module for module in _imports(tree, typing=True) if module in _modules()} - {
                name,
                "agentmsg",
            }
    ours = {module: {other for other in graph[module] if other in graph} for module in graph}
    found = {frozenset(module.removeprefix("agentmsg.") for module in circle) for circle in _circles(ours)}
    assert found == _circles_told()


def test_codecs_import_from_the_face_only() -> None:
    """A codec imports from agentmsg, agentmsg.formats, bodies, events, forms and sending, and from nothing deeper."""
    names = ("agentmsg", *(f"agentmsg.formats{face}" for face in ("", ".bodies", ".events", ".forms", ".sending")))
    faces = {name: set(importlib.import_module(name).__all__) for name in names}
    deeper: list[str] = []
    for path in CODECS.rglob("*.py"):
        if path.name == "options.py" and path.parent == CODECS:
            continue  # no codec: it tells type checkers the arguments of the core's functions with the codecs' options
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Import):
                deeper += [f"{path.name}: {alias.name}" for alias in node.names if alias.name.startswith("agentmsg.")]
            elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "agentmsg":
                allowed = faces.get(str(node.module), set[str]())
                deeper += [f"{path.name}: {node.module}.{a.name}" for a in node.names if a.name not in allowed]
    assert deeper == []


def test_the_face_is_small_and_documented() -> None:
    """The face for authors has at most 60 names, forms 30, others 20; each docstring covers all, and all exist."""
    smaller = {"forms": 30, "bodies": 20, "events": 20, "sending": 20}
    faces = {importlib.import_module(f"agentmsg.formats.{name}"): most for name, most in smaller.items()}
    for face, most in {agentmsg.formats: 60, **faces}.items():
        names, doc = face.__all__, str(face.__doc__)
        assert len(names) <= most
        assert [name for name in names if not re.search(rf"(?<![\w.]){name}\b", doc)] == []
        assert [name for name in names if not hasattr(face, name)] == []


def test_modules_of_codecs_have_no_face_of_their_own() -> None:
    """A package has the public names of codecs and of some rooms: their modules have no ``__all__``."""
    named = [
        name
        for name, tree in _modules().items()
        if name.startswith(("agentmsg_codecs.", "agentmsg.cli.", "agentmsg.embed.", "agentmsg.files."))
        if name.count(".") > 1 and not any((each.parent / name.replace(".", "/")).is_dir() for each in (CODECS, CORE))
        if any(isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__" for node in tree.body)
    ]
    assert named == []


def test_only_faces_list_their_names() -> None:
    """A module of the core has ``__all__`` if it hands on names of other modules; else the underscore tells."""
    listing: list[str] = []
    for name, tree in _modules().items():
        if not name.startswith("agentmsg.") or _room(name) in _LISTED or name.removeprefix("agentmsg.") in _LISTED:
            continue
        lists = [
            node for node in tree.body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
        ]
        own = {getattr(node, "name", "") for node in tree.body}
        own |= {ast.unparse(each) for node in tree.body if isinstance(node, ast.Assign) for each in node.targets}
        own |= {ast.unparse(node.target) for node in tree.body if isinstance(node, ast.AnnAssign)}
        listing += [name for node in lists if set(ast.literal_eval(node.value)) <= own]
    assert listing == []
