"""LALR tables of dc/source/grammar.lark, by `python -m dc.source.maketables`: do not edit.

A state's actions give a terminal n > 0, shift and go to state n, or n < 0,
reduce by rule -n.  DEFAULT names the rule by which a state reduces whatever
follows, or -1.  GOTO gives a nonterminal's state.  Both are text, "NAME number
NAME number ...", because text loads at once.  A rule is its nonterminal,
its length, its builder method ("" passes the value on), and which of the last
values on the stack (-1 is the last) that method receives.
"""

from __future__ import annotations

START: dict[str, int] = {
    'd_program': 1, 'd_expression': 2, 'd_type': 3,
}
END: dict[str, int] = {
    'd_program': 4, 'd_expression': 32, 'd_type': 64,
}
RULES: tuple[tuple[str, int, str, tuple[int, ...]], ...] = (
    ('', 0, '', ()), ('d_program', 1, '', (-1,)), ('d_expression', 1, '', (-1,)), ('d_type', 1, '', (-1,)),
    ('program', 0, 'nothing', ()), ('program', 2, 'nothing', (-2, -1)), ('external', 1, '', (-1,)),
    ('external', 1, '', (-1,)), ('external', 1, '', (-1,)), ('external', 1, '', (-1,)),
    ('external', 1, '', (-1,)), ('clause', 1, 'clause_bare', (-1,)), ('clause', 4, 'clause', (-4, -2)),
    ('clause', 4, 'clause_predicate_only', (-4, -2, -1)),
    ('clause', 7, 'clause_predicate', (-7, -5, -4, -2)), ('probe_specifiers', 1, 'probe_specifiers', (-1,)),
    ('probe_specifier_list', 1, 'list_one', (-1,)), ('probe_specifier_list', 3, 'list_more', (-3, -1)),
    ('probe_specifier', 1, 'probe_by_name', (-1,)), ('probe_specifier', 1, 'probe_by_id', (-1,)),
    ('statement_list', 1, '', (-1,)), ('statement_list', 2, 'statements_last', (-2, -1)),
    ('statements', 0, 'list_empty', ()), ('statements', 2, 'list_statement', (-2, -1)),
    ('statement_or_block', 1, 'block_one', (-1,)), ('statement_or_block', 3, 'block', (-2,)),
    ('statement', 1, 'nothing', ()), ('statement', 2, 'statement', (-2,)),
    ('statement', 5, 'if_then', (-3, -1)), ('statement', 7, 'if_else', (-5, -3, -1)),
    ('arguments', 1, 'list_one', (-1,)), ('arguments', 3, 'list_more', (-3, -1)),
    ('primary', 1, 'identifier', (-1,)), ('primary', 1, 'aggregation', (-1,)),
    ('primary', 1, 'integer', (-1,)), ('primary', 1, 'string', (-1,)), ('primary', 1, 'identifier', (-1,)),
    ('primary', 1, 'identifier', (-1,)), ('primary', 3, '', (-2,)), ('postfix', 1, '', (-1,)),
    ('postfix', 4, 'index', (-4, -3, -2)), ('postfix', 3, 'call_empty', (-3, -2)),
    ('postfix', 4, 'call', (-4, -3, -2)), ('postfix', 3, 'member', (-3, -2, -1)),
    ('postfix', 3, 'member', (-3, -2, -1)), ('postfix', 2, 'post_step', (-2, -1)),
    ('postfix', 2, 'post_step', (-2, -1)), ('postfix', 6, 'offsetof', (-6, -4, -2)),
    ('postfix', 7, 'xlate', (-7, -5, -2)), ('member_name', 1, '', (-1,)), ('member_name', 1, '', (-1,)),
    ('member_name', 1, '', (-1,)), ('member_name', 1, '', (-1,)), ('member_name', 1, '', (-1,)),
    ('member_name', 1, '', (-1,)), ('member_name', 1, '', (-1,)), ('member_name', 1, '', (-1,)),
    ('member_name', 1, '', (-1,)), ('member_name', 1, '', (-1,)), ('unary', 1, '', (-1,)),
    ('unary', 2, 'pre_step', (-2, -1)), ('unary', 2, 'pre_step', (-2, -1)), ('unary', 2, 'unary', (-2, -1)),
    ('unary', 2, 'sizeof', (-2, -1)), ('unary', 4, 'sizeof', (-4, -2)), ('unary', 2, 'stringof', (-2, -1)),
    ('unary_operator', 1, '', (-1,)), ('unary_operator', 1, '', (-1,)), ('unary_operator', 1, '', (-1,)),
    ('unary_operator', 1, '', (-1,)), ('unary_operator', 1, '', (-1,)), ('unary_operator', 1, '', (-1,)),
    ('cast', 1, '', (-1,)), ('cast', 4, 'cast', (-4, -3, -1)), ('multiplicative', 1, '', (-1,)),
    ('multiplicative', 3, 'binary', (-3, -2, -1)), ('multiplicative', 3, 'binary', (-3, -2, -1)),
    ('multiplicative', 3, 'binary', (-3, -2, -1)), ('additive', 1, '', (-1,)),
    ('additive', 3, 'binary', (-3, -2, -1)), ('additive', 3, 'binary', (-3, -2, -1)),
    ('shift', 1, '', (-1,)), ('shift', 3, 'binary', (-3, -2, -1)), ('shift', 3, 'binary', (-3, -2, -1)),
    ('relational', 1, '', (-1,)), ('relational', 3, 'binary', (-3, -2, -1)),
    ('relational', 3, 'binary', (-3, -2, -1)), ('relational', 3, 'binary', (-3, -2, -1)),
    ('relational', 3, 'binary', (-3, -2, -1)), ('equality', 1, '', (-1,)),
    ('equality', 3, 'binary', (-3, -2, -1)), ('equality', 3, 'binary', (-3, -2, -1)),
    ('bit_and', 1, '', (-1,)), ('bit_and', 3, 'binary', (-3, -2, -1)), ('bit_xor', 1, '', (-1,)),
    ('bit_xor', 3, 'binary', (-3, -2, -1)), ('bit_or', 1, '', (-1,)), ('bit_or', 3, 'binary', (-3, -2, -1)),
    ('logical_and', 1, '', (-1,)), ('logical_and', 3, 'binary', (-3, -2, -1)), ('logical_xor', 1, '', (-1,)),
    ('logical_xor', 3, 'binary', (-3, -2, -1)), ('logical_or', 1, '', (-1,)),
    ('logical_or', 3, 'binary', (-3, -2, -1)), ('conditional', 1, '', (-1,)),
    ('conditional', 5, 'conditional', (-5, -4, -3, -1)), ('assignment', 1, '', (-1,)),
    ('assignment', 3, 'assign', (-3, -2, -1)), ('assignment_operator', 1, '', (-1,)),
    ('assignment_operator', 1, '', (-1,)), ('assignment_operator', 1, '', (-1,)),
    ('assignment_operator', 1, '', (-1,)), ('assignment_operator', 1, '', (-1,)),
    ('assignment_operator', 1, '', (-1,)), ('assignment_operator', 1, '', (-1,)),
    ('assignment_operator', 1, '', (-1,)), ('assignment_operator', 1, '', (-1,)),
    ('assignment_operator', 1, '', (-1,)), ('assignment_operator', 1, '', (-1,)),
    ('expression', 1, '', (-1,)), ('expression', 3, 'binary', (-3, -2, -1)),
    ('inline', 6, 'inline', (-6, -5, -4, -2)), ('translator', 10, 'translator', (-10, -9, -7, -6, -3)),
    ('translator_members', 0, 'list_empty', ()), ('translator_members', 2, 'list_append', (-2, -1)),
    ('translator_member', 4, 'translator_member', (-4, -2)), ('provider', 6, 'provider', (-6, -5, -3)),
    ('provider_probes', 0, 'list_empty', ()), ('provider_probes', 2, 'list_append', (-2, -1)),
    ('provider_probe', 4, 'probe', (-3, -2)), ('provider_probe', 6, 'probe', (-5, -4, -2)),
    ('declaration', 2, 'declaration_bare', (-2,)), ('declaration', 3, 'declaration', (-3, -2)),
    ('declarators', 1, 'list_one', (-1,)), ('declarators', 3, 'list_more', (-3, -1)),
    ('declaration_specifiers', 1, 'storage_first', (-1,)),
    ('declaration_specifiers', 1, 'type_first', (-1,)),
    ('declaration_specifiers', 1, 'qualifier_first', (-1,)),
    ('declaration_specifiers', 2, 'storage_more', (-2, -1)),
    ('declaration_specifiers', 2, 'type_more', (-2, -1)),
    ('declaration_specifiers', 2, 'qualifier_more', (-2, -1)), ('specifiers', 1, 'type_first', (-1,)),
    ('specifiers', 1, 'qualifier_first', (-1,)), ('specifiers', 2, 'type_more', (-2, -1)),
    ('specifiers', 2, 'qualifier_more', (-2, -1)), ('parameter_specifiers', 1, 'storage_first', (-1,)),
    ('parameter_specifiers', 1, 'type_first', (-1,)), ('parameter_specifiers', 1, 'qualifier_first', (-1,)),
    ('parameter_specifiers', 2, 'storage_more', (-2, -1)),
    ('parameter_specifiers', 2, 'type_more', (-2, -1)),
    ('parameter_specifiers', 2, 'qualifier_more', (-2, -1)), ('c_storage_class', 1, '', (-1,)),
    ('c_storage_class', 1, '', (-1,)), ('c_storage_class', 1, '', (-1,)), ('c_storage_class', 1, '', (-1,)),
    ('c_storage_class', 1, '', (-1,)), ('storage_class', 1, '', (-1,)), ('storage_class', 1, '', (-1,)),
    ('storage_class', 1, '', (-1,)), ('type_specifier', 1, '', (-1,)), ('type_specifier', 1, '', (-1,)),
    ('type_specifier', 1, '', (-1,)), ('type_specifier', 1, '', (-1,)), ('basic_type', 1, '', (-1,)),
    ('basic_type', 1, '', (-1,)), ('basic_type', 1, '', (-1,)), ('basic_type', 1, '', (-1,)),
    ('basic_type', 1, '', (-1,)), ('basic_type', 1, '', (-1,)), ('basic_type', 1, '', (-1,)),
    ('basic_type', 1, '', (-1,)), ('basic_type', 1, '', (-1,)), ('named_type', 1, 'named_type', (-1,)),
    ('named_type', 1, 'named_type', (-1,)), ('type_qualifier', 1, '', (-1,)),
    ('type_qualifier', 1, '', (-1,)), ('type_qualifier', 1, '', (-1,)), ('type_qualifier', 1, '', (-1,)),
    ('record', 2, 'record_mention', (-2, -1)), ('record', 4, 'record_anonymous', (-4, -2)),
    ('record', 3, 'record', (-3, -2)), ('record_open', 3, 'record_open', (-3, -2)),
    ('record_keyword', 1, '', (-1,)), ('record_keyword', 1, '', (-1,)), ('tag', 1, '', (-1,)),
    ('tag', 1, '', (-1,)), ('members', 1, 'list_one', (-1,)), ('members', 2, 'list_append', (-2, -1)),
    ('member_declaration', 2, 'members_anonymous', (-2,)), ('member_declaration', 3, 'members', (-3, -2)),
    ('member_declarators', 1, 'list_one', (-1,)), ('member_declarators', 3, 'list_more', (-3, -1)),
    ('member_declarator', 1, 'member_declarator', (-1,)),
    ('member_declarator', 2, 'member_unnamed', (-2, -1)),
    ('member_declarator', 3, 'member_bitfield', (-3, -1)), ('enum', 2, 'enum_mention', (-2, -1)),
    ('enum', 4, 'enum_anonymous', (-4, -2)), ('enum', 5, 'enum_anonymous', (-5, -3)),
    ('enum', 5, 'enum', (-5, -4, -2)), ('enum', 6, 'enum', (-6, -5, -3)),
    ('enumerators', 1, 'list_one', (-1,)), ('enumerators', 3, 'list_more', (-3, -1)),
    ('enumerator', 1, 'enumerator', (-1,)), ('enumerator', 3, 'enumerator', (-3, -1)),
    ('declarator', 1, '', (-1,)), ('declarator', 2, 'pointed', (-2, -1)),
    ('direct_declarator', 1, 'declared', (-1,)), ('direct_declarator', 3, '', (-2,)),
    ('direct_declarator', 2, 'layered', (-2, -1)), ('direct_declarator', 2, 'layered', (-2, -1)),
    ('pointer', 1, 'pointer', (-1,)), ('pointer', 2, 'pointer', (-2, -1)),
    ('pointer', 2, 'pointer_more', (-2, -1)), ('pointer', 3, 'pointer_more', (-3, -2, -1)),
    ('qualifiers', 1, 'list_one', (-1,)), ('qualifiers', 2, 'list_append', (-2, -1)),
    ('type_name', 1, 'type_name', (-1,)), ('type_name', 2, 'type_name', (-2, -1)),
    ('abstract_declarator', 1, 'abstract_pointer', (-1,)), ('abstract_declarator', 1, '', (-1,)),
    ('abstract_declarator', 2, 'pointed', (-2, -1)), ('direct_abstract_declarator', 3, '', (-2,)),
    ('direct_abstract_declarator', 1, 'abstract_layer', (-1,)),
    ('direct_abstract_declarator', 1, 'abstract_layer', (-1,)),
    ('direct_abstract_declarator', 2, 'layered', (-2, -1)),
    ('direct_abstract_declarator', 2, 'layered', (-2, -1)), ('array', 2, 'array', (-2,)),
    ('array', 3, 'array', (-3, -2)), ('array', 3, 'array_keys', (-3, -2)),
    ('function', 2, 'function', (-2,)), ('function', 3, 'function', (-3, -2)),
    ('parameter_list', 1, '', (-1,)), ('parameter_list', 1, 'list_one', (-1,)),
    ('parameter_list', 3, 'list_more', (-3, -1)), ('parameters', 1, 'list_one', (-1,)),
    ('parameters', 3, 'list_more', (-3, -1)), ('parameter', 1, 'parameter', (-1,)),
    ('parameter', 2, 'parameter', (-2, -1)), ('parameter', 2, 'parameter', (-2, -1)),
)
DEFAULT: tuple[int, ...] = (
    -1, 4, -1, -1, -1, -1, 33, 66, 71, -1, 32, -1, 34, 69, -1, -1, 68, 36, -1, 67, 35, -1, 37, 70, -1, -1,
    119, -1, -1, -1, 74, 106, -1, -1, -1, -1, -1, -1, -1, -1, 39, -1, -1, -1, -1, 164, 174, 169, -1, 168,
    166, 167, 175, 165, 170, 173, 182, 172, 183, 171, 177, 163, 176, 159, -1, 162, 160, 161, -1, -1, -1, 3,
    142, 141, 151, 154, -1, 19, -1, 18, 152, 157, 153, 158, -1, 155, 156, 9, 10, -1, 5, 6, 16, -1, -1, 8,
    135, 7, 137, 136, -1, 61, 60, -1, -1, -1, -1, 63, 65, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
    -1, -1, -1, -1, 46, -1, 45, -1, -1, -1, -1, -1, -1, -1, -1, 116, 108, 118, 117, 113, 111, 112, 114, 115,
    110, 109, -1, 62, 72, 184, -1, 185, -1, -1, -1, 186, -1, -1, -1, -1, -1, 217, 222, -1, 223, -1, 144, 143,
    -1, -1, -1, 206, -1, 131, 133, -1, -1, -1, 138, 140, 139, -1, 22, -1, -1, 38, -1, -1, -1, -1, -1, -1, -1,
    -1, -1, -1, 120, -1, -1, -1, -1, 77, 76, 75, 49, 51, 52, 53, 55, 54, 50, 58, 56, 57, 44, 43, -1, 30, 41,
    -1, -1, -1, -1, -1, -1, -1, 107, -1, 200, -1, -1, -1, 181, 180, 187, -1, 188, -1, 190, -1, 232, 226, 145,
    -1, 234, -1, -1, -1, 147, 146, 229, -1, -1, -1, 214, -1, 224, 225, -1, -1, -1, 127, -1, -1, -1, 132, 208,
    209, -1, 17, -1, -1, -1, -1, 73, 64, -1, -1, -1, 40, 42, -1, -1, 196, -1, 179, 193, -1, -1, 189, 227,
    228, -1, 238, 148, 237, -1, 150, 149, -1, 221, 230, 215, -1, -1, -1, -1, 207, 134, 12, -1, 26, -1, 23,
    -1, -1, -1, 105, 31, 203, 197, 201, -1, 198, 194, 191, 233, 235, -1, -1, -1, 128, -1, -1, 27, 22, 47, -1,
    199, 121, -1, 126, -1, -1, -1, 48, -1, 123, -1, 14, -1, 129, -1, 22, -1, 24, -1, -1, -1, -1, 124, -1, -1,
    130, 122, -1, 25, 29, -1, 125,
)
ACTIONS: tuple[str, ...] = (
    '', '',
    'AGG 6 AMPERSAND 7 BANG 8 DECREMENT 9 '
     'IDENT 10 INCREMENT 11 INT 12 MINUS 13 '
     'OFFSETOF 14 OPEN_PAREN 15 PLUS 16 SELF 17 '
     'SIZEOF 18 STAR 19 STRING 20 STRINGOF 21 '
     'THIS 22 TILDE 23 XLATE 24',
    'CHAR 45 CONST 46 DOUBLE 47 ENUM 48 '
     'FLOAT 49 INT_TYPE 50 LONG 51 RESTRICT 52 '
     'SHORT 53 SIGNED 54 STRING_TYPE 55 STRUCT 56 '
     'TNAME 57 UNION 58 UNSIGNED 59 USERLAND 60 '
     'VOID 61 VOLATILE 62',
    '',
    '$END -1 AUTO 74 CHAR 45 CONST 46 '
     'DOUBLE 47 ENUM 48 EXTERN 75 FLOAT 49 '
     'INLINE 76 INT 77 INT_TYPE 50 LONG 51 '
     'PROVIDER 78 PSPEC 79 REGISTER 80 RESTRICT 52 '
     'SELF 81 SHORT 53 SIGNED 54 STATIC 82 '
     'STRING_TYPE 55 STRUCT 56 THIS 83 TNAME 57 '
     'TRANSLATOR 84 TYPEDEF 85 UNION 58 UNSIGNED 59 '
     'USERLAND 60 VOID 61 VOLATILE 62',
    '', '', '',
    'AGG 6 AMPERSAND 7 BANG 8 DECREMENT 9 '
     'IDENT 10 INCREMENT 11 INT 12 MINUS 13 '
     'OFFSETOF 14 OPEN_PAREN 100 PLUS 16 SELF 17 '
     'SIZEOF 18 STAR 19 STRING 20 STRINGOF 21 '
     'THIS 22 TILDE 23 XLATE 24',
    '',
    'AGG 6 AMPERSAND 7 BANG 8 DECREMENT 9 '
     'IDENT 10 INCREMENT 11 INT 12 MINUS 13 '
     'OFFSETOF 14 OPEN_PAREN 100 PLUS 16 SELF 17 '
     'SIZEOF 18 STAR 19 STRING 20 STRINGOF 21 '
     'THIS 22 TILDE 23 XLATE 24',
    '', '', 'OPEN_PAREN 103',
    'AGG 6 AMPERSAND 7 BANG 8 CHAR 45 '
     'CONST 46 DECREMENT 9 DOUBLE 47 ENUM 48 '
     'FLOAT 49 IDENT 10 INCREMENT 11 INT 12 '
     'INT_TYPE 50 LONG 51 MINUS 13 OFFSETOF 14 '
     'OPEN_PAREN 15 PLUS 16 RESTRICT 52 SELF 17 '
     'SHORT 53 SIGNED 54 SIZEOF 18 STAR 19 '
     'STRING 20 STRINGOF 21 STRING_TYPE 55 STRUCT 56 '
     'THIS 22 TILDE 23 TNAME 57 UNION 58 '
     'UNSIGNED 59 USERLAND 60 VOID 61 VOLATILE 62 '
     'XLATE 24',
    '', '',
    'AGG 6 AMPERSAND 7 BANG 8 DECREMENT 9 '
     'IDENT 10 INCREMENT 11 INT 12 MINUS 13 '
     'OFFSETOF 14 OPEN_PAREN 106 PLUS 16 SELF 17 '
     'SIZEOF 18 STAR 19 STRING 20 STRINGOF 21 '
     'THIS 22 TILDE 23 XLATE 24',
    '', '',
    'AGG 6 AMPERSAND 7 BANG 8 DECREMENT 9 '
     'IDENT 10 INCREMENT 11 INT 12 MINUS 13 '
     'OFFSETOF 14 OPEN_PAREN 100 PLUS 16 SELF 17 '
     'SIZEOF 18 STAR 19 STRING 20 STRINGOF 21 '
     'THIS 22 TILDE 23 XLATE 24',
    '', '', 'LESS 109',
    '$END -81 AMPERSAND -81 AND_AND -81 BAR -81 '
     'CARET -81 COLON -81 COMMA -81 EPRED -81 '
     'EQUAL -81 GREATER -81 GREATER_EQUAL -81 LESS -81 '
     'LESS_EQUAL -81 MINUS 110 NOT_EQUAL -81 OR_OR -81 '
     'PLUS 111 QUESTION -81 RBRACE -81 RPAR -81 '
     'RSQB -81 SEMICOLON -81 SHIFT_LEFT -81 SHIFT_RIGHT -81 '
     'XOR_XOR -81',
    '',
    '$END -94 AMPERSAND 112 AND_AND -94 BAR -94 '
     'CARET -94 COLON -94 COMMA -94 EPRED -94 '
     'OR_OR -94 QUESTION -94 RBRACE -94 RPAR -94 '
     'RSQB -94 SEMICOLON -94 XOR_XOR -94',
    '$END -98 AND_AND -98 BAR 113 COLON -98 '
     'COMMA -98 EPRED -98 OR_OR -98 QUESTION -98 '
     'RBRACE -98 RPAR -98 RSQB -98 SEMICOLON -98 '
     'XOR_XOR -98',
    '$END -96 AND_AND -96 BAR -96 CARET 114 '
     'COLON -96 COMMA -96 EPRED -96 OR_OR -96 '
     'QUESTION -96 RBRACE -96 RPAR -96 RSQB -96 '
     'SEMICOLON -96 XOR_XOR -96',
    '', '', '',
    '$END -92 AMPERSAND -92 AND_AND -92 BAR -92 '
     'CARET -92 COLON -92 COMMA -92 EPRED -92 '
     'EQUAL 115 NOT_EQUAL 116 OR_OR -92 QUESTION -92 '
     'RBRACE -92 RPAR -92 RSQB -92 SEMICOLON -92 '
     'XOR_XOR -92',
    '$END -2 COMMA 117',
    '$END -100 AND_AND 118 COLON -100 COMMA -100 '
     'EPRED -100 OR_OR -100 QUESTION -100 RBRACE -100 '
     'RPAR -100 RSQB -100 SEMICOLON -100 XOR_XOR -100',
    '$END -104 COLON -104 COMMA -104 EPRED -104 '
     'OR_OR 119 QUESTION 120 RBRACE -104 RPAR -104 '
     'RSQB -104 SEMICOLON -104',
    '$END -102 COLON -102 COMMA -102 EPRED -102 '
     'OR_OR -102 QUESTION -102 RBRACE -102 RPAR -102 '
     'RSQB -102 SEMICOLON -102 XOR_XOR 121',
    '$END -78 AMPERSAND -78 AND_AND -78 BAR -78 '
     'CARET -78 COLON -78 COMMA -78 EPRED -78 '
     'EQUAL -78 GREATER -78 GREATER_EQUAL -78 LESS -78 '
     'LESS_EQUAL -78 MINUS -78 NOT_EQUAL -78 OR_OR -78 '
     'PERCENT 122 PLUS -78 QUESTION -78 RBRACE -78 '
     'RPAR -78 RSQB -78 SEMICOLON -78 SHIFT_LEFT -78 '
     'SHIFT_RIGHT -78 SLASH 123 STAR 124 XOR_XOR -78',
    '$END -59 AMPERSAND -59 AMPERSAND_ASSIGN -59 AND_AND -59 '
     'ARROW 125 ASSIGN -59 BAR -59 BAR_ASSIGN -59 '
     'CARET -59 CARET_ASSIGN -59 COLON -59 COMMA -59 '
     'DECREMENT 126 DOT 127 EPRED -59 EQUAL -59 '
     'GREATER -59 GREATER_EQUAL -59 INCREMENT 128 LESS -59 '
     'LESS_EQUAL -59 MINUS -59 MINUS_ASSIGN -59 NOT_EQUAL -59 '
     'OPEN_BRACKET 129 OPEN_PAREN 130 OR_OR -59 PERCENT -59 '
     'PERCENT_ASSIGN -59 PLUS -59 PLUS_ASSIGN -59 QUESTION -59 '
     'RBRACE -59 RPAR -59 RSQB -59 SEMICOLON -59 '
     'SHIFT_LEFT -59 SHIFT_LEFT_ASSIGN -59 SHIFT_RIGHT -59 SHIFT_RIGHT_ASSIGN -59 '
     'SLASH -59 SLASH_ASSIGN -59 STAR -59 STAR_ASSIGN -59 '
     'XOR_XOR -59',
    '',
    '$END -89 AMPERSAND -89 AND_AND -89 BAR -89 '
     'CARET -89 COLON -89 COMMA -89 EPRED -89 '
     'EQUAL -89 GREATER 131 GREATER_EQUAL 132 LESS 133 '
     'LESS_EQUAL 134 NOT_EQUAL -89 OR_OR -89 QUESTION -89 '
     'RBRACE -89 RPAR -89 RSQB -89 SEMICOLON -89 '
     'XOR_XOR -89',
    '$END -84 AMPERSAND -84 AND_AND -84 BAR -84 '
     'CARET -84 COLON -84 COMMA -84 EPRED -84 '
     'EQUAL -84 GREATER -84 GREATER_EQUAL -84 LESS -84 '
     'LESS_EQUAL -84 NOT_EQUAL -84 OR_OR -84 QUESTION -84 '
     'RBRACE -84 RPAR -84 RSQB -84 SEMICOLON -84 '
     'SHIFT_LEFT 135 SHIFT_RIGHT 136 XOR_XOR -84',
    '$END -72 AMPERSAND -72 AMPERSAND_ASSIGN 137 AND_AND -72 '
     'ASSIGN 138 BAR -72 BAR_ASSIGN 139 CARET -72 '
     'CARET_ASSIGN 140 COLON -72 COMMA -72 EPRED -72 '
     'EQUAL -72 GREATER -72 GREATER_EQUAL -72 LESS -72 '
     'LESS_EQUAL -72 MINUS -72 MINUS_ASSIGN 141 NOT_EQUAL -72 '
     'OR_OR -72 PERCENT -72 PERCENT_ASSIGN 142 PLUS -72 '
     'PLUS_ASSIGN 143 QUESTION -72 RBRACE -72 RPAR -72 '
     'RSQB -72 SEMICOLON -72 SHIFT_LEFT -72 SHIFT_LEFT_ASSIGN 144 '
     'SHIFT_RIGHT -72 SHIFT_RIGHT_ASSIGN 145 SLASH -72 SLASH_ASSIGN 146 '
     'STAR -72 STAR_ASSIGN 147 XOR_XOR -72',
    'AGG 6 AMPERSAND 7 BANG 8 DECREMENT 9 '
     'IDENT 10 INCREMENT 11 INT 12 MINUS 13 '
     'OFFSETOF 14 OPEN_PAREN 15 PLUS 16 SELF 17 '
     'SIZEOF 18 STAR 19 STRING 20 STRINGOF 21 '
     'THIS 22 TILDE 23 XLATE 24',
    '', '', '', 'IDENT 151 LBRACE 152 TNAME 153', '', '', '', '', '', '', '', '', '', '', '', '', '', '', '',
    '', '', '', '', 'IDENT 151 LBRACE 155 TNAME 153',
    'CHAR 45 CONST 46 DOUBLE 47 ENUM 48 '
     'FLOAT 49 INT_TYPE 50 LONG 51 RESTRICT 52 '
     'SHORT 53 SIGNED 54 STRING_TYPE 55 STRUCT 56 '
     'TNAME 57 UNION 58 UNSIGNED 59 USERLAND 60 '
     'VOID 61 VOLATILE 62',
    '$END -216 CHAR 45 COMMA -216 CONST 46 '
     'DOUBLE 47 ENUM 48 FLOAT 49 GREATER -216 '
     'IDENT -216 INT_TYPE 50 LESS -216 LONG 51 '
     'OPEN_BRACKET 160 OPEN_PAREN 161 RESTRICT 52 RPAR -216 '
     'SHORT 53 SIGNED 54 STAR 162 STRING_TYPE 55 '
     'STRUCT 56 TNAME 57 UNION 58 UNSIGNED 59 '
     'USERLAND 60 VOID 61 VOLATILE 62',
    '', '', '', '', '',
    'AUTO 74 CHAR 45 CONST 46 DOUBLE 47 '
     'ENUM 48 EXTERN 75 FLOAT 49 INT_TYPE 50 '
     'LONG 51 REGISTER 80 RESTRICT 52 SELF 81 '
     'SHORT 53 SIGNED 54 STATIC 82 STRING_TYPE 55 '
     'STRUCT 56 THIS 83 TNAME 57 TYPEDEF 85 '
     'UNION 58 UNSIGNED 59 USERLAND 60 VOID 61 '
     'VOLATILE 62',
    '', 'IDENT 171', '', '', '', '', '',
    'CHAR 45 CONST 46 DOUBLE 47 ENUM 48 '
     'FLOAT 49 INT_TYPE 50 LONG 51 RESTRICT 52 '
     'SHORT 53 SIGNED 54 STRING_TYPE 55 STRUCT 56 '
     'TNAME 57 UNION 58 UNSIGNED 59 USERLAND 60 '
     'VOID 61 VOLATILE 62',
    '', '', '', '',
    'AUTO 74 CHAR 45 CONST 46 DOUBLE 47 '
     'ENUM 48 EXTERN 75 FLOAT 49 IDENT 173 '
     'INT_TYPE 50 LONG 51 OPEN_PAREN 174 REGISTER 80 '
     'RESTRICT 52 SELF 81 SEMICOLON 175 SHORT 53 '
     'SIGNED 54 STAR 162 STATIC 82 STRING_TYPE 55 '
     'STRUCT 56 THIS 83 TNAME 57 TYPEDEF 85 '
     'UNION 58 UNSIGNED 59 USERLAND 60 VOID 61 '
     'VOLATILE 62',
    '', '', '',
    '$END -15 AUTO -15 CHAR -15 COMMA 183 '
     'CONST -15 DOUBLE -15 ENUM -15 EXTERN -15 '
     'FLOAT -15 INLINE -15 INT -15 INT_TYPE -15 '
     'LBRACE -15 LONG -15 PROVIDER -15 PSPEC -15 '
     'REGISTER -15 RESTRICT -15 SELF -15 SHORT -15 '
     'SIGNED -15 SLASH -15 STATIC -15 STRING_TYPE -15 '
     'STRUCT -15 THIS -15 TNAME -15 TRANSLATOR -15 '
     'TYPEDEF -15 UNION -15 UNSIGNED -15 USERLAND -15 '
     'VOID -15 VOLATILE -15',
    '$END -11 AUTO -11 CHAR -11 CONST -11 '
     'DOUBLE -11 ENUM -11 EXTERN -11 FLOAT -11 '
     'INLINE -11 INT -11 INT_TYPE -11 LBRACE 184 '
     'LONG -11 PROVIDER -11 PSPEC -11 REGISTER -11 '
     'RESTRICT -11 SELF -11 SHORT -11 SIGNED -11 '
     'SLASH 185 STATIC -11 STRING_TYPE -11 STRUCT -11 '
     'THIS -11 TNAME -11 TRANSLATOR -11 TYPEDEF -11 '
     'UNION -11 UNSIGNED -11 USERLAND -11 VOID -11 '
     'VOLATILE -11',
    '', '', '', '', '',
    'AGG 6 AMPERSAND 7 BANG 8 DECREMENT 9 '
     'IDENT 10 INCREMENT 11 INT 12 MINUS 13 '
     'OFFSETOF 14 OPEN_PAREN 15 PLUS 16 SELF 17 '
     'SIZEOF 18 STAR 19 STRING 20 STRINGOF 21 '
     'THIS 22 TILDE 23 XLATE 24',
    '', '',
    'CHAR 45 CONST 46 DOUBLE 47 ENUM 48 '
     'FLOAT 49 INT_TYPE 50 LONG 51 RESTRICT 52 '
     'SHORT 53 SIGNED 54 STRING_TYPE 55 STRUCT 56 '
     'TNAME 57 UNION 58 UNSIGNED 59 USERLAND 60 '
     'VOID 61 VOLATILE 62',
    'COMMA 117 RPAR 187', 'RPAR 188',
    'AGG 6 AMPERSAND 7 BANG 8 CHAR 45 '
     'CONST 46 DECREMENT 9 DOUBLE 47 ENUM 48 '
     'FLOAT 49 IDENT 10 INCREMENT 11 INT 12 '
     'INT_TYPE 50 LONG 51 MINUS 13 OFFSETOF 14 '
     'OPEN_PAREN 15 PLUS 16 RESTRICT 52 SELF 17 '
     'SHORT 53 SIGNED 54 SIZEOF 18 STAR 19 '
     'STRING 20 STRINGOF 21 STRING_TYPE 55 STRUCT 56 '
     'THIS 22 TILDE 23 TNAME 57 UNION 58 '
     'UNSIGNED 59 USERLAND 60 VOID 61 VOLATILE 62 '
     'XLATE 24',
    '', '',
    'CHAR 45 CONST 46 DOUBLE 47 ENUM 48 '
     'FLOAT 49 INT_TYPE 50 LONG 51 RESTRICT 52 '
     'SHORT 53 SIGNED 54 STRING_TYPE 55 STRUCT 56 '
     'TNAME 57 UNION 58 UNSIGNED 59 USERLAND 60 '
     'VOID 61 VOLATILE 62',
    'AGG 6 AMPERSAND 7 BANG 8 DECREMENT 9 '
     'IDENT 10 INCREMENT 11 INT 12 MINUS 13 '
     'OFFSETOF 14 OPEN_PAREN 15 PLUS 16 SELF 17 '
     'SIZEOF 18 STAR 19 STRING 20 STRINGOF 21 '
     'THIS 22 TILDE 23 XLATE 24',
    'AGG 6 AMPERSAND 7 BANG 8 DECREMENT 9 '
     'IDENT 10 INCREMENT 11 INT 12 MINUS 13 '
     'OFFSETOF 14 OPEN_PAREN 15 PLUS 16 SELF 17 '
     'SIZEOF 18 STAR 19 STRING 20 STRINGOF 21 '
     'THIS 22 TILDE 23 XLATE 24',
    'AGG 6 AMPERSAND 7 BANG 8 DECREMENT 9 '
     'IDENT 10 INCREMENT 11 INT 12 MINUS 13 '
     'OFFSETOF 14 OPEN_PAREN 15 PLUS 16 SELF 17 '
     'SIZEOF 18 STAR 19 STRING 20 STRINGOF 21 '
     'THIS 22 TILDE 23 XLATE 24',
    'AGG 6 AMPERSAND 7 BANG 8 DECREMENT 9 '
     'IDENT 10 INCREMENT 11 INT 12 MINUS 13 '
     'OFFSETOF 14 OPEN_PAREN 15 PLUS 16 SELF 17 '
     'SIZEOF 18 STAR 19 STRING 20 STRINGOF 21 '
     'THIS 22 TILDE 23 XLATE 24',
    'AGG 6 AMPERSAND 7 BANG 8 DECREMENT 9 '
     'IDENT 10 INCREMENT 11 INT 12 MINUS 13 '
     'OFFSETOF 14 OPEN_PAREN 15 PLUS 16 SELF 17 '
     'SIZEOF 18 STAR 19 STRING 20 STRINGOF 21 '
     'THIS 22 TILDE 23 XLATE 24',
    'AGG 6 AMPERSAND 7 BANG 8 DECREMENT 9 '
     'IDENT 10 INCREMENT 11 INT 12 MINUS 13 '
     'OFFSETOF 14 OPEN_PAREN 15 PLUS 16 SELF 17 '
     'SIZEOF 18 STAR 19 STRING 20 STRINGOF 21 '
     'THIS 22 TILDE 23 XLATE 24',
    'AGG 6 AMPERSAND 7 BANG 8 DECREMENT 9 '
     'IDENT 10 INCREMENT 11 INT 12 MINUS 13 '
     'OFFSETOF 14 OPEN_PAREN 15 PLUS 16 SELF 17 '
     'SIZEOF 18 STAR 19 STRING 20 STRINGOF 21 '
     'THIS 22 TILDE 23 XLATE 24',
    'AGG 6 AMPERSAND 7 BANG 8 DECREMENT 9 '
     'IDENT 10 INCREMENT 11 INT 12 MINUS 13 '
     'OFFSETOF 14 OPEN_PAREN 15 PLUS 16 SELF 17 '
     'SIZEOF 18 STAR 19 STRING 20 STRINGOF 21 '
     'THIS 22 TILDE 23 XLATE 24',
    'AGG 6 AMPERSAND 7 BANG 8 DECREMENT 9 '
     'IDENT 10 INCREMENT 11 INT 12 MINUS 13 '
     'OFFSETOF 14 OPEN_PAREN 15 PLUS 16 SELF 17 '
     'SIZEOF 18 STAR 19 STRING 20 STRINGOF 21 '
     'THIS 22 TILDE 23 XLATE 24',
    'AGG 6 AMPERSAND 7 BANG 8 DECREMENT 9 '
     'IDENT 10 INCREMENT 11 INT 12 MINUS 13 '
     'OFFSETOF 14 OPEN_PAREN 15 PLUS 16 SELF 17 '
     'SIZEOF 18 STAR 19 STRING 20 STRINGOF 21 '
     'THIS 22 TILDE 23 XLATE 24',
    'AGG 6 AMPERSAND 7 BANG 8 DECREMENT 9 '
     'IDENT 10 INCREMENT 11 INT 12 MINUS 13 '
     'OFFSETOF 14 OPEN_PAREN 15 PLUS 16 SELF 17 '
     'SIZEOF 18 STAR 19 STRING 20 STRINGOF 21 '
     'THIS 22 TILDE 23 XLATE 24',
    'AGG 6 AMPERSAND 7 BANG 8 DECREMENT 9 '
     'IDENT 10 INCREMENT 11 INT 12 MINUS 13 '
     'OFFSETOF 14 OPEN_PAREN 15 PLUS 16 SELF 17 '
     'SIZEOF 18 STAR 19 STRING 20 STRINGOF 21 '
     'THIS 22 TILDE 23 XLATE 24',
    'AGG 6 AMPERSAND 7 BANG 8 DECREMENT 9 '
     'IDENT 10 INCREMENT 11 INT 12 MINUS 13 '
     'OFFSETOF 14 OPEN_PAREN 15 PLUS 16 SELF 17 '
     'SIZEOF 18 STAR 19 STRING 20 STRINGOF 21 '
     'THIS 22 TILDE 23 XLATE 24',
    'AGG 6 AMPERSAND 7 BANG 8 DECREMENT 9 '
     'IDENT 10 INCREMENT 11 INT 12 MINUS 13 '
     'OFFSETOF 14 OPEN_PAREN 15 PLUS 16 SELF 17 '
     'SIZEOF 18 STAR 19 STRING 20 STRINGOF 21 '
     'THIS 22 TILDE 23 XLATE 24',
    'AGG 6 AMPERSAND 7 BANG 8 DECREMENT 9 '
     'IDENT 10 INCREMENT 11 INT 12 MINUS 13 '
     'OFFSETOF 14 OPEN_PAREN 15 PLUS 16 SELF 17 '
     'SIZEOF 18 STAR 19 STRING 20 STRINGOF 21 '
     'THIS 22 TILDE 23 XLATE 24',
    'IDENT 206 PROBE 207 PROVIDER 208 SELF 209 '
     'STRINGOF 210 STRING_TYPE 211 TNAME 212 TRANSLATOR 213 '
     'USERLAND 214 XLATE 215',
    '',
    'IDENT 206 PROBE 207 PROVIDER 208 SELF 209 '
     'STRINGOF 210 STRING_TYPE 211 TNAME 212 TRANSLATOR 213 '
     'USERLAND 214 XLATE 215',
    '',
    'AGG 6 AMPERSAND 7 BANG 8 DECREMENT 9 '
     'IDENT 10 INCREMENT 11 INT 12 MINUS 13 '
     'OFFSETOF 14 OPEN_PAREN 15 PLUS 16 SELF 17 '
     'SIZEOF 18 STAR 19 STRING 20 STRINGOF 21 '
     'THIS 22 TILDE 23 XLATE 24',
    'AGG 6 AMPERSAND 7 BANG 8 DECREMENT 9 '
     'IDENT 10 INCREMENT 11 INT 12 MINUS 13 '
     'OFFSETOF 14 OPEN_PAREN 15 PLUS 16 RPAR 220 '
     'SELF 17 SIZEOF 18 STAR 19 STRING 20 '
     'STRINGOF 21 THIS 22 TILDE 23 XLATE 24',
    'AGG 6 AMPERSAND 7 BANG 8 DECREMENT 9 '
     'IDENT 10 INCREMENT 11 INT 12 MINUS 13 '
     'OFFSETOF 14 OPEN_PAREN 15 PLUS 16 SELF 17 '
     'SIZEOF 18 STAR 19 STRING 20 STRINGOF 21 '
     'THIS 22 TILDE 23 XLATE 24',
    'AGG 6 AMPERSAND 7 BANG 8 DECREMENT 9 '
     'IDENT 10 INCREMENT 11 INT 12 MINUS 13 '
     'OFFSETOF 14 OPEN_PAREN 15 PLUS 16 SELF 17 '
     'SIZEOF 18 STAR 19 STRING 20 STRINGOF 21 '
     'THIS 22 TILDE 23 XLATE 24',
    'AGG 6 AMPERSAND 7 BANG 8 DECREMENT 9 '
     'IDENT 10 INCREMENT 11 INT 12 MINUS 13 '
     'OFFSETOF 14 OPEN_PAREN 15 PLUS 16 SELF 17 '
     'SIZEOF 18 STAR 19 STRING 20 STRINGOF 21 '
     'THIS 22 TILDE 23 XLATE 24',
    'AGG 6 AMPERSAND 7 BANG 8 DECREMENT 9 '
     'IDENT 10 INCREMENT 11 INT 12 MINUS 13 '
     'OFFSETOF 14 OPEN_PAREN 15 PLUS 16 SELF 17 '
     'SIZEOF 18 STAR 19 STRING 20 STRINGOF 21 '
     'THIS 22 TILDE 23 XLATE 24',
    'AGG 6 AMPERSAND 7 BANG 8 DECREMENT 9 '
     'IDENT 10 INCREMENT 11 INT 12 MINUS 13 '
     'OFFSETOF 14 OPEN_PAREN 15 PLUS 16 SELF 17 '
     'SIZEOF 18 STAR 19 STRING 20 STRINGOF 21 '
     'THIS 22 TILDE 23 XLATE 24',
    'AGG 6 AMPERSAND 7 BANG 8 DECREMENT 9 '
     'IDENT 10 INCREMENT 11 INT 12 MINUS 13 '
     'OFFSETOF 14 OPEN_PAREN 15 PLUS 16 SELF 17 '
     'SIZEOF 18 STAR 19 STRING 20 STRINGOF 21 '
     'THIS 22 TILDE 23 XLATE 24',
    '', '', '', '', '', '', '', '', '', '', '',
    'AGG 6 AMPERSAND 7 BANG 8 DECREMENT 9 '
     'IDENT 10 INCREMENT 11 INT 12 MINUS 13 '
     'OFFSETOF 14 OPEN_PAREN 15 PLUS 16 SELF 17 '
     'SIZEOF 18 STAR 19 STRING 20 STRINGOF 21 '
     'THIS 22 TILDE 23 XLATE 24',
    '', '', '', 'IDENT 229', '',
    '$END -195 AUTO -195 CHAR -195 COLON -195 '
     'COMMA -195 CONST -195 DOUBLE -195 ENUM -195 '
     'EXTERN -195 FLOAT -195 GREATER -195 IDENT -195 '
     'INT_TYPE -195 LBRACE 232 LESS -195 LONG -195 '
     'OPEN_BRACKET -195 OPEN_PAREN -195 REGISTER -195 RESTRICT -195 '
     'RPAR -195 RSQB -195 SELF -195 SEMICOLON -195 '
     'SHORT -195 SIGNED -195 STAR -195 STATIC -195 '
     'STRING_TYPE -195 STRUCT -195 THIS -195 TNAME -195 '
     'TYPEDEF -195 UNION -195 UNSIGNED -195 USERLAND -195 '
     'VOID -195 VOLATILE -195',
    'CHAR 45 CONST 46 DOUBLE 47 ENUM 48 '
     'FLOAT 49 INT_TYPE 50 LONG 51 RESTRICT 52 '
     'SHORT 53 SIGNED 54 STRING_TYPE 55 STRUCT 56 '
     'TNAME 57 UNION 58 UNSIGNED 59 USERLAND 60 '
     'VOID 61 VOLATILE 62',
    '$END -178 AUTO -178 CHAR -178 COLON -178 '
     'COMMA -178 CONST -178 DOUBLE -178 ENUM -178 '
     'EXTERN -178 FLOAT -178 GREATER -178 IDENT -178 '
     'INT_TYPE -178 LBRACE 234 LESS -178 LONG -178 '
     'OPEN_BRACKET -178 OPEN_PAREN -178 REGISTER -178 RESTRICT -178 '
     'RPAR -178 RSQB -178 SELF -178 SEMICOLON -178 '
     'SHORT -178 SIGNED -178 STAR -178 STATIC -178 '
     'STRING_TYPE -178 STRUCT -178 THIS -178 TNAME -178 '
     'TYPEDEF -178 UNION -178 UNSIGNED -178 USERLAND -178 '
     'VOID -178 VOLATILE -178',
    '',
    'CHAR 45 CONST 46 DOUBLE 47 ENUM 48 '
     'FLOAT 49 INT_TYPE 50 LONG 51 RBRACE 235 '
     'RESTRICT 52 SHORT 53 SIGNED 54 STRING_TYPE 55 '
     'STRUCT 56 TNAME 57 UNION 58 UNSIGNED 59 '
     'USERLAND 60 VOID 61 VOLATILE 62',
    'CHAR 45 COLON 237 CONST 46 DOUBLE 47 '
     'ENUM 48 FLOAT 49 IDENT 173 INT_TYPE 50 '
     'LONG 51 OPEN_PAREN 174 RESTRICT 52 SEMICOLON 238 '
     'SHORT 53 SIGNED 54 STAR 162 STRING_TYPE 55 '
     'STRUCT 56 TNAME 57 UNION 58 UNSIGNED 59 '
     'USERLAND 60 VOID 61 VOLATILE 62',
    'AGG 6 AMPERSAND 7 AUTO 74 BANG 8 '
     'CHAR 45 CONST 46 DECREMENT 9 DOUBLE 47 '
     'ELLIPSIS 242 ENUM 48 EXTERN 75 FLOAT 49 '
     'IDENT 10 INCREMENT 11 INT 12 INT_TYPE 50 '
     'LONG 51 MINUS 13 OFFSETOF 14 OPEN_PAREN 15 '
     'PLUS 16 REGISTER 80 RESTRICT 52 RSQB 243 '
     'SELF 17 SHORT 53 SIGNED 54 SIZEOF 18 '
     'STAR 19 STATIC 82 STRING 20 STRINGOF 21 '
     'STRING_TYPE 55 STRUCT 56 THIS 22 TILDE 23 '
     'TNAME 57 TYPEDEF 85 UNION 58 UNSIGNED 59 '
     'USERLAND 60 VOID 61 VOLATILE 62 XLATE 24',
    'AUTO 74 CHAR 45 CONST 46 DOUBLE 47 '
     'ELLIPSIS 242 ENUM 48 EXTERN 75 FLOAT 49 '
     'INT_TYPE 50 LONG 51 OPEN_BRACKET 160 OPEN_PAREN 161 '
     'REGISTER 80 RESTRICT 52 RPAR 252 SHORT 53 '
     'SIGNED 54 STAR 162 STATIC 82 STRING_TYPE 55 '
     'STRUCT 56 TNAME 57 TYPEDEF 85 UNION 58 '
     'UNSIGNED 59 USERLAND 60 VOID 61 VOLATILE 62',
    '$END -210 COMMA -210 CONST 46 GREATER -210 '
     'IDENT -210 LESS -210 OPEN_BRACKET -210 OPEN_PAREN -210 '
     'RESTRICT 52 RPAR -210 RSQB -210 STAR -210 '
     'USERLAND 60 VOLATILE 62',
    '', '',
    '$END -219 COMMA -219 GREATER -219 IDENT -219 '
     'LESS -219 OPEN_BRACKET 160 OPEN_PAREN 257 RPAR -219 '
     'RSQB -219',
    '',
    '$END -218 COMMA -218 GREATER -218 IDENT -218 '
     'LESS -218 OPEN_BRACKET 160 OPEN_PAREN 161 RPAR -218 '
     'STAR 260',
    '', '',
    'AUTO 74 CHAR 45 CONST 46 DOUBLE 47 '
     'ENUM 48 EXTERN 75 FLOAT 49 IDENT 173 '
     'INT_TYPE 50 LONG 51 OPEN_PAREN 174 REGISTER 80 '
     'RESTRICT 52 SELF 81 SHORT 53 SIGNED 54 '
     'STAR 162 STATIC 82 STRING_TYPE 55 STRUCT 56 '
     'THIS 83 TNAME 57 TYPEDEF 85 UNION 58 '
     'UNSIGNED 59 USERLAND 60 VOID 61 VOLATILE 62',
    'LBRACE 263', 'LESS 264', '', 'IDENT 173 OPEN_PAREN 174 STAR 162', '', '', 'COMMA 266 SEMICOLON 267',
    'ASSIGN -204 COLON -204 COMMA -204 OPEN_BRACKET 160 OPEN_PAREN 257 RPAR -204 RSQB -204 SEMICOLON -204',
    'IDENT 173 OPEN_PAREN 174 STAR 260', '', '', '', 'INT 77 PSPEC 79', '',
    'AGG 6 AMPERSAND 7 BANG 8 DECREMENT 9 '
     'IDENT 10 INCREMENT 11 INT 12 MINUS 13 '
     'OFFSETOF 14 OPEN_PAREN 15 PLUS 16 SELF 17 '
     'SIZEOF 18 STAR 19 STRING 20 STRINGOF 21 '
     'THIS 22 TILDE 23 XLATE 24',
    'COMMA 275', '',
    'AGG 6 AMPERSAND 7 BANG 8 DECREMENT 9 '
     'IDENT 10 INCREMENT 11 INT 12 MINUS 13 '
     'OFFSETOF 14 OPEN_PAREN 15 PLUS 16 SELF 17 '
     'SIZEOF 18 STAR 19 STRING 20 STRINGOF 21 '
     'THIS 22 TILDE 23 XLATE 24',
    'RPAR 277', 'GREATER 278',
    '$END -80 AMPERSAND -80 AND_AND -80 BAR -80 '
     'CARET -80 COLON -80 COMMA -80 EPRED -80 '
     'EQUAL -80 GREATER -80 GREATER_EQUAL -80 LESS -80 '
     'LESS_EQUAL -80 MINUS -80 NOT_EQUAL -80 OR_OR -80 '
     'PERCENT 122 PLUS -80 QUESTION -80 RBRACE -80 '
     'RPAR -80 RSQB -80 SEMICOLON -80 SHIFT_LEFT -80 '
     'SHIFT_RIGHT -80 SLASH 123 STAR 124 XOR_XOR -80',
    '$END -79 AMPERSAND -79 AND_AND -79 BAR -79 '
     'CARET -79 COLON -79 COMMA -79 EPRED -79 '
     'EQUAL -79 GREATER -79 GREATER_EQUAL -79 LESS -79 '
     'LESS_EQUAL -79 MINUS -79 NOT_EQUAL -79 OR_OR -79 '
     'PERCENT 122 PLUS -79 QUESTION -79 RBRACE -79 '
     'RPAR -79 RSQB -79 SEMICOLON -79 SHIFT_LEFT -79 '
     'SHIFT_RIGHT -79 SLASH 123 STAR 124 XOR_XOR -79',
    '$END -93 AMPERSAND -93 AND_AND -93 BAR -93 '
     'CARET -93 COLON -93 COMMA -93 EPRED -93 '
     'EQUAL 115 NOT_EQUAL 116 OR_OR -93 QUESTION -93 '
     'RBRACE -93 RPAR -93 RSQB -93 SEMICOLON -93 '
     'XOR_XOR -93',
    '$END -97 AND_AND -97 BAR -97 CARET 114 '
     'COLON -97 COMMA -97 EPRED -97 OR_OR -97 '
     'QUESTION -97 RBRACE -97 RPAR -97 RSQB -97 '
     'SEMICOLON -97 XOR_XOR -97',
    '$END -95 AMPERSAND 112 AND_AND -95 BAR -95 '
     'CARET -95 COLON -95 COMMA -95 EPRED -95 '
     'OR_OR -95 QUESTION -95 RBRACE -95 RPAR -95 '
     'RSQB -95 SEMICOLON -95 XOR_XOR -95',
    '$END -90 AMPERSAND -90 AND_AND -90 BAR -90 '
     'CARET -90 COLON -90 COMMA -90 EPRED -90 '
     'EQUAL -90 GREATER 131 GREATER_EQUAL 132 LESS 133 '
     'LESS_EQUAL 134 NOT_EQUAL -90 OR_OR -90 QUESTION -90 '
     'RBRACE -90 RPAR -90 RSQB -90 SEMICOLON -90 '
     'XOR_XOR -90',
    '$END -91 AMPERSAND -91 AND_AND -91 BAR -91 '
     'CARET -91 COLON -91 COMMA -91 EPRED -91 '
     'EQUAL -91 GREATER 131 GREATER_EQUAL 132 LESS 133 '
     'LESS_EQUAL 134 NOT_EQUAL -91 OR_OR -91 QUESTION -91 '
     'RBRACE -91 RPAR -91 RSQB -91 SEMICOLON -91 '
     'XOR_XOR -91',
    '',
    '$END -99 AND_AND -99 BAR 113 COLON -99 '
     'COMMA -99 EPRED -99 OR_OR -99 QUESTION -99 '
     'RBRACE -99 RPAR -99 RSQB -99 SEMICOLON -99 '
     'XOR_XOR -99',
    '$END -103 COLON -103 COMMA -103 EPRED -103 '
     'OR_OR -103 QUESTION -103 RBRACE -103 RPAR -103 '
     'RSQB -103 SEMICOLON -103 XOR_XOR 121',
    'COLON 279 COMMA 117',
    '$END -101 AND_AND 118 COLON -101 COMMA -101 '
     'EPRED -101 OR_OR -101 QUESTION -101 RBRACE -101 '
     'RPAR -101 RSQB -101 SEMICOLON -101 XOR_XOR -101',
    '', '', '', '', '', '', '', '', '', '', '', '', '', '', '', 'COMMA 280 RSQB 281', '', '',
    'COMMA 280 RPAR 282',
    '$END -86 AMPERSAND -86 AND_AND -86 BAR -86 '
     'CARET -86 COLON -86 COMMA -86 EPRED -86 '
     'EQUAL -86 GREATER -86 GREATER_EQUAL -86 LESS -86 '
     'LESS_EQUAL -86 NOT_EQUAL -86 OR_OR -86 QUESTION -86 '
     'RBRACE -86 RPAR -86 RSQB -86 SEMICOLON -86 '
     'SHIFT_LEFT 135 SHIFT_RIGHT 136 XOR_XOR -86',
    '$END -88 AMPERSAND -88 AND_AND -88 BAR -88 '
     'CARET -88 COLON -88 COMMA -88 EPRED -88 '
     'EQUAL -88 GREATER -88 GREATER_EQUAL -88 LESS -88 '
     'LESS_EQUAL -88 NOT_EQUAL -88 OR_OR -88 QUESTION -88 '
     'RBRACE -88 RPAR -88 RSQB -88 SEMICOLON -88 '
     'SHIFT_LEFT 135 SHIFT_RIGHT 136 XOR_XOR -88',
    '$END -85 AMPERSAND -85 AND_AND -85 BAR -85 '
     'CARET -85 COLON -85 COMMA -85 EPRED -85 '
     'EQUAL -85 GREATER -85 GREATER_EQUAL -85 LESS -85 '
     'LESS_EQUAL -85 NOT_EQUAL -85 OR_OR -85 QUESTION -85 '
     'RBRACE -85 RPAR -85 RSQB -85 SEMICOLON -85 '
     'SHIFT_LEFT 135 SHIFT_RIGHT 136 XOR_XOR -85',
    '$END -87 AMPERSAND -87 AND_AND -87 BAR -87 '
     'CARET -87 COLON -87 COMMA -87 EPRED -87 '
     'EQUAL -87 GREATER -87 GREATER_EQUAL -87 LESS -87 '
     'LESS_EQUAL -87 NOT_EQUAL -87 OR_OR -87 QUESTION -87 '
     'RBRACE -87 RPAR -87 RSQB -87 SEMICOLON -87 '
     'SHIFT_LEFT 135 SHIFT_RIGHT 136 XOR_XOR -87',
    '$END -82 AMPERSAND -82 AND_AND -82 BAR -82 '
     'CARET -82 COLON -82 COMMA -82 EPRED -82 '
     'EQUAL -82 GREATER -82 GREATER_EQUAL -82 LESS -82 '
     'LESS_EQUAL -82 MINUS 110 NOT_EQUAL -82 OR_OR -82 '
     'PLUS 111 QUESTION -82 RBRACE -82 RPAR -82 '
     'RSQB -82 SEMICOLON -82 SHIFT_LEFT -82 SHIFT_RIGHT -82 '
     'XOR_XOR -82',
    '$END -83 AMPERSAND -83 AND_AND -83 BAR -83 '
     'CARET -83 COLON -83 COMMA -83 EPRED -83 '
     'EQUAL -83 GREATER -83 GREATER_EQUAL -83 LESS -83 '
     'LESS_EQUAL -83 MINUS 110 NOT_EQUAL -83 OR_OR -83 '
     'PLUS 111 QUESTION -83 RBRACE -83 RPAR -83 '
     'RSQB -83 SEMICOLON -83 SHIFT_LEFT -83 SHIFT_RIGHT -83 '
     'XOR_XOR -83',
    '', 'ASSIGN 283 COMMA -202 RBRACE -202', '', 'COMMA 284 RBRACE 285', 'IDENT 229',
    'CHAR 45 CONST 46 DOUBLE 47 ENUM 48 '
     'FLOAT 49 INT_TYPE 50 LONG 51 RBRACE 287 '
     'RESTRICT 52 SHORT 53 SIGNED 54 STRING_TYPE 55 '
     'STRUCT 56 TNAME 57 UNION 58 UNSIGNED 59 '
     'USERLAND 60 VOID 61 VOLATILE 62',
    '', '', '',
    'AGG 6 AMPERSAND 7 BANG 8 DECREMENT 9 '
     'IDENT 10 INCREMENT 11 INT 12 MINUS 13 '
     'OFFSETOF 14 OPEN_PAREN 15 PLUS 16 SELF 17 '
     'SIZEOF 18 STAR 19 STRING 20 STRINGOF 21 '
     'THIS 22 TILDE 23 XLATE 24',
    '', 'COLON 289 COMMA -192 SEMICOLON -192', '', 'COMMA 290 SEMICOLON 291', '', '', '', 'RSQB 292', '',
    'RSQB 293',
    'AUTO 74 CHAR 45 COMMA -236 CONST 46 '
     'DOUBLE 47 ENUM 48 EXTERN 75 FLOAT 49 '
     'IDENT 173 INT_TYPE 50 LONG 51 OPEN_BRACKET 160 '
     'OPEN_PAREN 294 REGISTER 80 RESTRICT 52 RPAR -236 '
     'RSQB -236 SHORT 53 SIGNED 54 STAR 162 '
     'STATIC 82 STRING_TYPE 55 STRUCT 56 TNAME 57 '
     'TYPEDEF 85 UNION 58 UNSIGNED 59 USERLAND 60 '
     'VOID 61 VOLATILE 62',
    'COMMA 301 RPAR -231 RSQB -231', '', '', '', 'RPAR 302', 'RPAR 303',
    '$END -211 COMMA -211 CONST 46 GREATER -211 '
     'IDENT -211 LESS -211 OPEN_BRACKET -211 OPEN_PAREN -211 '
     'RESTRICT 52 RPAR -211 RSQB -211 STAR -211 '
     'USERLAND 60 VOLATILE 62',
    '',
    'AUTO 74 CHAR 45 CONST 46 DOUBLE 47 '
     'ELLIPSIS 242 ENUM 48 EXTERN 75 FLOAT 49 '
     'INT_TYPE 50 LONG 51 REGISTER 80 RESTRICT 52 '
     'RPAR 252 SHORT 53 SIGNED 54 STATIC 82 '
     'STRING_TYPE 55 STRUCT 56 TNAME 57 TYPEDEF 85 '
     'UNION 58 UNSIGNED 59 USERLAND 60 VOID 61 '
     'VOLATILE 62',
    '', '',
    '$END -212 COMMA -212 CONST 46 GREATER -212 '
     'IDENT -212 LESS -212 OPEN_BRACKET -212 OPEN_PAREN -212 '
     'RESTRICT 52 RPAR -212 RSQB -212 STAR -212 '
     'USERLAND 60 VOLATILE 62',
    '$END -220 COMMA -220 GREATER -220 IDENT -220 '
     'LESS -220 OPEN_BRACKET 160 OPEN_PAREN 257 RPAR -220 '
     'RSQB -220',
    'ASSIGN 306', '',
    'CHAR 45 CONST 46 DOUBLE 47 ENUM 48 '
     'FLOAT 49 INT_TYPE 50 LONG 51 RESTRICT 52 '
     'SHORT 53 SIGNED 54 STRING_TYPE 55 STRUCT 56 '
     'TNAME 57 UNION 58 UNSIGNED 59 USERLAND 60 '
     'VOID 61 VOLATILE 62',
    'RPAR 309', 'IDENT 173 OPEN_PAREN 174 STAR 162', '', '', '',
    'ASSIGN -205 COLON -205 COMMA -205 OPEN_BRACKET 160 OPEN_PAREN 257 RPAR -205 RSQB -205 SEMICOLON -205',
    '', 'RBRACE 311',
    'AGG 6 AMPERSAND 7 BANG 8 DECREMENT 9 '
     'IDENT 10 IF 312 INCREMENT 11 INT 12 '
     'MINUS 13 OFFSETOF 14 OPEN_PAREN 15 PLUS 16 '
     'RBRACE -20 SELF 17 SEMICOLON 313 SIZEOF 18 '
     'STAR 19 STRING 20 STRINGOF 21 THIS 22 '
     'TILDE 23 XLATE 24',
    'COMMA 117 EPRED 316',
    'IDENT 206 PROBE 207 PROVIDER 208 SELF 209 '
     'STRINGOF 210 STRING_TYPE 211 TNAME 212 TRANSLATOR 213 '
     'USERLAND 214 XLATE 215',
    '', '', 'OPEN_PAREN 318',
    'AGG 6 AMPERSAND 7 BANG 8 DECREMENT 9 '
     'IDENT 10 INCREMENT 11 INT 12 MINUS 13 '
     'OFFSETOF 14 OPEN_PAREN 15 PLUS 16 SELF 17 '
     'SIZEOF 18 STAR 19 STRING 20 STRINGOF 21 '
     'THIS 22 TILDE 23 XLATE 24',
    'AGG 6 AMPERSAND 7 BANG 8 DECREMENT 9 '
     'IDENT 10 INCREMENT 11 INT 12 MINUS 13 '
     'OFFSETOF 14 OPEN_PAREN 15 PLUS 16 SELF 17 '
     'SIZEOF 18 STAR 19 STRING 20 STRINGOF 21 '
     'THIS 22 TILDE 23 XLATE 24',
    '', '',
    'AGG 6 AMPERSAND 7 BANG 8 DECREMENT 9 '
     'IDENT 10 INCREMENT 11 INT 12 MINUS 13 '
     'OFFSETOF 14 OPEN_PAREN 15 PLUS 16 SELF 17 '
     'SIZEOF 18 STAR 19 STRING 20 STRINGOF 21 '
     'THIS 22 TILDE 23 XLATE 24',
    'IDENT 229 RBRACE 322', '', 'COMMA 324 RBRACE 325', '', '',
    'AGG 6 AMPERSAND 7 BANG 8 DECREMENT 9 '
     'IDENT 10 INCREMENT 11 INT 12 MINUS 13 '
     'OFFSETOF 14 OPEN_PAREN 15 PLUS 16 SELF 17 '
     'SIZEOF 18 STAR 19 STRING 20 STRINGOF 21 '
     'THIS 22 TILDE 23 XLATE 24',
    'COLON 237 IDENT 173 OPEN_PAREN 174 STAR 162', '', '', '',
    'AUTO 74 CHAR 45 CONST 46 DOUBLE 47 '
     'ELLIPSIS 242 ENUM 48 EXTERN 75 FLOAT 49 '
     'IDENT 173 INT_TYPE 50 LONG 51 OPEN_BRACKET 160 '
     'OPEN_PAREN 294 REGISTER 80 RESTRICT 52 RPAR 252 '
     'SHORT 53 SIGNED 54 STAR 162 STATIC 82 '
     'STRING_TYPE 55 STRUCT 56 TNAME 57 TYPEDEF 85 '
     'UNION 58 UNSIGNED 59 USERLAND 60 VOID 61 '
     'VOLATILE 62',
    '', '', '', 'COMMA -218 IDENT 173 OPEN_BRACKET 160 OPEN_PAREN 294 RPAR -218 RSQB -218 STAR 260', '', '',
    'AUTO 74 CHAR 45 CONST 46 DOUBLE 47 '
     'ELLIPSIS 328 ENUM 48 EXTERN 75 FLOAT 49 '
     'INT_TYPE 50 LONG 51 REGISTER 80 RESTRICT 52 '
     'SHORT 53 SIGNED 54 STATIC 82 STRING_TYPE 55 '
     'STRUCT 56 TNAME 57 TYPEDEF 85 UNION 58 '
     'UNSIGNED 59 USERLAND 60 VOID 61 VOLATILE 62',
    '', '', '',
    '$END -213 COMMA -213 CONST 46 GREATER -213 '
     'IDENT -213 LESS -213 OPEN_BRACKET -213 OPEN_PAREN -213 '
     'RESTRICT 52 RPAR -213 RSQB -213 STAR -213 '
     'USERLAND 60 VOLATILE 62',
    'AGG 6 AMPERSAND 7 BANG 8 DECREMENT 9 '
     'IDENT 10 INCREMENT 11 INT 12 MINUS 13 '
     'OFFSETOF 14 OPEN_PAREN 15 PLUS 16 SELF 17 '
     'SIZEOF 18 STAR 19 STRING 20 STRINGOF 21 '
     'THIS 22 TILDE 23 XLATE 24',
    'PROBE 331 RBRACE 332', 'IDENT 334', '', '', '', 'OPEN_PAREN 335', '',
    'COMMA 117 RBRACE -21 SEMICOLON 336', '',
    '$END -13 AUTO -13 CHAR -13 CONST -13 '
     'DOUBLE -13 ENUM -13 EXTERN -13 FLOAT -13 '
     'INLINE -13 INT -13 INT_TYPE -13 LBRACE 337 '
     'LONG -13 PROVIDER -13 PSPEC -13 REGISTER -13 '
     'RESTRICT -13 SELF -13 SHORT -13 SIGNED -13 '
     'STATIC -13 STRING_TYPE -13 STRUCT -13 THIS -13 '
     'TNAME -13 TRANSLATOR -13 TYPEDEF -13 UNION -13 '
     'UNSIGNED -13 USERLAND -13 VOID -13 VOLATILE -13',
    'RPAR 338',
    'AGG 6 AMPERSAND 7 BANG 8 DECREMENT 9 '
     'IDENT 10 INCREMENT 11 INT 12 MINUS 13 '
     'OFFSETOF 14 OPEN_PAREN 15 PLUS 16 SELF 17 '
     'SIZEOF 18 STAR 19 STRING 20 STRINGOF 21 '
     'THIS 22 TILDE 23 XLATE 24',
    '', '', '', '', '', 'IDENT 229 RBRACE 340', '', '', '', '', '', 'SEMICOLON 341', 'IDENT 342',
    'SEMICOLON 343', '', 'GREATER 344',
    'AGG 6 AMPERSAND 7 BANG 8 DECREMENT 9 '
     'IDENT 10 INCREMENT 11 INT 12 MINUS 13 '
     'OFFSETOF 14 OPEN_PAREN 15 PLUS 16 SELF 17 '
     'SIZEOF 18 STAR 19 STRING 20 STRINGOF 21 '
     'THIS 22 TILDE 23 XLATE 24',
    '', '', '', 'COMMA 117 RPAR 347', '', '', 'OPEN_PAREN 257', '', 'LBRACE 349', 'COMMA 117 RPAR 350',
    'RBRACE 351', '', 'COLON 352 SEMICOLON 353', '',
    'AGG 6 AMPERSAND 7 BANG 8 DECREMENT 9 '
     'IDENT 10 IF 312 INCREMENT 11 INT 12 '
     'LBRACE 355 MINUS 13 OFFSETOF 14 OPEN_PAREN 15 '
     'PLUS 16 SELF 17 SEMICOLON 313 SIZEOF 18 '
     'STAR 19 STRING 20 STRINGOF 21 THIS 22 '
     'TILDE 23 XLATE 24',
    '', 'OPEN_PAREN 257', '',
    'IDENT 206 PROBE 207 PROVIDER 208 RBRACE 360 '
     'SELF 209 STRINGOF 210 STRING_TYPE 211 TNAME 212 '
     'TRANSLATOR 213 USERLAND 214 XLATE 215',
    '', 'COMMA 117 SEMICOLON 336', '',
    'AGG -28 AMPERSAND -28 BANG -28 DECREMENT -28 '
     'ELSE 364 IDENT -28 IF -28 INCREMENT -28 '
     'INT -28 MINUS -28 OFFSETOF -28 OPEN_PAREN -28 '
     'PLUS -28 RBRACE -28 SELF -28 SEMICOLON -28 '
     'SIZEOF -28 STAR -28 STRING -28 STRINGOF -28 '
     'THIS -28 TILDE -28 XLATE -28',
    'SEMICOLON 365', 'SEMICOLON 366', 'ASSIGN 367', '', 'RBRACE 368',
    'AGG 6 AMPERSAND 7 BANG 8 DECREMENT 9 '
     'IDENT 10 IF 312 INCREMENT 11 INT 12 '
     'LBRACE 355 MINUS 13 OFFSETOF 14 OPEN_PAREN 15 '
     'PLUS 16 SELF 17 SEMICOLON 313 SIZEOF 18 '
     'STAR 19 STRING 20 STRINGOF 21 THIS 22 '
     'TILDE 23 XLATE 24',
    '', '',
    'AGG 6 AMPERSAND 7 BANG 8 DECREMENT 9 '
     'IDENT 10 INCREMENT 11 INT 12 MINUS 13 '
     'OFFSETOF 14 OPEN_PAREN 15 PLUS 16 SELF 17 '
     'SIZEOF 18 STAR 19 STRING 20 STRINGOF 21 '
     'THIS 22 TILDE 23 XLATE 24',
    '', '', 'SEMICOLON 371', '',
)
GOTO: tuple[str, ...] = (
    '', 'd_program 4 program 5',
    'additive 25 assignment 26 bit_and 27 bit_or 28 '
     'bit_xor 29 cast 30 conditional 31 d_expression 32 '
     'equality 33 expression 34 logical_and 35 logical_or 36 '
     'logical_xor 37 multiplicative 38 postfix 39 primary 40 '
     'relational 41 shift 42 unary 43 unary_operator 44',
    'basic_type 63 d_type 64 enum 65 named_type 66 '
     'record 67 record_keyword 68 record_open 69 specifiers 70 '
     'type_name 71 type_qualifier 72 type_specifier 73',
    '',
    'basic_type 63 c_storage_class 86 clause 87 declaration 88 '
     'declaration_specifiers 89 enum 65 external 90 inline 91 '
     'named_type 66 probe_specifier 92 probe_specifier_list 93 probe_specifiers 94 '
     'provider 95 record 67 record_keyword 68 record_open 69 '
     'storage_class 96 translator 97 type_qualifier 98 type_specifier 99',
    '', '', '', 'postfix 39 primary 40 unary 101 unary_operator 44', '',
    'postfix 39 primary 40 unary 102 unary_operator 44', '', '', '',
    'additive 25 assignment 26 basic_type 63 bit_and 27 '
     'bit_or 28 bit_xor 29 cast 30 conditional 31 '
     'enum 65 equality 33 expression 104 logical_and 35 '
     'logical_or 36 logical_xor 37 multiplicative 38 named_type 66 '
     'postfix 39 primary 40 record 67 record_keyword 68 '
     'record_open 69 relational 41 shift 42 specifiers 70 '
     'type_name 105 type_qualifier 72 type_specifier 73 unary 43 '
     'unary_operator 44',
    '', '', 'postfix 39 primary 40 unary 107 unary_operator 44', '', '',
    'postfix 39 primary 40 unary 108 unary_operator 44', '', '', '', '', '', '', '', '', '', '', '', '', '',
    '', '', '', '', '', '', '', '', 'assignment_operator 148',
    'cast 149 postfix 39 primary 40 unary 150 unary_operator 44', '', '', '', 'tag 154', '', '', '', '', '',
    '', '', '', '', '', '', '', '', '', '', '', '', '', '', 'tag 156',
    'basic_type 63 enum 65 member_declaration 157 members 158 '
     'named_type 66 record 67 record_keyword 68 record_open 69 '
     'specifiers 159 type_qualifier 72 type_specifier 73',
    'abstract_declarator 163 array 164 basic_type 63 direct_abstract_declarator 165 '
     'enum 65 function 166 named_type 66 pointer 167 '
     'record 67 record_keyword 68 record_open 69 type_qualifier 168 '
     'type_specifier 169',
    '', '', '', '', '',
    'basic_type 63 c_storage_class 86 declaration_specifiers 170 enum 65 '
     'named_type 66 record 67 record_keyword 68 record_open 69 '
     'storage_class 96 type_qualifier 98 type_specifier 99',
    '', '', '', '', '', '', '',
    'basic_type 63 enum 65 named_type 66 record 67 '
     'record_keyword 68 record_open 69 specifiers 70 type_name 172 '
     'type_qualifier 72 type_specifier 73',
    '', '', '', '',
    'basic_type 63 c_storage_class 86 declarator 176 declarators 177 '
     'direct_declarator 178 enum 65 named_type 66 pointer 179 '
     'record 67 record_keyword 68 record_open 69 storage_class 180 '
     'type_qualifier 181 type_specifier 182',
    '', '', '', '', '', '', '', '', '', '',
    'additive 25 assignment 26 bit_and 27 bit_or 28 '
     'bit_xor 29 cast 30 conditional 31 equality 33 '
     'expression 104 logical_and 35 logical_or 36 logical_xor 37 '
     'multiplicative 38 postfix 39 primary 40 relational 41 '
     'shift 42 unary 43 unary_operator 44',
    '', '',
    'basic_type 63 enum 65 named_type 66 record 67 '
     'record_keyword 68 record_open 69 specifiers 70 type_name 186 '
     'type_qualifier 72 type_specifier 73',
    '', '',
    'additive 25 assignment 26 basic_type 63 bit_and 27 '
     'bit_or 28 bit_xor 29 cast 30 conditional 31 '
     'enum 65 equality 33 expression 104 logical_and 35 '
     'logical_or 36 logical_xor 37 multiplicative 38 named_type 66 '
     'postfix 39 primary 40 record 67 record_keyword 68 '
     'record_open 69 relational 41 shift 42 specifiers 70 '
     'type_name 189 type_qualifier 72 type_specifier 73 unary 43 '
     'unary_operator 44',
    '', '',
    'basic_type 63 enum 65 named_type 66 record 67 '
     'record_keyword 68 record_open 69 specifiers 70 type_name 190 '
     'type_qualifier 72 type_specifier 73',
    'cast 30 multiplicative 191 postfix 39 primary 40 unary 150 unary_operator 44',
    'cast 30 multiplicative 192 postfix 39 primary 40 unary 150 unary_operator 44',
    'additive 25 cast 30 equality 193 multiplicative 38 '
     'postfix 39 primary 40 relational 41 shift 42 '
     'unary 150 unary_operator 44',
    'additive 25 bit_and 27 bit_xor 194 cast 30 '
     'equality 33 multiplicative 38 postfix 39 primary 40 '
     'relational 41 shift 42 unary 150 unary_operator 44',
    'additive 25 bit_and 195 cast 30 equality 33 '
     'multiplicative 38 postfix 39 primary 40 relational 41 '
     'shift 42 unary 150 unary_operator 44',
    'additive 25 cast 30 multiplicative 38 postfix 39 '
     'primary 40 relational 196 shift 42 unary 150 '
     'unary_operator 44',
    'additive 25 cast 30 multiplicative 38 postfix 39 '
     'primary 40 relational 197 shift 42 unary 150 '
     'unary_operator 44',
    'additive 25 assignment 198 bit_and 27 bit_or 28 '
     'bit_xor 29 cast 30 conditional 31 equality 33 '
     'logical_and 35 logical_or 36 logical_xor 37 multiplicative 38 '
     'postfix 39 primary 40 relational 41 shift 42 '
     'unary 43 unary_operator 44',
    'additive 25 bit_and 27 bit_or 199 bit_xor 29 '
     'cast 30 equality 33 multiplicative 38 postfix 39 '
     'primary 40 relational 41 shift 42 unary 150 '
     'unary_operator 44',
    'additive 25 bit_and 27 bit_or 28 bit_xor 29 '
     'cast 30 equality 33 logical_and 35 logical_xor 200 '
     'multiplicative 38 postfix 39 primary 40 relational 41 '
     'shift 42 unary 150 unary_operator 44',
    'additive 25 assignment 26 bit_and 27 bit_or 28 '
     'bit_xor 29 cast 30 conditional 31 equality 33 '
     'expression 201 logical_and 35 logical_or 36 logical_xor 37 '
     'multiplicative 38 postfix 39 primary 40 relational 41 '
     'shift 42 unary 43 unary_operator 44',
    'additive 25 bit_and 27 bit_or 28 bit_xor 29 '
     'cast 30 equality 33 logical_and 202 multiplicative 38 '
     'postfix 39 primary 40 relational 41 shift 42 '
     'unary 150 unary_operator 44',
    'cast 203 postfix 39 primary 40 unary 150 unary_operator 44',
    'cast 204 postfix 39 primary 40 unary 150 unary_operator 44',
    'cast 205 postfix 39 primary 40 unary 150 unary_operator 44', 'member_name 216', '', 'member_name 217',
    '',
    'additive 25 arguments 218 assignment 219 bit_and 27 '
     'bit_or 28 bit_xor 29 cast 30 conditional 31 '
     'equality 33 logical_and 35 logical_or 36 logical_xor 37 '
     'multiplicative 38 postfix 39 primary 40 relational 41 '
     'shift 42 unary 43 unary_operator 44',
    'additive 25 arguments 221 assignment 219 bit_and 27 '
     'bit_or 28 bit_xor 29 cast 30 conditional 31 '
     'equality 33 logical_and 35 logical_or 36 logical_xor 37 '
     'multiplicative 38 postfix 39 primary 40 relational 41 '
     'shift 42 unary 43 unary_operator 44',
    'additive 25 cast 30 multiplicative 38 postfix 39 primary 40 shift 222 unary 150 unary_operator 44',
    'additive 25 cast 30 multiplicative 38 postfix 39 primary 40 shift 223 unary 150 unary_operator 44',
    'additive 25 cast 30 multiplicative 38 postfix 39 primary 40 shift 224 unary 150 unary_operator 44',
    'additive 25 cast 30 multiplicative 38 postfix 39 primary 40 shift 225 unary 150 unary_operator 44',
    'additive 226 cast 30 multiplicative 38 postfix 39 primary 40 unary 150 unary_operator 44',
    'additive 227 cast 30 multiplicative 38 postfix 39 primary 40 unary 150 unary_operator 44', '', '', '',
    '', '', '', '', '', '', '', '',
    'additive 25 assignment 228 bit_and 27 bit_or 28 '
     'bit_xor 29 cast 30 conditional 31 equality 33 '
     'logical_and 35 logical_or 36 logical_xor 37 multiplicative 38 '
     'postfix 39 primary 40 relational 41 shift 42 '
     'unary 43 unary_operator 44',
    '', '', '', 'enumerator 230 enumerators 231', '', '',
    'basic_type 63 enum 65 member_declaration 157 members 233 '
     'named_type 66 record 67 record_keyword 68 record_open 69 '
     'specifiers 159 type_qualifier 72 type_specifier 73',
    '', '',
    'basic_type 63 enum 65 member_declaration 236 named_type 66 '
     'record 67 record_keyword 68 record_open 69 specifiers 159 '
     'type_qualifier 72 type_specifier 73',
    'basic_type 63 declarator 239 direct_declarator 178 enum 65 '
     'member_declarator 240 member_declarators 241 named_type 66 pointer 179 '
     'record 67 record_keyword 68 record_open 69 type_qualifier 168 '
     'type_specifier 169',
    'additive 25 basic_type 63 bit_and 27 bit_or 28 '
     'bit_xor 29 c_storage_class 244 cast 30 conditional 245 '
     'enum 65 equality 33 logical_and 35 logical_or 36 '
     'logical_xor 37 multiplicative 38 named_type 66 parameter 246 '
     'parameter_list 247 parameter_specifiers 248 parameters 249 postfix 39 '
     'primary 40 record 67 record_keyword 68 record_open 69 '
     'relational 41 shift 42 type_qualifier 250 type_specifier 251 '
     'unary 150 unary_operator 44',
    'abstract_declarator 253 array 164 basic_type 63 c_storage_class 244 '
     'direct_abstract_declarator 165 enum 65 function 166 named_type 66 '
     'parameter 246 parameter_list 254 parameter_specifiers 248 parameters 249 '
     'pointer 167 record 67 record_keyword 68 record_open 69 '
     'type_qualifier 250 type_specifier 251',
    'qualifiers 255 type_qualifier 256', '', '', 'array 258 function 259', '',
    'array 164 direct_abstract_declarator 261 function 166', '', '',
    'basic_type 63 c_storage_class 86 declarator 262 direct_declarator 178 '
     'enum 65 named_type 66 pointer 179 record 67 '
     'record_keyword 68 record_open 69 storage_class 180 type_qualifier 181 '
     'type_specifier 182',
    '', '', '', 'declarator 265 direct_declarator 178 pointer 179', '', '', '', 'array 268 function 269',
    'direct_declarator 270', '', '', '', 'probe_specifier 271', 'statement_list 272 statements 273',
    'additive 25 assignment 26 bit_and 27 bit_or 28 '
     'bit_xor 29 cast 30 conditional 31 equality 33 '
     'expression 274 logical_and 35 logical_or 36 logical_xor 37 '
     'multiplicative 38 postfix 39 primary 40 relational 41 '
     'shift 42 unary 43 unary_operator 44',
    '', '', 'cast 276 postfix 39 primary 40 unary 150 unary_operator 44', '', '', '', '', '', '', '', '', '',
    '', '', '', '', '', '', '', '', '', '', '', '', '', '', '', '', '', '', '', '', '', '', '', '', '', '',
    '', '', '', '', '', '', '', '', 'enumerator 230 enumerators 286',
    'basic_type 63 enum 65 member_declaration 236 named_type 66 '
     'record 67 record_keyword 68 record_open 69 specifiers 159 '
     'type_qualifier 72 type_specifier 73',
    '', '', '',
    'additive 25 bit_and 27 bit_or 28 bit_xor 29 '
     'cast 30 conditional 288 equality 33 logical_and 35 '
     'logical_or 36 logical_xor 37 multiplicative 38 postfix 39 '
     'primary 40 relational 41 shift 42 unary 150 '
     'unary_operator 44',
    '', '', '', '', '', '', '', '', '', '',
    'abstract_declarator 295 array 164 basic_type 63 c_storage_class 296 '
     'declarator 297 direct_abstract_declarator 165 direct_declarator 178 enum 65 '
     'function 166 named_type 66 pointer 298 record 67 '
     'record_keyword 68 record_open 69 type_qualifier 299 type_specifier 300',
    '', '', '', '', '', '', 'type_qualifier 304', '',
    'basic_type 63 c_storage_class 244 enum 65 named_type 66 '
     'parameter 246 parameter_list 254 parameter_specifiers 248 parameters 249 '
     'record 67 record_keyword 68 record_open 69 type_qualifier 250 '
     'type_specifier 251',
    '', '', 'qualifiers 305 type_qualifier 256', 'array 258 function 259', '', 'provider_probes 307',
    'basic_type 63 enum 65 named_type 66 record 67 '
     'record_keyword 68 record_open 69 specifiers 70 type_name 308 '
     'type_qualifier 72 type_specifier 73',
    '', 'declarator 310 direct_declarator 178 pointer 179', '', '', '', 'array 268 function 269', '', '',
    'additive 25 assignment 26 bit_and 27 bit_or 28 '
     'bit_xor 29 cast 30 conditional 31 equality 33 '
     'expression 314 logical_and 35 logical_or 36 logical_xor 37 '
     'multiplicative 38 postfix 39 primary 40 relational 41 '
     'shift 42 statement 315 unary 43 unary_operator 44',
    '', 'member_name 317', '', '', '',
    'additive 25 bit_and 27 bit_or 28 bit_xor 29 '
     'cast 30 conditional 319 equality 33 logical_and 35 '
     'logical_or 36 logical_xor 37 multiplicative 38 postfix 39 '
     'primary 40 relational 41 shift 42 unary 150 '
     'unary_operator 44',
    'additive 25 assignment 320 bit_and 27 bit_or 28 '
     'bit_xor 29 cast 30 conditional 31 equality 33 '
     'logical_and 35 logical_or 36 logical_xor 37 multiplicative 38 '
     'postfix 39 primary 40 relational 41 shift 42 '
     'unary 43 unary_operator 44',
    '', '',
    'additive 25 assignment 321 bit_and 27 bit_or 28 '
     'bit_xor 29 cast 30 conditional 31 equality 33 '
     'logical_and 35 logical_or 36 logical_xor 37 multiplicative 38 '
     'postfix 39 primary 40 relational 41 shift 42 '
     'unary 43 unary_operator 44',
    'enumerator 323', '', '', '', '',
    'additive 25 bit_and 27 bit_or 28 bit_xor 29 '
     'cast 30 conditional 326 equality 33 logical_and 35 '
     'logical_or 36 logical_xor 37 multiplicative 38 postfix 39 '
     'primary 40 relational 41 shift 42 unary 150 '
     'unary_operator 44',
    'declarator 239 direct_declarator 178 member_declarator 327 pointer 179', '', '', '',
    'abstract_declarator 253 array 164 basic_type 63 c_storage_class 244 '
     'declarator 265 direct_abstract_declarator 165 direct_declarator 178 enum 65 '
     'function 166 named_type 66 parameter 246 parameter_list 254 '
     'parameter_specifiers 248 parameters 249 pointer 298 record 67 '
     'record_keyword 68 record_open 69 type_qualifier 250 type_specifier 251',
    '', '', '', 'array 164 direct_abstract_declarator 261 direct_declarator 270 function 166', '', '',
    'basic_type 63 c_storage_class 244 enum 65 named_type 66 '
     'parameter 329 parameter_specifiers 248 record 67 record_keyword 68 '
     'record_open 69 type_qualifier 250 type_specifier 251',
    '', '', '', 'type_qualifier 304',
    'additive 25 assignment 330 bit_and 27 bit_or 28 '
     'bit_xor 29 cast 30 conditional 31 equality 33 '
     'logical_and 35 logical_or 36 logical_xor 37 multiplicative 38 '
     'postfix 39 primary 40 relational 41 shift 42 '
     'unary 43 unary_operator 44',
    'provider_probe 333', '', '', '', '', '', '', '', '', '', '',
    'additive 25 assignment 26 bit_and 27 bit_or 28 '
     'bit_xor 29 cast 30 conditional 31 equality 33 '
     'expression 339 logical_and 35 logical_or 36 logical_xor 37 '
     'multiplicative 38 postfix 39 primary 40 relational 41 '
     'shift 42 unary 43 unary_operator 44',
    '', '', '', '', '', 'enumerator 323', '', '', '', '', '', '', '', '', '', '',
    'additive 25 assignment 26 bit_and 27 bit_or 28 '
     'bit_xor 29 cast 30 conditional 31 equality 33 '
     'expression 345 logical_and 35 logical_or 36 logical_xor 37 '
     'multiplicative 38 postfix 39 primary 40 relational 41 '
     'shift 42 unary 43 unary_operator 44',
    '', 'statement_list 346 statements 273', '', '', '', '', 'function 348', '', '', '', '', '', '',
    'translator_members 354',
    'additive 25 assignment 26 bit_and 27 bit_or 28 '
     'bit_xor 29 cast 30 conditional 31 equality 33 '
     'expression 356 logical_and 35 logical_or 36 logical_xor 37 '
     'multiplicative 38 postfix 39 primary 40 relational 41 '
     'shift 42 statement 357 statement_or_block 358 unary 43 '
     'unary_operator 44',
    '', 'function 359', '', 'member_name 361 translator_member 362', 'statement_list 363 statements 273', '',
    '', '', '', '', '', '', '',
    'additive 25 assignment 26 bit_and 27 bit_or 28 '
     'bit_xor 29 cast 30 conditional 31 equality 33 '
     'expression 356 logical_and 35 logical_or 36 logical_xor 37 '
     'multiplicative 38 postfix 39 primary 40 relational 41 '
     'shift 42 statement 357 statement_or_block 369 unary 43 '
     'unary_operator 44',
    '', '',
    'additive 25 assignment 370 bit_and 27 bit_or 28 '
     'bit_xor 29 cast 30 conditional 31 equality 33 '
     'logical_and 35 logical_or 36 logical_xor 37 multiplicative 38 '
     'postfix 39 primary 40 relational 41 shift 42 '
     'unary 43 unary_operator 44',
    '', '', '', '',
)
KEYWORDS: dict[str, str] = {
    'auto': 'AUTO', 'char': 'CHAR', 'const': 'CONST', 'double': 'DOUBLE', 'else': 'ELSE', 'enum': 'ENUM',
    'extern': 'EXTERN', 'float': 'FLOAT', 'if': 'IF', 'inline': 'INLINE', 'int': 'INT_TYPE', 'long': 'LONG',
    'offsetof': 'OFFSETOF', 'probe': 'PROBE', 'provider': 'PROVIDER', 'register': 'REGISTER',
    'restrict': 'RESTRICT', 'self': 'SELF', 'short': 'SHORT', 'signed': 'SIGNED', 'sizeof': 'SIZEOF',
    'static': 'STATIC', 'string': 'STRING_TYPE', 'stringof': 'STRINGOF', 'struct': 'STRUCT', 'this': 'THIS',
    'translator': 'TRANSLATOR', 'typedef': 'TYPEDEF', 'union': 'UNION', 'unsigned': 'UNSIGNED',
    'userland': 'USERLAND', 'void': 'VOID', 'volatile': 'VOLATILE', 'xlate': 'XLATE',
}
OPERATORS: dict[str, str] = {
    '!': 'BANG', '!=': 'NOT_EQUAL', '%': 'PERCENT', '%=': 'PERCENT_ASSIGN', '&': 'AMPERSAND',
    '&&': 'AND_AND', '&=': 'AMPERSAND_ASSIGN', '(': 'OPEN_PAREN', ')': 'RPAR', '*': 'STAR',
    '*=': 'STAR_ASSIGN', '+': 'PLUS', '++': 'INCREMENT', '+=': 'PLUS_ASSIGN', ',': 'COMMA', '-': 'MINUS',
    '--': 'DECREMENT', '-=': 'MINUS_ASSIGN', '->': 'ARROW', '.': 'DOT', '...': 'ELLIPSIS', '/': 'SLASH',
    '/=': 'SLASH_ASSIGN', ':': 'COLON', ';': 'SEMICOLON', '<': 'LESS', '<<': 'SHIFT_LEFT',
    '<<=': 'SHIFT_LEFT_ASSIGN', '<=': 'LESS_EQUAL', '=': 'ASSIGN', '==': 'EQUAL', '>': 'GREATER',
    '>=': 'GREATER_EQUAL', '>>': 'SHIFT_RIGHT', '>>=': 'SHIFT_RIGHT_ASSIGN', '?': 'QUESTION',
    '[': 'OPEN_BRACKET', ']': 'RSQB', '^': 'CARET', '^=': 'CARET_ASSIGN', '^^': 'XOR_XOR', '{': 'LBRACE',
    '|': 'BAR', '|=': 'BAR_ASSIGN', '||': 'OR_OR', '}': 'RBRACE', '~': 'TILDE',
}
