"""Speed and size: our codecs beside their peers. ``python -m benchmarks`` prints everything.

data           the history that all read and write
conversations  the conversations to convert between formats
ours, peers/   the participants: one ``Competitor`` for each of their formats
timing         whole processes and memory, beside the timer of ``agentmsg.cli.timing``
section        the class of sections
formats, growth, conversions, losses, files, recorded, chunks, streams, fields, operations, sending
               the measurements
sections       all of these by name
targets        the promised ratios
report         the printed report; progress, meanwhile
plots, page    the drawings and tables that ``--page`` writes into README.md
profile        our own time by function: ``python -m benchmarks.profile json.decode``
instructions   our number of instructions, and the bounds that a test checks
"""
