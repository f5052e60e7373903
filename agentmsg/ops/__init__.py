"""Operations on histories: pure functions, one module a subject. They stand above codecs and conversion.

    stats.py         what History.stats() gives
    totals.py        the same of many histories, in bounded memory
    differences.py   what differs between two histories, and the second made of the first and that
    alignment.py     which items of two sequences, and which words of two texts, belong together

The model reaches these modules by name, when it is asked.
"""
