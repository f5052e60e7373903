"""How fast and how large: our codecs beside their peers. ``python -m benchmarks`` prints it all.

data           the history that everybody reads and writes
conversations  what is converted from one format to another
ours, peers/   who takes part: one ``Competitor`` for each format that they speak
timing         whole processes and memory, beside the timer of ``agentmsg.cli.timing``
section        what a section is
formats, growth, conversions, losses, files, recorded, chunks, fields, operations, sending   what is measured
sections       all of that by name
targets        which ratios are promised
report         what is printed; progress, meanwhile
plots, page    what is drawn, and written into README.md by ``--page``
profile        where our own time goes: ``python -m benchmarks.profile json.decode``
instructions   how many instructions that takes, and what a test holds them to
"""
