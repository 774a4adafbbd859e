"""The benchmark of the views moves them beside the plain way and prints its lines; how fast any is, no test asserts."""

import re
from contextlib import nullcontext

import pytest
from benchmarks import views as benchmark


def test_views_are_moved_beside_the_plain_way(lab, monkeypatch, capsys):
    monkeypatch.setattr(benchmark, "running_lab", lambda home: nullcontext(lab))
    monkeypatch.setattr(benchmark, "QUIET", 100)  # shorter waits, which would measure less
    benchmark.main("2", "Attention", "Hello")  # all would take minutes
    rows = [re.split("  +", line) for line in capsys.readouterr().out.splitlines()]
    moves = [row for row in rows if ": " in row[0] and len(row) == 7]
    assert {name.split(": ")[0] for name, *_ in moves} == {"interact", "Attention", "Hello"}
    assert moves[0][-2:] == ["1.00", "1.00"]  # the plain way beside itself
    for _name, text, painted, received, sent, _time, _bytes in moves:
        assert 0 < int(text.split()[0]) <= int(painted.split()[0])
        assert float(received) > float(sent) > 0


def test_a_name_alone_is_a_view_and_a_number_before_names_the_moves():
    understood = benchmark.understood
    assert understood(["Attention"]) == (24, ["Attention"])
    assert understood(["6", "Attention", "Hello"]) == (6, ["Attention", "Hello"])
    assert understood(["6"]) == (6, benchmark.views.__all__)
    assert understood([]) == (24, benchmark.views.__all__)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["Atention"], "There is no view Atention. There are: Arrows, Attention, Cache, "),
        (["2", "Attention", "3"], "There is no view 3. There are: "),
        (["-2"], "There is no view -2. There are: "),
        (["1", "Attention"], "At least 2 moves are needed: there and back."),
    ],
)
def test_what_is_not_understood_is_said(arguments, said):
    with pytest.raises(SystemExit, match=said):
        benchmark.understood(arguments)
