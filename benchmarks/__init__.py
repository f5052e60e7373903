"""How fast and how large: our codecs beside their peers. ``python -m benchmarks`` prints it all.

data           the history that everybody reads and writes
conversations  what is converted from one format to another
conversions    who converts
ours, peers/   who takes part: one ``Competitor`` for each format that they speak
timing         the one interleaving timer; memory; whole processes
sections       what is measured
targets        which ratios are promised
report, plot   what is printed and drawn
profile        where our own time goes: ``python -m benchmarks.profile json.decode``
"""
