"""Operations on histories: pure functions, one module a subject. They stand above codecs and conversion.

    choosing.py      what History.filter() and History.exclude() give, and filter_messages
    trimming.py      what History.trim() gives
    cutting.py       the part of one message that fits
    tokens.py        how many tokens a message is, estimated or counted by a tokenizer
    conditions.py    names, ids and roles that are asked for, one or several
    stats.py         what History.stats() gives
    totals.py        the same of many histories, in bounded memory
    differences.py   what differs between two histories, and the second made of the first and that
    alignment.py     which items of two sequences, and which words of two texts, belong together
    runs.py          neighbours of one role become one message
    ids.py           a later message in the place of the earlier one of its id; removals
    turns.py         a user's message and all that follows until the next one
    pairs.py         calls of tools with what answers them
    text.py          a history as one text, plain or XML
    pieces.py        what such a text shows of each block

The model reaches these modules by name, when it is asked.
"""
