"""What `-C` is made of: the text of a program → the text with files included and macros replaced.

preprocessor.py, in the room above, is the way in: it reads files, obeys control lines and writes lines.
It asks the files here, of which none knows another but tokens.py:

tokens.py        text → logical lines → preprocessing tokens
conditions.py    the expression of an #if → whether it holds
replacement.py   macros as standard C replaces them in lines, token by token
traditional.py   macros as preprocessors before standard C replaced them, text by text (`-X s`)
predefined.py    the macros that are defined from the start

The two kinds of macros have the same face: preprocessor.Macros.
"""
