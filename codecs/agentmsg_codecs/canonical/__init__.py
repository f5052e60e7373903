"""The canonical form, in its two spellings: what the codecs ``json`` and ``msgpack`` share.

    fields.py          the one table of classes, fields, kinds, tags and positions; fixed for version 1, append only
    reading.py         reading by the table: the plain path, which also keeps odd spellings
    writing.py         writing by the table, which also honours them; plain_path.py: what both share
    shapes.py          how an object stands in each spelling: as a tagged JSON object, as a positional array
    generated_code.py  the fast path: readers and writers generated from the table, as Python source
    statements.py      what those of JSON and MessagePack share; generated_msgpack.py: those of MessagePack
    user_hooks.py      hooks of users and of cattrs, and their errors
    schema.py          the JSON Schema of the JSON spelling, from the table
    engine.py          a cattrs Converter with all hooks, and the dispatch tables filled from it

The fast path handles what is usual and hands everything else to the plain path, so the plain path alone defines
what a document means. Codecs of other families never import from here.
"""
