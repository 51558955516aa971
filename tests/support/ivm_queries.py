"""Random queries over a few small tables: a grammar of every operator, nested.

Every choice is drawn from a `Random`, which Hypothesis can shrink. Queries are total: whatever the
data, each has one answer, so ties are always broken by all columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from random import Random

INT, TEXT = "int", "text"


@dataclass(frozen=True, slots=True)
class Relation:
    """A query with its columns and their types."""

    sql: str
    columns: tuple[tuple[str, str], ...]

    def typed(self, kind: str) -> list[str]:
        """The names of the columns of one type."""
        return [name for name, each in self.columns if each == kind]


class Queries:
    """One random query at a time."""

    def __init__(self, random: Random, tables: Sequence[Relation]) -> None:
        self.random, self.tables, self.numbers = random, tables, count(1)

    def query(self, depth: int) -> Relation:
        """A query of at most this many nested operators."""
        if depth <= 0:
            return self.random.choice(self.tables)
        makers: list[Callable[[int], Relation]] = [
            self.filtered, self.projected, self.joined, self.joined, self.grouped, self.grouped,
            self.combined, self.windowed, self.distinct, self.limited, self.matched,
            self.with_scalar, self.shared, self.spread, self.sets_grouped, self.lateral,
            self.marked,
        ]  # fmt: skip
        return self.random.choice(makers)(depth)

    def alias(self) -> str:
        """A table alias."""
        return f"t{next(self.numbers)}"

    def name(self) -> str:
        """A column name."""
        return f"z{next(self.numbers)}"

    def source(self, depth: int) -> tuple[str, Relation, str]:
        """A relation for FROM: its text, itself and its alias."""
        inner, alias = self.query(depth - 1), self.alias()
        return f"({inner.sql}) {alias}", inner, alias

    def expression(self, columns: Sequence[tuple[str, str]], alias: str) -> tuple[str, str]:
        """A scalar expression and its type."""
        name, kind = self.random.choice(columns)
        column = f"{alias}.{name}"
        if kind == TEXT:
            return self.random.choice([(column, TEXT), (f"coalesce({column}, 'q')", TEXT)])
        other = self.random.choice([each for each, t in columns if t == INT])
        return self.random.choice(
            [
                (column, INT),
                (column, INT),
                (f"{column} + {self.random.randint(0, 2)}", INT),
                (f"{column} * 2 - {alias}.{other}", INT),
                (f"case when {column} > 1 then {alias}.{other} else {column} end", INT),
                (f"coalesce({column}, 0)", INT),
            ]
        )

    def predicate(self, columns: Sequence[tuple[str, str]], alias: str) -> str:
        """A condition on one row, sometimes unknown."""
        name, kind = self.random.choice(columns)
        column = f"{alias}.{name}"
        if kind == TEXT:
            return self.random.choice([f"{column} <> 'x'", f"{column} in ('x', 'y')"])
        value = self.random.randint(0, 3)
        return self.random.choice(
            [
                f"{column} > {value}",
                f"{column} = {value}",
                f"{column} is not null",
                f"({column} < {value} or {column} is null)",
                f"not ({column} between 1 and {value})",
            ]
        )

    def filtered(self, depth: int) -> Relation:
        """WHERE."""
        text, inner, alias = self.source(depth)
        condition = self.predicate(inner.columns, alias)
        return Relation(f"select * from {text} where {condition}", inner.columns)

    def projected(self, depth: int) -> Relation:
        """Computed columns."""
        text, inner, alias = self.source(depth)
        made = [
            (self.name(), *self.expression(inner.columns, alias))
            for _ in range(self.random.randint(1, 3))
        ]
        if not any(kind == INT for _, _, kind in made):
            made.append((self.name(), f"{alias}.{inner.typed(INT)[0]}", INT))
        items = ", ".join(f"{expression} as {name}" for name, expression, _ in made)
        return Relation(f"select {items} from {text}", tuple((n, k) for n, _, k in made))

    def some(
        self, parts: Sequence[tuple[str, Relation]]
    ) -> tuple[str, tuple[tuple[str, str], ...]]:
        """Some columns of several relations under new names, at least one number."""
        found = [(alias, *column) for alias, inner in parts for column in inner.columns]
        numbers = [each for each in found if each[2] == INT]
        chosen = [self.random.choice(numbers)]
        chosen += [each for each in found if self.random.random() < 0.5]
        named = [(self.name(), *each) for each in chosen]
        items = ", ".join(f"{alias}.{column} as {name}" for name, alias, column, _ in named)
        return items, tuple((name, kind) for name, _, _, kind in named)

    def condition(self, left: tuple[str, Relation], right: tuple[str, Relation]) -> str:
        """A join condition: an equality, an inequality, or both."""
        one = f"{left[0]}.{self.random.choice(left[1].typed(INT))}"
        other = f"{right[0]}.{self.random.choice(right[1].typed(INT))}"
        second = f"{left[0]}.{self.random.choice(left[1].typed(INT))}"
        return self.random.choice(
            [
                f"{one} = {other}",
                f"{one} = {other}",
                f"{one} <=> {other}",
                f"{one} = {other} and {second} > 0",
                f"{one} = {other} + 1",
                f"{one} < {other}",
                f"{one} = {other} or {second} = 1",
            ]
        )

    def joined(self, depth: int) -> Relation:
        """Two relations, joined in any way."""
        left_text, left, a = self.source(depth)
        right_text, right, b = self.source(self.random.randint(1, depth))
        kind = self.random.choice(["join", "join", "left join", "right join", "full join", "cross"])
        items, columns = self.some([(a, left), (b, right)])
        if kind == "cross":
            return Relation(f"select {items} from {left_text}, {right_text}", columns)
        on = self.condition((a, left), (b, right))
        return Relation(f"select {items} from {left_text} {kind} {right_text} on {on}", columns)

    def matched(self, depth: int) -> Relation:
        """EXISTS, IN, ANY, ALL, semi and anti joins."""
        text, inner, a = self.source(depth)
        other, b = self.random.choice(self.tables), self.alias()
        x, y = self.random.choice(inner.typed(INT)), self.random.choice(other.typed(INT))
        on = self.condition((a, inner), (b, other))
        rows = f"select {b}.{y} from ({other.sql}) {b}"
        kept = self.random.choice(["", f" where {self.predicate(other.columns, b)}"])
        if self.random.random() < 0.15:
            kind = self.random.choice(["left semi join", "left anti join"])
            joined = f"select {a}.* from {text} {kind} ({other.sql}) {b} on {on}"
            return Relation(joined, inner.columns)
        where = self.random.choice(
            [
                f"exists ({rows} where {on})",
                f"not exists ({rows} where {on})",
                f"{a}.{x} in ({rows}{kept})",
                f"{a}.{x} not in ({rows}{kept})",
                f"{a}.{x} > all ({rows}{kept})",
                f"{a}.{x} = any ({rows}{kept})",
                f"{a}.{x} not in ({rows} where {on})",
                f"(exists ({rows} where {on}) or {a}.{x} = 1)",
            ]
        )
        return Relation(f"select {a}.* from {text} where {where}", inner.columns)

    def marked(self, depth: int) -> Relation:
        """A subquery's truth value as a column."""
        text, inner, a = self.source(depth)
        other, b, name = self.random.choice(self.tables), self.alias(), self.name()
        x, y = self.random.choice(inner.typed(INT)), self.random.choice(other.typed(INT))
        rows = f"select {b}.{y} from ({other.sql}) {b}"
        value = self.random.choice(
            [f"{a}.{x} in ({rows})", f"exists ({rows} where {b}.{y} = {a}.{x})"]
        )
        flag = f"case when {value} then 1 when not ({value}) then 0 end"
        return Relation(
            f"select {a}.{x} as {x}, {flag} as {name} from {text}", ((x, INT), (name, INT))
        )

    def with_scalar(self, depth: int) -> Relation:
        """A scalar subquery, correlated or not."""
        text, inner, a = self.source(depth)
        other, b, name = self.random.choice(self.tables), self.alias(), self.name()
        y = self.random.choice(other.typed(INT))
        x = self.random.choice(inner.typed(INT))
        call = self.random.choice(["max({})", "count({})", "sum({})", "count(*) + min({})"])
        on = self.random.choice(["", f" where {self.condition((a, inner), (b, other))}"])
        value = f"(select {call.format(f'{b}.{y}')} from ({other.sql}) {b}{on})"
        if self.random.random() < 0.5:
            return Relation(
                f"select {a}.{x} as {x}, {value} as {name} from {text}", ((x, INT), (name, INT))
            )
        return Relation(f"select {a}.* from {text} where {a}.{x} >= {value}", inner.columns)

    def aggregates(self, inner: Relation, alias: str) -> list[tuple[str, str, str]]:
        """Some aggregate calls with names and types."""
        calls = []
        for _ in range(self.random.randint(1, 3)):
            column = f"{alias}.{self.random.choice(inner.typed(INT))}"
            text = self.random.choice(
                ["count(*)", "count({})", "sum({})", "min({})", "max({})", "count(distinct {})",
                 "sum(distinct {})", "sum({}) filter (where {} > 1)",
                 "count(case when {} > 1 then 1 end)", "sum(case when {} > 1 then 1 else 0 end)"]
            )  # fmt: skip
            calls.append((self.name(), text.replace("{}", column), INT))
        return calls

    def grouped(self, depth: int) -> Relation:
        """GROUP BY and HAVING."""
        text, inner, a = self.source(depth)
        keys = self.random.sample(
            list(inner.columns), self.random.randint(0, min(2, len(inner.columns)))
        )
        named = [(self.name(), f"{a}.{column}", kind) for column, kind in keys]
        calls = self.aggregates(inner, a)
        items = ", ".join(f"{expression} as {name}" for name, expression, _ in named + calls)
        group = f" group by {', '.join(e for _, e, _ in named)}" if named else ""
        having = self.random.choice(["", "", f" having {calls[0][1]} > 1", " having count(*) > 1"])
        columns = tuple((name, kind) for name, _, kind in named + calls)
        return Relation(f"select {items} from {text}{group}{having}", columns)

    def sets_grouped(self, depth: int) -> Relation:
        """ROLLUP, CUBE and GROUPING SETS."""
        text, inner, a = self.source(depth)
        one, other = (f"{a}.{self.random.choice(inner.columns)[0]}" for _ in range(2))
        if one == other:
            return self.grouped(depth)
        x, y, n = self.name(), self.name(), self.name()
        kinds = {f"{a}.{name}": kind for name, kind in inner.columns}
        how = self.random.choice(
            [f"grouping sets (({one}), ({other}), ({one}, {other}))", f"cube({one}, {other})",
             f"rollup({one}, {other})"]
        )  # fmt: skip
        # Engines disagree about the grand total of no rows at all.
        some = f"select {one} as {x}, {other} as {y}, count(*) as {n} from {text} group by {how}"
        query = f"select * from ({some}) where {n} > 0"
        return Relation(query, ((x, kinds[one]), (y, kinds[other]), (n, INT)))

    def combined(self, depth: int) -> Relation:
        """UNION, INTERSECT, EXCEPT, of sets or bags."""
        left, right = self.query(depth - 1), self.query(self.random.randint(0, depth - 1))
        width = self.random.randint(1, min(2, len(left.typed(INT)), len(right.typed(INT))))
        names = [self.name() for _ in range(width)]
        sides = []
        for each in (left, right):
            chosen = self.random.sample(each.typed(INT), width)
            alias = self.alias()
            items = ", ".join(f"{alias}.{c} as {n}" for c, n in zip(chosen, names, strict=True))
            sides.append(f"select {items} from ({each.sql}) {alias}")
        how = self.random.choice(["union", "intersect", "except"])
        every = self.random.choice([" all", ""])
        return Relation(f"{sides[0]} {how}{every} {sides[1]}", tuple((n, INT) for n in names))

    def windowed(self, depth: int) -> Relation:
        """Window functions, some with several partitionings."""
        text, inner, a = self.source(depth)
        every = ", ".join(f"{a}.{name}" for name, _ in inner.columns)
        made = []
        for _ in range(self.random.randint(1, 2)):
            part = self.random.choice(
                ["", f"partition by {a}.{self.random.choice(inner.columns)[0]}"]
            )
            x = f"{a}.{self.random.choice(inner.typed(INT))}"
            call = self.random.choice(
                [f"row_number() over ({part} order by {every})", f"sum({x}) over ({part})",
                 f"rank() over ({part} order by {x})", f"count(*) over ({part} order by {x})",
                 f"lag({x}) over ({part} order by {every})",
                 f"sum({x}) over ({part} order by {every} rows 1 preceding)"]
            )  # fmt: skip
            made.append((self.name(), call))
        items = ", ".join(f"{call} as {name}" for name, call in made)
        columns = inner.columns + tuple((name, INT) for name, _ in made)
        return Relation(f"select {a}.*, {items} from {text}", columns)

    def distinct(self, depth: int) -> Relation:
        """DISTINCT."""
        text, inner, a = self.source(depth)
        items, columns = self.some([(a, inner)])
        return Relation(f"select distinct {items} from {text}", columns)

    def limited(self, depth: int) -> Relation:
        """ORDER BY … LIMIT."""
        text, inner, a = self.source(depth)
        order = [f"{a}.{name}{self.random.choice(['', ' desc'])}" for name, _ in inner.columns]
        self.random.shuffle(order)
        skip = self.random.choice(["", " offset 1"])
        limit = f"order by {', '.join(order)} limit {self.random.randint(1, 3)}{skip}"
        return Relation(f"select * from {text} {limit}", inner.columns)

    def shared(self, depth: int) -> Relation:
        """A common table expression that is used twice."""
        inner, name, a, b = self.query(depth - 1), self.alias(), self.alias(), self.alias()
        x, y = (self.random.choice(inner.typed(INT)) for _ in range(2))
        items, columns = self.some([(a, inner), (b, inner)])
        return Relation(
            f"with {name} as ({inner.sql}) "
            f"select {items} from {name} {a} join {name} {b} on {a}.{x} = {b}.{y}",
            columns,
        )

    def spread(self, depth: int) -> Relation:
        """Arrays spread over rows."""
        text, inner, a = self.source(depth)
        x, y = (f"{a}.{self.random.choice(inner.typed(INT))}" for _ in range(2))
        view, name = self.alias(), self.name()
        key = self.random.choice(inner.columns)
        array = self.random.choice([f"array({x}, {y})", f"array({x}, 1, {y})"])
        generator = f"lateral view explode({array}) {view} as {name}"
        query = f"select {a}.{key[0]}, {view}.{name} from {text} {generator}"
        return Relation(query, (key, (name, INT)))

    def lateral(self, depth: int) -> Relation:
        """A lateral subquery."""
        text, inner, a = self.source(depth)
        other, b, view, name = (
            self.random.choice(self.tables),
            self.alias(),
            self.alias(),
            self.name(),
        )
        x, y = self.random.choice(inner.typed(INT)), self.random.choice(other.typed(INT))
        on = f"{b}.{self.random.choice(other.typed(INT))} = {a}.{x}"
        body = self.random.choice(
            [f"select max({b}.{y}) as {name} from ({other.sql}) {b} where {on}",
             f"select {b}.{y} as {name} from ({other.sql}) {b} where {on}",
             f"select distinct {b}.{y} as {name} from ({other.sql}) {b} where {on}"]
        )  # fmt: skip
        return Relation(
            f"select {a}.{x} as {x}, {view}.{name} from {text}, lateral ({body}) {view}",
            ((x, INT), (name, INT)),
        )
