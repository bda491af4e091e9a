"""Everything that a session shows: text, JSON, pictures.

In come the events and the aggregations of a session.  Out go bytes to a stream (stream.py), lines to the
user, and files.

    reporter.py          what a reporter is, and what it may ask of the session; start here
    text.py              the classic output, a reporter
    jsonlines.py         one object a line (schema.json), a reporter
    strict.py            what -x strict counts, a reporter around another one
    repeats.py           errors that are alike are counted (-x errors), a reporter around another one
    bufferreport.py      -B, a reporter
    pictures.py          flame graphs, heat maps, a timeline, a report and a live view around a reporter
    redirection.py       what system() and freopen() do to the output
    stream.py            where output goes

    printf.py            formats of printf(), printa() and system(), applied to records
    aggregationtext.py   printa() without a format, and what is shown at the end
    printedtypes.py      print(): a value by its type
    probelist.py         -l and -v: probes, their stability and arguments
    flamegraph.py        stacks as SVG or as folded text
    heatmap.py           distributions over time
    timeline.py          threads on CPUs, and what fired when
"""
