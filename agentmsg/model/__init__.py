"""The model: histories, messages and their blocks. It knows no format.

May import ``values`` and what lies below it. ``History`` and ``Msg`` offer operations from higher rooms, which they
look up at call time (``pickling.above``).
"""
