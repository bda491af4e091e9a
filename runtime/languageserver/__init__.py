"""dc --lsp: D for editors, by the Language Server Protocol.

In come the texts of D programs and places in them.  Out come diagnostics, completions, what there is to say
of a word, and where names are defined.

    places.py      what stands at a place of a text: a probe description, an expression, a word
    knowledge.py   what is known of a program: the compiler's answers, and the manual's; start here
    server.py      the protocol, by pygls; the only file that imports it

Lines and columns count from 0, columns in characters.  Nothing of this is imported by any other room: dc
finds the server by its entry point (group `dc.servers`).
"""
