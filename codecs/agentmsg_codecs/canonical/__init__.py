"""The canonical form, in its two spellings: what the codecs ``json`` and ``msgpack`` share.

    fields.py          the one table of classes, fields, kinds, tags and positions; fixed for version 1, append only
    kinds.py           the one table of kinds: how both paths read and write them, and their JSON Schema
    plain_path.py      reading by the tables, which also keeps odd spellings; writing, which writes these back
    shapes.py          an object's form in each spelling: a tagged JSON object, a positional array
    generated_code.py  the fast path: readers and writers generated from the table, as Python source
    user_hooks.py      users' and cattrs' hooks, and their errors
    schema.py          the JSON Schema of the JSON spelling, from the table
    engine.py          a cattrs Converter with all hooks, and the dispatch tables filled from it

The fast path handles common objects and passes all others to the plain path, so the plain path alone defines what a
document means. Codecs of other families never import from here.
"""
