"""Names of C++ functions on call paths."""

from __future__ import annotations

import pytest

from stridewise.collect.symbolize import without_parameters


@pytest.mark.parametrize(
    ("demangled", "shown"),
    [
        ("Comm::swap(std::vector<int, std::allocator<int>> const&, void (*)(int))", "Comm::swap"),
        ("Field<double>::operator()(long, long) const", "Field<double>::operator()"),
        ("Field<double>::operator()", "Field<double>::operator()"),
        ("(anonymous namespace)::step(int)", "(anonymous namespace)::step"),
        ("main::{lambda(int)#1}::operator()(int) const", "main::{lambda(int)#1}::operator()"),
        ("Grid::rows() &&", "Grid::rows"),
        ("main", "main"),
        ("app+0x1193", "app+0x1193"),
        ("(", "("),
        (")", ")"),
    ],
)
def test_parameters_are_left_out(demangled: str, shown: str) -> None:
    assert without_parameters(demangled) == shown
