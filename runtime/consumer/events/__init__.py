"""What a session reports, and what is needed to understand it.

In come the bytes of records with their descriptions.  Out come objects that decode themselves when asked,
and the names of addresses.

    records.py       a firing and its records: start here
    notices.py       faults and drops, and the lines a user of dtrace knows them by
    handler.py       a receiver of all that, made of functions
    recordbytes.py   bytes as integers, strings and dumps
    stacks.py        stacks and symbols of records, as addresses and as text
    symbols.py       the protocol that names addresses, and how names are written
    descriptions.py  what the device tells of its numbers: probes, enablings, aggregations, formats
    settings.py      options as those who show something read them, symbols, $target
    errors.py        why a session fails
"""
