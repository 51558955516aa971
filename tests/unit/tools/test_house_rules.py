"""Each house rule bites on what it forbids, and lets the rest pass."""

from __future__ import annotations

import subprocess

import pytest

from tools import check_budget, check_errors, check_places, check_protocols

ERRORS = '''"""Errors.

QuacklakeError
├── UsageError  change it
│   └── NotFound  not there
└── CorruptLake  stop
"""

class QuacklakeError(Exception): ...
class UsageError(QuacklakeError): ...
class NotFound(UsageError): ...
class CorruptLake(QuacklakeError): ...
'''


@pytest.fixture
def house(tmp_path):
    def build(**files):
        for name, text in files.items():
            path = tmp_path / name.replace("__", "/")
            path = path.with_name(path.name + ".py")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path

    return build


def test_a_file_of_500_lines_passes_and_one_more_does_not(house):
    root = house(src__exact="x = 1\n" * 500, src__over="x = 1\n" * 501)

    assert list(check_budget.problems(root)) == ["src/over.py: 501 lines, at most 500"]


def test_a_function_of_60_lines_passes_and_one_more_does_not(house):
    body = "    x = 1\n"
    root = house(src__a="def f():\n" + body * 59, src__b="def g():\n" + body * 60)

    assert list(check_budget.problems(root)) == ["src/b.py:1: g has 61 lines of 60"]


def test_a_module_called_utils_is_refused(house):
    root = house(src__utils="", src__prune="")

    assert list(check_budget.problems(root)) == ["src/utils.py: 'utils' does not say what it holds"]


def test_a_drawing_equal_to_the_classes_passes(house):
    root = house(src__quacklake__kernel__errors=ERRORS)

    assert list(check_errors.problems(root)) == []


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param(ERRORS.replace("class NotFound(UsageError): ...\n", ""), id="not written"),
        pytest.param(ERRORS.replace("│   └── NotFound  not there\n", ""), id="not drawn"),
        pytest.param(ERRORS.replace("NotFound(UsageError)", "NotFound(CorruptLake)"), id="moved"),
    ],
)
def test_a_drawing_that_differs_from_the_classes_is_found(house, changed):
    root = house(src__quacklake__kernel__errors=changed)

    found = list(check_errors.problems(root))

    assert found
    assert all("NotFound" in each for each in found)


def test_an_error_class_outside_the_error_module_is_found(house):
    root = house(
        src__quacklake__kernel__errors=ERRORS, src__quacklake__scan="class Lost(NotFound): ...\n"
    )

    assert list(check_errors.problems(root)) == [
        "src/quacklake/scan.py: error Lost belongs in errors.py"
    ]


def test_a_protocol_needs_a_second_paragraph_and_sentences_on_its_methods(house):
    bare = 'class Port(Protocol):\n    """A port."""\n    def go(self) -> int: ...\n'
    told = (
        'class Port(Protocol[T]):\n    """A port.\n\n    Called once.\n    """\n'
        '    def go(self) -> int:\n        """Go."""\n'
    )

    assert len(list(check_protocols.problems(house(src__a=bare)))) == 2
    assert list(check_protocols.problems(house(src__a=told))) == []


def test_a_machine_folder_and_a_package_index_are_found(house):
    root = house(
        fine="path = 's3://home/me', '/usr/bin/x', 'a/home/b'\n",
        folder="path = '" + "/home" + "/me/lake'\n",
        index="url = 'https://" + "pypi" + ".org/simple'\n",
    )
    subprocess.run(["git", "init", "-q", root], check=True)

    assert list(check_places.problems(root)) == [
        "folder.py:1: names a folder of one machine",
        "index.py:1: names a package index",
    ]
