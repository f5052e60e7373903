"""The model: messages, the blocks that they are made of, and histories. It knows no format.

May import ``values`` and what lies below it. ``History`` and ``Msg`` offer operations of rooms above; they look them
up when they are called (``pickling.above``).
"""
