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

The model reaches these modules by name, when it is asked.
"""
