"""Run one recipe of a guide in its environment: its blocks unchanged, then awkward histories.

``python -m real.workers.run_recipe NAME``
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import agentmsg as am
from support.examples import ROOT, examples, run_python

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

GUIDE = "agentmsg/guides/recipes.md"
CLUSTERS = "agentmsg/guides/clusters.md"
# Values that stores and serializers often change: characters, numbers, key order, lookalikes of their own values.
TEXT = "\0 \u2028 é 🙂"
AWKWARD: dict[str, Any] = {
    "text": TEXT,
    "numbers": [1e300, 1.0, -0.0, 2**63, 2**70, 1e-7],
    "z": None,
    "a": {"__type__": "datetime", "__value__": "2026-01-01T00:00:00"},
    "": [],
}


def histories() -> list[am.History]:
    """Return histories that a store easily changes."""
    files = {"weather.json": "openai", "lisbon.json": "langchain", "refund.json": "json"}
    found = [
        am.loads((ROOT / "tests/examples" / name).read_bytes(), am.get_codec(each)) for name, each in files.items()
    ]
    call = am.ToolUseBlock(id="c1", name="f", input=AWKWARD)
    own = am.History(
        (am.Msg.user(TEXT, name="ada"), am.Msg.assistant(tool_calls=[call], metadata=AWKWARD)),
        id="h1",
        metadata=AWKWARD,
    )
    return [*found, own, am.History()]


def rows() -> list[str]:
    """Return OpenAI requests as lines of JSON: each example's, and one with awkward values."""
    weather = json.loads((ROOT / "tests/examples/weather.json").read_bytes())
    own = {
        "messages": [{"role": "user", "content": "\0 \u2028 é 🙂", "name": None}],
        "metadata": AWKWARD["a"],
        "seed": 2**53,
    }
    return [json.dumps(weather), json.dumps(own), json.dumps(own, ensure_ascii=False)]


# Lines that aren't documents, each another way.
DIRTY = ['{"messages": [', "", "[7]", '{"messages": [], "n": NaN}', '"', "  ", '{"messages": 7}', "x,'y' | \t\\"]


def dirty() -> list[str]:
    """Make a file of good and bad lines; return its lines that aren't blank."""
    lines = [line for good in rows() for line in (good, *DIRTY)]
    Path("dirty.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return [line for line in lines if line.strip()]


def check_dirty(scope: dict[str, Any], found: list[dict[str, Any]]) -> None:
    """Each line is there: good ones come back as the same JSON value, the others say what is wrong."""
    assert [row["openai"] for row in found] == dirty()
    for row in found:
        if row["openai"] in DIRTY:
            assert row["error"]
            assert row["anthropic"] is row["losses"] is None
        else:
            assert json.loads(scope["to_openai"](row["anthropic"], row["losses"])) == json.loads(row["openai"])


def in_datasets(scope: dict[str, Any]) -> None:
    """Rows with different fields come back; fields that Arrow fills with null were in the rows."""
    call = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a": 2}'}}
    messages: list[list[dict[str, Any]]] = [
        [{"role": "user", "content": "Hi"}],
        [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": "5"},
        ],
    ]

    def there(row: Mapping[str, Any]) -> Any:
        return scope["to_anthropic"](json.dumps(dict(row)))

    def back(row: Mapping[str, str]) -> Any:
        return json.loads(scope["to_openai"](**row))

    made = scope["Dataset"].from_list([{"messages": each} for each in messages])
    again = made.map(there, remove_columns=["messages"]).map(back, remove_columns=["anthropic", "losses"])
    assert again.to_list() == made.to_list(), again.to_list()


def in_duckdb(scope: dict[str, Any]) -> None:
    """Each row comes back as the same JSON value."""
    for row in rows():
        query = "SELECT to_openai(c.anthropic, c.losses) FROM (SELECT to_anthropic(?) AS c)"
        ((again,),) = scope["db"].execute(query, [row]).fetchall()
        assert json.loads(again) == json.loads(row)
    text, pair = "VARCHAR", "STRUCT(anthropic VARCHAR, losses VARCHAR)"
    scope["db"].create_function("or_null", scope["to_anthropic"], [text], pair, exception_handling="return_null")
    assert scope["db"].execute("SELECT or_null('7') IS NULL").fetchall() == [(True,)]
    dirty()
    query = "SELECT openai, unnest(checked(openai)) FROM lines WHERE trim(openai) <> ''"
    names = ("openai", "anthropic", "losses", "error")
    found = scope["db"].execute(query.replace("lines", scope["lines"])).fetchall()
    check_dirty(scope, [dict(zip(names, row, strict=True)) for row in found])


def in_polars(scope: dict[str, Any]) -> None:
    """Each line of a file comes back as the same JSON value."""

    def back(pair: Mapping[str, str]) -> Any:
        return scope["to_openai"](**pair)

    pl = scope["pl"]
    pair = pl.col("openai").map_elements(scope["to_anthropic"], return_dtype=scope["pair"])
    found = pl.LazyFrame({"openai": rows()}).select(pair.map_elements(back, return_dtype=pl.String)).collect()
    assert [json.loads(row) for row in found["openai"]] == [json.loads(row) for row in rows()]
    dirty()
    checked = pl.col("openai").map_elements(scope["checked"], return_dtype=scope["told"]).struct.unnest()
    check_dirty(scope, scope["lines"].select("openai", checked).collect().to_dicts())


def in_parquet(scope: dict[str, Any]) -> None:
    """Each tool reads the documents that we write, byte for byte, and we read those that each tool writes."""
    histories = [am.loads(row.encode(), "openai") for row in rows()]
    documents = [am.dumps(history, "openai").decode() for history in histories]
    am.dump_lines(histories, "ours.parquet", "openai", append=False)
    table = scope["duckdb"].sql("SELECT document FROM 'ours.parquet'")
    frame = scope["pl"].read_parquet("ours.parquet")
    made = scope["Dataset"].from_parquet("ours.parquet")
    assert [text for (text,) in table.fetchall()] == frame["document"].to_list() == list(made["document"]) == documents
    table.write_parquet("duckdb.parquet")
    frame.write_parquet("polars.parquet")
    made.to_parquet("datasets.parquet")
    for name in ("ours", "duckdb", "polars", "datasets"):
        again = list(am.load_lines(f"{name}.parquet", "openai"))
        assert len(again) == len(histories), name
        assert all(map(am.same, again, histories)), name


def in_sqlalchemy(scope: dict[str, Any]) -> None:
    """Each history comes back the same; None is NULL; a new history replaces the old one."""
    chat, select = scope["Chat"], scope["select"]
    for number, history in enumerate(histories(), 2):
        with scope["Session"](scope["engine"]) as session:
            session.add(chat(id=number, history=history))
            session.commit()
            row = session.scalars(select(chat).where(chat.id == number)).one()
            assert am.same(row.history, history), history
            row.history = longer = history.extended("Thanks!")
            session.commit()
            assert am.same(session.scalars(select(chat.history).where(chat.id == number)).one(), longer)
    with scope["Session"](scope["engine"]) as session:
        session.add(chat(id=99, history=None))
        session.commit()
        assert session.scalars(select(chat.id).where(chat.history.is_(None))).all() == [99]
        assert session.scalars(select(chat.history).where(chat.id == 99)).one() is None
    in_sqlalchemy_packed(scope)


def in_sqlalchemy_packed(scope: dict[str, Any]) -> None:
    """The type also keeps histories as MessagePack, with the change that the guide describes."""

    def packed(_: Any, value: am.History, __: Any) -> bytes:
        return am.dumps(value, "msgpack")

    def unpacked(_: Any, value: bytes, __: Any) -> am.History:
        return am.loads(value, "msgpack")

    sql = import_module("sqlalchemy")
    changed = {
        "impl": sql.LargeBinary,
        "process_bind_param": packed,
        "process_result_value": unpacked,
        "cache_ok": True,
    }
    table = sql.Table(
        "packed", sql.MetaData(), sql.Column("history", type("Packed", (scope["TypeDecorator"],), changed))
    )
    with scope["engine"].begin() as connection:
        table.create(connection)
        for history in histories():
            connection.execute(table.delete())
            connection.execute(table.insert().values(history=history))
            assert am.same(connection.execute(sql.select(table)).scalar_one(), history), history


def in_redis(scope: dict[str, Any]) -> None:
    """Each message of each history comes back the same; with the head of the history, so does the whole."""
    for number, history in enumerate(histories()):
        for message in history:
            scope["append"](f"test:{number}", message)
        scope["server"].set(f"test:{number}:head", am.dumps(history[:0], "msgpack"))
        head = am.loads(scope["server"].get(f"test:{number}:head"), "msgpack")
        assert am.same(head + scope["read"](f"test:{number}"), history), history


def in_celery(scope: dict[str, Any]) -> None:
    """Each history and message goes to the worker, and comes back the same."""
    last = am.Msg.assistant("5.", metadata=AWKWARD)
    for history in histories():
        assert am.same(scope["reply"].delay(history, last).get(timeout=30), history.extended(last)), history
    within = import_module("kombu.serialization")
    kind, encoding, raw = within.dumps({"a": [last, 1]}, "json")
    assert am.same(within.loads(raw, kind, encoding)["a"][0], last)


def on_cluster(scope: dict[str, Any]) -> None:
    """Each line of a file is a row: good ones come back as the same JSON value, the others say what is wrong."""
    lines = dirty()
    table = scope["table"]("dirty.jsonl")
    take = next(getattr(table, name) for name in ("take_all", "compute", "collect") if hasattr(table, name))
    # A reader may drop blank lines, and give the others in another order.
    found = [row for row in take() if row["text"].strip()]
    assert sorted(row["text"] for row in found) == sorted(lines)
    for row in found:
        if row["text"] in DIRTY:
            assert row["error"]
            assert row["anthropic"] is row["losses"] is row["restored"] is None
        else:
            assert json.loads(row["restored"]) == json.loads(row["text"])


CHECKS: dict[str, Callable[[dict[str, Any]], None]] = {
    "parquet": in_parquet,
    "datasets": in_datasets,
    "duckdb": in_duckdb,
    "polars": in_polars,
    "sqlalchemy": in_sqlalchemy,
    "redis": in_redis,
    "celery": in_celery,
    **dict.fromkeys(("ray", "dask", "spark"), on_cluster),
}


def run(name: str) -> None:
    """Run the blocks of a recipe, after those that all recipes share, and its check."""
    module = ModuleType("a_recipe")
    sys.modules[module.__name__] = module
    guide = CLUSTERS if CHECKS[name] is on_cluster else GUIDE
    if guide == CLUSTERS:
        # Workers get the functions of a script, and import those of a module.
        module.__name__ = "__main__"
    blocks = [each for each in examples(guide) if each.language == "python" and (not each.needs or name in each.needs)]
    # The block that makes the tasks of Celery becomes a file, because a worker imports it too.
    claims = sum(run_python(each, vars(module)) for each in blocks if "@app.task" not in each.text)
    assert claims > 2, f"{name}: proves nothing"
    CHECKS[name](vars(module))


if __name__ == "__main__":
    run(sys.argv[1])
