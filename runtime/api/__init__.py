"""Tracing from Python: `import dtrace` gives what is here, and the machine, the session and the compiler.

In come a D program and a command; out comes a run: what it printed, firings, aggregations, errors, drops.

    results.py     a run as Python objects, made of the items of -x oformat=json: start here
    run.py         run(): one run in a machine of its own
    tohtml.py      aggregations and distributions as HTML, for notebooks and reports
    report.py      dtrace --report: a run as one page; report.html has its looks
"""
