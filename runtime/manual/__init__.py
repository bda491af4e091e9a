"""The manual: its pages, and what is made of them.

In come the Markdown pages of the packages (`dif/manual`, `dof/manual`, `dc/manual` and this directory) and
the tables of the code.  Out come one site, man pages, the text of `dtrace --explain`, and the words that
shells complete.  A page never repeats a table: it says where one belongs, and the table is put there.

    pages.py       the pages, and the words that they explain
    tables.py      what the code's own tables say of a word, and whole tables of reference
    explain.py     dtrace --explain
    completion.py  dtrace --complete: the words that may come next on a command line
    examples.py    runs the examples of a page and compares what they print
    lexer.py       D for Pygments
    textmate.py    the same for editors: dtrace.tmLanguage.json
    site.py        make manual: everything to HTML and man pages, by Sphinx

None of it is loaded unless a command line asks for it.  How a page is written: a heading that consists of
words in backquotes (``### `strtok` ``) explains these words; a fenced block `{reference} opcodes` becomes a
table; a block `console` is run, and so is what it names: a block whose first line says ```` ```d hello.d ````
is the file hello.d.
"""
