"""What MPI calls cost at any number of ranks: the formulas of message_models.toml."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from stridewise import arithmetic

MODELS = Path(__file__).with_name("message_models.toml")


@dataclass(frozen=True, slots=True)
class Network:
    """Seconds of latency and overhead, bytes a second; `source` says in words where they come from."""

    latency_seconds: float
    send_seconds: float
    bytes_per_second: float
    source: str


# What the rules' own estimates assume of a cluster (rules/*/rule.toml): a small message in 2 µs, 10 GB/s. The overhead
# is that of a message that a card carries.
ASSUMED = Network(2e-6, 0.3e-6, 10e9, "assumed: 2 µs of latency, 0.3 µs of overhead, 10 GB/s; give --machine FILE")


@dataclass(frozen=True, slots=True)
class Model:
    name: str
    least: str
    most: str
    source: str

    def seconds(self, ranks: float, size: float, network: Network) -> tuple[float, float]:
        """One call's, at least and at most; `size` in bytes that the rank gives to it."""
        known = {
            "P": float(ranks),
            "n": size,
            "L": network.latency_seconds,
            "o": network.send_seconds,
            "B": network.bytes_per_second,
        }
        one, other = (arithmetic.value(arithmetic.parse(text), known) for text in (self.least, self.most))
        return min(one, other), max(one, other)


@dataclass(frozen=True, slots=True)
class Models:
    by_call: Mapping[str, Model]
    timing: frozenset[str]  # calls whose number is a matter of time


@functools.cache
def load() -> Models:
    value = tomllib.loads(MODELS.read_text(encoding="utf-8"))
    models = {}
    for row in value["model"]:
        model = Model(row["name"], row["least"], row["most"], row["source"])
        models.update(dict.fromkeys(row["calls"], model))
    return Models(models, frozenset(value["timing"]))
