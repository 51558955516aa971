"""A plan becomes a program: reads, shared steps in order, and one query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from quacklake.ivm.lowering.adapting import adapted
from quacklake.ivm.lowering.blocks import Block, over, qualified
from quacklake.ivm.lowering.operators import block_of, query_of
from quacklake.ivm.plan import MarkJoin, Origin, Plan, Restrict, Scan, State
from quacklake.ivm.program import WEIGHT_COLUMN, KeyPushdown, Program, Read, StateChange, Step
from quacklake.ivm.shape import columns_of, inputs_of, nodes_of


def lower(plan: Plan, dialect: str, states: Mapping[str, Plan] | None = None) -> Program:
    """The program whose result is the plan's rows; `states` are further results, by name."""
    further = dict(states or {})
    nodes = tuple(dict.fromkeys(n for root in (plan, *further.values()) for n in nodes_of(root)))
    work = _Lowering(dialect, _uses(nodes), _key_sets(nodes))
    query, uses = work.query(plan)
    changes = tuple(StateChange(name, *work.query(each)) for name, each in further.items())
    return Program(dialect, tuple(work.reads.values()), tuple(work.steps), query, uses, changes)


def _uses(nodes: Iterable[Plan]) -> Counter[Plan]:
    counted: Counter[Plan] = Counter()
    for node in nodes:
        counted.update(inputs_of(node))
        if isinstance(node, MarkJoin):
            # Written twice: once for the rows with a partner, once for those without.
            counted.update(inputs_of(node))
    return counted


def _key_sets(nodes: Iterable[Plan]) -> frozenset[Plan]:
    return frozenset(node.keys for node in nodes if isinstance(node, Restrict))


@dataclass(slots=True)
class _Lowering:
    dialect: str
    counted: Counter[Plan]
    key_sets: frozenset[Plan]
    reads: dict[Plan, Read] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    names: dict[Plan, str] = field(default_factory=dict)
    aliases: int = 0

    def query(self, plan: Plan) -> tuple[exp.Query, tuple[str, ...]]:
        """The finished query of a plan, and the names it reads."""
        inputs = _Inputs(self, [])
        if isinstance(plan, Restrict):
            inputs = _Restricted(self, [], plan)
        if isinstance(plan, Scan):
            query: exp.Query = inputs.scan(plan, plan).select()
        else:
            query = query_of(plan, inputs, self.dialect)
        return adapted(query, self.dialect), tuple(dict.fromkeys(inputs.uses))

    def step(self, plan: Plan) -> str:
        """The name of a plan that is computed once."""
        if plan not in self.names:
            query, uses = self.query(plan)
            is_key_set = plan in self.key_sets
            name = f"{'keys' if is_key_set else 'part'}_{len(self.names) + 1}"
            self.names[plan] = name
            self.steps.append(Step(name, query, uses, is_key_set))
        return self.names[plan]

    def is_step(self, plan: Plan) -> bool:
        return plan in self.key_sets or (self.counted[plan] > 1 and not isinstance(plan, Scan))

    def read(self, place: Plan, plan: Scan) -> Read:
        if place not in self.reads:
            keys = tuple(self.pushdown(each, plan) for each in _restrictions(place))
            kind = plan.state if plan.origin is Origin.SOURCE else plan.origin
            name = f"{kind.value}_{len(self.reads) + 1}"
            self.reads[place] = Read(
                name, plan.source, plan.state, plan.fields, keys, plan.origin, plan.row_ids
            )
        return self.reads[place]

    def pushdown(self, place: Restrict, plan: Scan) -> KeyPushdown:
        """What a restriction says of the source's own columns."""
        fields = {column.id: name for name, column in zip(plan.fields, plan.columns, strict=False)}
        pairs = [
            (fields[each.name], key.id)
            for each, key in zip(place.on, columns_of(place.keys), strict=True)
            if isinstance(each, exp.Column)
        ]
        step = self.step(place.keys)
        return KeyPushdown(tuple(name for name, _ in pairs), step, tuple(key for _, key in pairs))


@dataclass(slots=True)
class _Inputs:
    """The inputs of the operators of one query; remembers the names they read."""

    work: _Lowering
    uses: list[str]

    def alias(self) -> str:
        self.work.aliases += 1
        return f"r{self.work.aliases}"

    def block(self, plan: Plan) -> Block:
        if isinstance(plan, Scan):
            return self.scan(plan, plan)
        if self.work.is_step(plan):
            name = self.work.step(plan)
            self.uses.append(name)
            alias = self.alias()
            return over(_table(name, alias), alias, columns_of(plan))
        if isinstance(plan, Restrict):
            return block_of(plan, _Restricted(self.work, self.uses, plan), self.work.dialect)
        return block_of(plan, self, self.work.dialect)

    def scan(self, place: Plan, plan: Scan) -> Block:
        read = self.work.read(place, plan)
        self.uses.append(read.name)
        alias = self.alias()
        fields = (*plan.fields, WEIGHT_COLUMN) if plan.state is State.CHANGE else plan.fields
        outputs = tuple(
            (column, qualified(alias, name))
            for name, column in zip(fields, plan.columns, strict=True)
        )
        return Block(outputs, _table(read.name, alias))


@dataclass(slots=True)
class _Restricted(_Inputs):
    """The inputs of restrictions upon restrictions; if a scan is below, its read has the keys."""

    place: Restrict

    def block(self, plan: Plan) -> Block:
        *_, last = _restrictions(self.place)
        if plan is last.input and isinstance(plan, Scan):
            return self.scan(self.place, plan)
        above = isinstance(plan, Restrict) and plan in _restrictions(self.place)
        if above and not self.work.is_step(plan):
            return block_of(plan, self, self.work.dialect)
        return _Inputs(self.work, self.uses).block(plan)


def _restrictions(plan: Plan) -> list[Restrict]:
    """A restriction and those directly below it."""
    found = []
    while isinstance(plan, Restrict):
        found.append(plan)
        plan = plan.input
    return found


def _table(name: str, alias: str) -> exp.Table:
    return exp.Table(
        this=exp.to_identifier(name, quoted=True),
        alias=exp.TableAlias(this=exp.to_identifier(alias)),
    )
