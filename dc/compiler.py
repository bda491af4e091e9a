"""The D compiler: source text → Program.

The phases, in order:

1. The lexer and the parser read one external declaration after another.  Declarations, inlines,
   translators, providers and pragmas take effect at once (checking/externals.py); clauses are kept.
2. When the whole program is read, a clause with if and else becomes several clauses (checking/ifelse.py).
3. Each clause is compiled once for each of its probe descriptions, because args[] differ from probe
   to probe: the checker makes typed trees of its predicate and statements, and the generator makes
   DIF of these (generation/actions.py).

A `Compiler` keeps what its programs declare, so that several programs of one consumer share
variables, aggregations and types.  `compile` is the short way for a single program.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from dc import stability
from dc.checking.checker import Checker, ProbeContext
from dc.checking.externals import Declarer
from dc.checking.libraries import Libraries
from dc.checking.typed import AggregationValue, FunctionCall
from dc.diagnostics import NOWHERE, CompileError, Diagnostic, Span, error
from dc.generation.actions import ActionCompiler, Order
from dc.generation.generator import VOID, Generated, Wanted
from dc.names.builtins import STABLE, UNSTABLE, Role, weakest
from dc.names.catalog import Catalog, ProbeInfo
from dc.names.identifiers import Names, Variable
from dc.names.sessioncatalog import SessionCatalog
from dc.names.staticcatalog import StaticCatalog
from dc.names.values import Value
from dc.options import Options
from dc.source import tree as syntax
from dc.source.lexer import Lexer, Macros
from dc.source.parser import parse_program
from dc.source.specifiers import Specifier, describe
from dc.types.types import Type
from dif import isa
from dif.limits import RECURSION
from dif.records import Record, field
from dof.model import USTACK_HELPER, Action, ActionKind, Attributes, Ecb, ProbeDesc, Program

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from dc.checking.recovery import Errors
    from dc.types.declarationindex import Index

    T = TypeVar("T")

_EVOLVING = stability.STABILITIES.index("Evolving")
_FIELDS = ("probeprov", "probemod", "probefunc", "probename", "args")
_READ, _CHECKED, _EXPANDED = 1, 2, 4  # trees that -x tree asks for: of everything, then of each clause


class ClauseInfo(Record):
    """What the compiler knows of one ECB that DOF does not say.

    `attributes` is the stability of the statements, `context` that of the probe
    description; `probes` is how many probes the description matched.  `predicate` says where the predicate
    stands, `statements` where the statements do, by the number that their actions have as `uarg`.
    `sources` has what the DIF objects of the predicate and of each action were generated from.
    """

    description: ProbeDesc
    span: Span
    attributes: Attributes
    context: Attributes
    probes: int = 0
    predicate: Span | None = None
    statements: dict[int, Span] = field(default_factory=dict)
    sources: list[Generated | None] = field(default_factory=list)


class CompileResult(Record):
    """A compiled program.

    `aggregations` maps the id of an aggregation to its name; `types` maps the
    name of a type, which a record of print() carries, to the type.  `clauses` has
    one entry for each of `program.ecbs`.  `options` are the caller's, as the
    program's pragmas changed them.  `formats` maps the number of a printa() to its format where DOF has
    another: of %@d after a count() it has %@u, which is for the first of several aggregations alone.
    """

    program: Program
    options: Options
    aggregations: dict[int, str] = field(default_factory=dict)
    types: dict[str, Type] = field(default_factory=dict)
    clauses: list[ClauseInfo] = field(default_factory=list)
    warnings: list[Diagnostic] = field(default_factory=list)
    formats: dict[int, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<CompileResult {self.program!r}>"


class Compiler:
    """Compiles programs that share names.

    `catalog` is the traced system; without it the compiler knows only the stable providers.  `target`,
    illumos or freebsd, says by which numbering DIF is written.  `constants` says by which system our
    libraries number errno, signals and the like: linux (as programs of the emulated machine are),
    illumos or freebsd.  `variables` are the values of macro variables ($target, $pid, ...).  Of many
    compilers in one process each is made sooner with the same `catalog`, and with the same `libraries`, which
    libraryfiles.own(constants) returns.  With `instances`, descriptions may begin with a path of one of
    several instances.
    """

    def __init__(self, catalog: Catalog | None = None, *, target: str = "illumos",
                 constants: str = "linux", variables: Mapping[str, int] | None = None,
                 libraries: Index | None = None, instances: bool = False) -> None:
        self.catalog = SessionCatalog(catalog or StaticCatalog())
        self.target = target
        self._instances = instances
        self.variables = dict(variables or {})
        self.names = Names(target)
        self.libraries = Libraries(self.names, self.catalog, constants, libraries)
        self.scope = self.libraries.scope.child("C").child()
        self.checker = Checker(self.names, self.scope, self.catalog)
        self.declarer = Declarer(self.checker)
        self._has_target = bool(self.variables.get("target"))
        self._statements = 0
        self._errors: Errors | None = None  # of a compilation that goes on after errors
        self._trees = 0
        self._has_error_clause = False
        self._destructive = frozenset(row.numbers[target] for row in isa.SUBROUTINES
                                      if row.destructive and target in row.numbers)

    # One program -------------------------------------------------------------------------------------

    def compile(self, source: str, *, options: Options | None = None, filename: str | None = None,
                arguments: Sequence[str] = (), specifier: int = Specifier.NAME,
                collect: bool = False) -> CompileResult:
        """Compile one program text.

        `filename` is given for a script; `arguments` are $0, $1, ...; `specifier`
        says with which field the probe descriptions end (-P, -m, -f, -n).  With
        `collect` the compilation goes on after an error, and reports the errors of
        all clauses together.  Raises CompileError.
        """
        try:
            return self._compile(source, options, filename, arguments, specifier, collect)
        except CompileError as error:
            raise self.libraries.explained(error) from None

    def _compile(self, source: str, options: Options | None, filename: str | None, arguments: Sequence[str],
                 specifier: int, collect: bool) -> CompileResult:
        options = (options or Options()).copy()
        sys.setrecursionlimit(max(sys.getrecursionlimit(), RECURSION))
        self.names.begin_program()
        self._trees = options.number("tree", 0)
        macros = Macros(list(arguments), self.variables, options.is_on("defaultargs"))
        self.libraries.begin(options)
        self.declarer.begin(options)
        self._errors = None
        if collect:
            from dc.checking.recovery import Errors

            self._errors = Errors(self.names, self.scope)
        lexer = Lexer(source, self.declarer, macros=macros, pspec=options.is_on("pspec"),
                      script=bool(filename), instances=self._instances)
        clauses = self._read(lexer, options, specifier)
        if not self._failed:
            self._check_arguments(arguments, macros, options, lexer.end_span())
        kept = "" if options.is_on("strip") else source.partition("\0")[0]  # a string of DOF ends there
        result = CompileResult(Program(source=kept, model=int(self.scope.model)), options)
        self._compile_clauses(clauses, result, macros, specifier)
        if self._errors is not None and self._failed:
            raise CompileError(self._errors.in_order())
        result.program.options = options.runtime()
        result.aggregations = {each.id: each.name for each in self.names.aggregations.values()}
        return result

    def expression(self, source: str, description: ProbeDesc | None = None) -> Value:
        """The typed tree of a single expression, outside of any clause or in one of a description.

        Raises CompileError.
        """
        from dc.source.parser import parse_expression

        node = parse_expression(Lexer(source, self.declarer, macros=Macros([], self.variables, True)))
        if description is None:
            return self.checker.value(node)
        self._set_context(description, NOWHERE, Options({"zdefs": 1}))
        try:
            return self.checker.value(node)
        finally:
            self._end_context()

    @property
    def _failed(self) -> bool:
        """Whether there were errors after which the compilation goes on."""
        return self._errors is not None and bool(self._errors.diagnostics)

    def _attempt(self, node: syntax.Node, region: str, make: Callable[..., T],
                 *arguments: object) -> T | None:
        """make(*arguments), for a part of the program.

        Raises CompileError.  When a compilation goes on after errors, it keeps the error instead, and
        returns None.
        """
        try:
            return make(*arguments)
        except CompileError as exception:
            told = exception.in_region(region)
            if self._errors is None:
                raise told from None
            self._errors.take(node, told)
            return None

    def _read(self, lexer: Lexer, options: Options, specifier: int) -> list[syntax.Clause]:
        """Read the whole program: declarations take effect, clauses are returned."""
        self.declarer.lexer = lexer
        clauses: list[syntax.Clause] = []
        anything = False
        for node in parse_program(lexer, self._errors.take_syntax if self._errors is not None else None):
            self._show(_READ, [node])
            anything = anything or not isinstance(node, syntax.Pragma | syntax.Declaration)
            if isinstance(node, syntax.Clause):
                for spec in node.probes:  # for what is wrong with them, and the arguments they use
                    self._attempt(node, "", describe, spec, lexer.macros, specifier, self._instances)
                clauses.append(node)
            else:
                self._attempt(node, "", self.declarer.declare, node)
        self._attempt(syntax.Node(NOWHERE), "", self.declarer.finish)
        if not anything and not options.is_on("empty") and not self._failed:
            raise error("D_EMPTY", lexer.end_span(), "the program is empty")
        return clauses

    @staticmethod
    def _check_arguments(arguments: Sequence[str], macros: Macros, options: Options, span: Span) -> None:
        last = len(arguments) - 1
        if last > 0 and not options.is_on("argref") and last not in macros.used:
            raise error("D_MACRO_UNUSED", span,
                        f"the program does not use its argument ${last}, {arguments[last]!r}")

    # Clauses -------------------------------------------------------------------------------------------

    def _compile_clauses(self, clauses: list[syntax.Clause], result: CompileResult, macros: Macros,
                         specifier: int) -> None:
        actions = ActionCompiler(self.names, self.scope, result.options, self.target,
                                 has_target=self._has_target)
        self.checker.minimum = stability.parse(result.options.text("amin")) \
            if result.options.text("amin") else None
        for clause in clauses if self._errors is None else ():  # to find more of them, statement by statement
            self.checker.check_early(clause)
        for clause in clauses:
            for each in self._expanded(clause):
                self._show(_EXPANDED, [each])
                self._attempt(each, "", self._compile_clause, each, result, macros, specifier, actions)
        result.types, result.formats = actions.types, actions.formats

    def _show(self, when: int, trees: Sequence[syntax.Node | Value]) -> None:
        if self._trees & when:
            from dc.checking.treelines import tree_lines

            sys.stderr.writelines(f"{line}\n" for tree in trees for line in tree_lines(tree))

    def _expanded(self, clause: syntax.Clause) -> list[syntax.Clause]:
        if not any(isinstance(each, syntax.If) for each in clause.statements or []):
            return [clause]
        from dc.checking import ifelse

        expanded = ifelse.expand(clause)
        if not self._has_error_clause:
            self._has_error_clause = True
            return [ifelse.error_clause(clause.span), *expanded]
        return expanded

    def _compile_clause(self, clause: syntax.Clause, result: CompileResult, macros: Macros,
                        specifier: int, actions: ActionCompiler) -> None:
        for spec in clause.probes:
            generated = spec.text == "dtrace:::ERROR"
            description = describe(spec, macros, Specifier.NAME if generated else specifier, self._instances)
            if description.id:  # the number stands for its probe's names
                named = (ProbeDesc(*each[1:5], each.id) for each in self.catalog.probes(description))
                description = next(named, description)
            count = self._set_context(description, spec.span, result.options)
            try:
                ecb, attributes, statements, sources = self._compile_one(clause, description, actions)
            finally:
                context = self.checker.context
                self._end_context()
            assert context is not None
            result.program.ecbs.append(ecb)
            predicate = clause.predicate.span if clause.predicate is not None else None
            result.clauses.append(ClauseInfo(description, spec.span, attributes, context.attributes, count,
                                             predicate, statements, sources))

    def _compile_one(self, clause: syntax.Clause, description: ProbeDesc,
                     actions: ActionCompiler
                     ) -> tuple[Ecb, Attributes, dict[int, Span], list[Generated | None]]:
        statements = [each.expression for each in clause.statements or []
                      if isinstance(each, syntax.ExpressionStatement)]
        values, predicate = self._check_clause(statements, clause.predicate)
        checked = [*([predicate] if predicate is not None else []), *filter(None, values)]
        self._show(_CHECKED, checked)
        ecb, is_helper = Ecb(description), description[:3] == USTACK_HELPER
        attributes = STABLE
        for value in checked:
            attributes = weakest(attributes, value.attributes)
        actions.begin(0)
        if predicate is not None:
            ecb.predicate = actions.generate(predicate, wanted=Wanted.TRUTH)
            if is_helper:
                from dc.checking.helperclauses import check_expression

                check_expression(ecb.predicate, predicate.span, self.target)
        order, places, sources = Order(self._destructive), dict[int, Span](), actions.sources([ecb.predicate])

        def compiled(value: Value) -> list[Action]:
            made = self._numbered(value, actions, description)
            order.check(made, value.span)
            if is_helper:
                from dc.checking.helperclauses import check_actions

                check_actions(made, value.span, self.target)
            sources.extend(actions.sources(each.difo for each in made))
            return made

        for node, each in zip(statements, values, strict=True):
            if each is not None:
                ecb.actions += self._attempt(node, "action list", compiled, each) or []
                places[self._statements] = node.span
        return ecb, attributes, places, sources

    def _numbered(self, value: Value, actions: ActionCompiler, description: ProbeDesc) -> list[Action]:
        """Compile a statement: its number is its actions' `uarg`, by which the consumer tells them apart."""
        self._statements += 1
        actions.begin(self._statements)
        made = self._statement(value, actions, description)
        for action in made:
            action.uarg = self._statements
        return made

    def _check_clause(self, statements: list[syntax.Expression], predicate: syntax.Expression | None
                      ) -> tuple[Sequence[Value | None], Value | None]:
        """Check actions and predicate; whichever comes first creates the variables that both use.

        The actions come first.  If they use a variable that is unknown, the predicate is checked first.
        """
        if predicate is None:
            return self._check_actions(statements), None
        try:
            values = [self.checker.value(each) for each in statements]
        except CompileError as exception:
            if self._errors is None and exception.tag not in ("D_IDENT_UNDEF", "D_VAR_UNDEF"):
                raise exception.in_region("action list") from None
            checked = self._attempt(predicate, "predicate", self._check_predicate, predicate)
            return self._check_actions(statements), checked
        return values, self._attempt(predicate, "predicate", self._check_predicate, predicate)

    def _check_actions(self, statements: list[syntax.Expression]) -> list[Value | None]:
        return [self._attempt(each, "action list", self.checker.value, each) for each in statements]

    def _check_predicate(self, predicate: syntax.Expression) -> Value:
        value = self.checker.value(predicate)
        if not value.type.is_scalar():
            raise error("D_PRED_SCALAR", predicate.span,
                        f"a predicate is true or false, and this is {value.type_name}")
        return value

    @staticmethod
    def _statement(value: Value, actions: ActionCompiler, description: ProbeDesc) -> list[Action]:
        if isinstance(value, AggregationValue):
            from dc.generation.aggregations import compile_aggregation

            return compile_aggregation(actions, value)
        if isinstance(value, FunctionCall) and value.function.role == Role.ACTION:
            return actions.compile(value)
        # A helper's last expression names the frame; elsewhere the value is not recorded.
        seen = description[:3] == USTACK_HELPER and not value.type.is_void()
        wanted = Wanted.VALUE if seen else Wanted.NOTHING
        return [Action(ActionKind.DIFEXPR, actions.generate(value, wanted=wanted, rtype=VOID))]

    # The probe -------------------------------------------------------------------------------------------

    def _set_context(self, description: ProbeDesc, span: Span, options: Options) -> int:
        """Let the checker check a clause for this description; return how many probes it matches.

        Raises D_PDESC_ZERO where it matches none, D_PDESC_INVAL for the number of no probe.
        """
        probes = self.catalog.probes(description)
        options.debug(f"{description} matches {len(probes)} probes")
        if not probes and description.id:
            raise error("D_PDESC_INVAL", span, f"there is no probe with the number {description.id}")
        if not probes and not options.is_on("zdefs"):
            mistake = self.catalog.mistake(description)
            if mistake is not None:
                raise error(mistake[0], span, mistake[1])
            from dc.names.similarnames import similar_probe

            raise error("D_PDESC_ZERO", span,
                        f"{description} does not match any probes",
                        *similar_probe(self.catalog, description))
        context = ProbeContext(description)
        if probes:
            self._describe(context, probes)
        self.checker.context = context
        if self.checker.minimum is not None:
            self._require_context(context, span)
        for name, attributes in zip(_FIELDS, context.provider, strict=True):
            variable = self.names.find(name)
            if isinstance(variable, Variable):
                variable.attributes = attributes
        return len(probes)

    def _require_context(self, context: ProbeContext, span: Span) -> None:
        value = _Clause(span, self.checker.int, context.attributes)
        self.checker.require_stability(value)

    def _describe(self, context: ProbeContext, probes: Sequence[ProbeInfo]) -> None:
        """Find the probe that stands for all that match, if their provider's stability allows it."""
        first = probes[0]
        fields = self.catalog.provider_attributes(first.provider)
        described = context.description
        patterns = [not text or any(mark in text for mark in "*?[") for text in described[:4]]
        if fields is not None:
            if len(probes) > 1 and not self._interchangeable(fields, patterns):
                return
            context.provider = fields
        context.probe = first
        attributes = context.provider[0] if not patterns[0] else UNSTABLE
        if not patterns[0]:
            for index in (1, 2, 3):
                if not patterns[index]:
                    attributes = weakest(attributes, context.provider[index])
        context.attributes = attributes

    @staticmethod
    def _interchangeable(fields: tuple[Attributes, ...], patterns: list[bool]) -> bool:
        if fields[4].data < _EVOLVING:
            return False
        return not any(patterns[index] and fields[index].name >= _EVOLVING for index in (1, 2, 3))

    def _end_context(self) -> None:
        self.checker.context = None
        for name in _FIELDS:
            variable = self.names.find(name)
            if isinstance(variable, Variable):
                variable.attributes = STABLE


class _Clause(Value):
    """A value that stands for a clause where its stability is checked."""

    __slots__ = ()

    def describe(self) -> str:
        return "clause"


def compile(source: str, *, options: Options | None = None, catalog: Catalog | None = None,
            filename: str | None = None, arguments: Sequence[str] = (), target: str = "illumos",
            constants: str = "linux", variables: Mapping[str, int] | None = None,
            specifier: int = Specifier.NAME, collect: bool = False,
            session: Compiler | None = None) -> CompileResult:
    """Compile one program; `session` keeps names from one program to the next.  Raises CompileError.

    >>> compile("syscall::read:entry { @[execname] = sum(arg2); }").aggregations
    {1: '_'}
    """
    session = session or Compiler(catalog, target=target, constants=constants, variables=variables)
    return session.compile(source, options=options, filename=filename, arguments=arguments,
                           specifier=specifier, collect=collect)
