"""dtest(1), which runs directories of D tests, and a plugin of pytest: D programs as tests, without root.

In come D tests in the layout of DTrace's own suites, or ones that say in a header what they expect.  Each
runs dtrace(1) as a process of its own, in the same environment everywhere.  Out come verdicts with
differences, as text, JUnit's XML, TAP and JSON.

    cases.py         which files are tests, and of what kind
    header.py        the header, in TOML, of a test that says what it runs and expects
    processes.py     a command with a time limit, ended with all that it has started
    programs.py      the programs that tests bring along, built
    runner.py        one test: its command line, the run, the verdict
    judging.py       what a run should have given and did not
    differences.py   two texts, compared for a reader
    parallel.py      many tests at once, on this host
    workers.py       the same on the workers of dask.distributed
    reports.py       verdicts for other programs: JUnit, TAP, JSON
    screen.py        verdicts for people: colours, a progress bar
    updating.py      --update: what tests printed becomes what is expected of them
    dtest.py         the command line of dtest
    fixture.py       what pytest's fixture `dtrace` does
    pytestplugin.py  the plugin, which pytest imports at each start, and which imports nothing of ours
"""
