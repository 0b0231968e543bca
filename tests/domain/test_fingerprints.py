"""What makes a function another function, and what does not."""

import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from assent.domain.fingerprints import fingerprint

# A limit of 100 or 10, wherever a policy may keep it.
LIMITS = {
    "in the code": "when = lambda a, _: a['n'] > @",
    "in a set": "when = lambda a, _: a['n'] in {1, 2, @}",
    "in a function inside": "when = lambda a, _: any(n > @ for n in a['all'])",
    "in a default": "def when(a, _, limit=@): return a['n'] > limit",
    "in a keyword's default": "def when(a, _, *, limit=@): return a['n'] > limit",
    "in a closure": """
        def above(limit):
            return lambda a, _: a['n'] > limit
        when = above(@)
    """,
    "in a function of a closure": """
        def negated(other):
            return lambda a, c: not other(a, c)
        when = negated(lambda a, _: a['n'] > @)
    """,
    "in a global": """
        LIMIT = @
        when = lambda a, _: a['n'] > LIMIT
    """,
    "in a global that a function inside reads": """
        LIMIT = @
        when = lambda a, _: any(n > LIMIT for n in a['all'])
    """,
    "in a table": """
        LIMITS = {'EUR': [@]}
        when = lambda a, _: a['n'] > LIMITS['EUR'][0]
    """,
    "in a decimal": """
        from decimal import Decimal
        LIMIT = Decimal('@')
        when = lambda a, _: a['n'] > LIMIT
    """,
    "in another function of the module": """
        def is_high(n): return n > @
        when = lambda a, _: is_high(a['n'])
    """,
    "in functions that call each other": """
        def is_even(n): return n == 0 or is_odd(n - 1)
        def is_odd(n): return n != @ and is_even(n - 1)
        when = lambda a, _: is_even(a['n'])
    """,
    "behind a cache": """
        from functools import lru_cache
        %lru_cache
        def when(a, _): return a > @
    """,
    "in a partial": """
        from functools import partial
        def above(limit, a, _): return a['n'] > limit
        when = partial(above, @)
    """,
    "in a base class": """
        class Base:
            def __call__(self, a, _): return a['n'] > @
        class Above(Base): pass
        when = Above()
    """,
}
# What is no limit, and still another policy.
EDITS = {
    "a comparison": ("when = lambda a, _: a['n'] > 1", "when = lambda a, _: a['n'] < 1"),
    "an attribute": ("when = lambda a, c: c.owner", "when = lambda a, c: c.agent"),
    "a constant's type": ("when = lambda a, _: 1", "when = lambda a, _: True"),
    "what is called": ("when = lambda a, _: min(a)", "when = lambda a, _: max(a)"),
    "a member": (
        "from assent import Effect\nSAID = Effect.ASK\nwhen = lambda *_: SAID",
        "from assent import Effect\nSAID = Effect.DENY\nwhen = lambda *_: SAID",
    ),
    "whether it is awaited": ("def when(a, _): return a", "async def when(a, _): return a"),
    "what is behind a name": (
        "from os.path import isfile as known\nwhen = lambda a, _: known(a)",
        "from os.path import isdir as known\nwhen = lambda a, _: known(a)",
    ),
    "where an exception is caught": (
        """
        def when(a, _):
            n = a['n']
            try: return n()
            except KeyError: return True
        """,
        """
        def when(a, _):
            try: n = a['n']; return n()
            except KeyError: return True
        """,
    ),
}
# What a deployment changes without changing its policy.
SAME = {
    "lines and comments": (
        "when = lambda a, _: a['n'] > 1",
        "# The limit.\n\n\nwhen = lambda a, _: (\n    a['n']\n    > 1)  # not much",
    ),
    "a name": (
        "def above(a, _): return a['n'] > 1\nwhen = above",
        "def over(a, _): return a['n'] > 1\nwhen = over",
    ),
    "what an object holds": (
        """
        class Budget:
            def __init__(self): self.left = 1
            def __call__(self, a, _): return a['n'] > self.left
        when = Budget()
        """,
        """
        class Budget:
            def __init__(self): self.left = 2
            def __call__(self, a, _): return a['n'] > self.left
        when = Budget()
        """,
    ),
    "whose method it is": (
        """
        class House:
            def __init__(self): self.limit = 1
            def judge(self, a, _): return a['n'] > self.limit
        when = House().judge
        """,
        """
        class House:
            def __init__(self): self.limit = 2
            def judge(self, a, _): return a['n'] > self.limit
        when = House().judge
        """,
    ),
    "what it does not use": (
        "LIMIT = 1\nwhen = lambda a, _: a",
        "LIMIT = 2\nwhen = lambda a, _: a",
    ),
}


def when(source: str, *, file: str = "policy.py") -> Any:
    """The function of that name in a module with this text."""
    module: dict[str, Any] = {"__name__": "policy", "__file__": file}
    exec(compile(dedent(source).replace("%", "@"), file, "exec"), module)
    return module["when"]


@pytest.mark.parametrize("place", LIMITS)
def test_another_limit_is_another_function_wherever_the_limit_is(place: str) -> None:
    before, after = LIMITS[place].replace("@", "100"), LIMITS[place].replace("@", "10")

    assert fingerprint(when(before)) == fingerprint(when(before))
    assert fingerprint(when(before)) != fingerprint(when(after))


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_makes_another_function(edit: str) -> None:
    before, after = EDITS[edit]
    assert fingerprint(when(before)) != fingerprint(when(after))


@pytest.mark.parametrize("edit", SAME)
def test_what_a_function_does_not_do_leaves_it_the_same(edit: str) -> None:
    before, after = SAME[edit]
    assert fingerprint(when(before)) == fingerprint(when(after, file="elsewhere.py"))


def test_a_cell_that_is_still_empty_is_no_error() -> None:
    def made() -> object:
        def when() -> bool:
            return later

        found = fingerprint(when)
        later = True
        return found

    assert made() == made()


PROGRAM = """
import sys
from assent.domain.fingerprints import fingerprint
from tests.domain.test_fingerprints import LIMITS, when

for source in LIMITS.values():
    print(fingerprint(when(source.replace("@", "100"), file=sys.argv[1])))
"""


def test_a_function_is_the_same_in_every_process(tmp_path: Path) -> None:
    def printed(seed: str) -> list[str]:
        ran = subprocess.run(
            [sys.executable, "-c", PROGRAM, str(tmp_path / seed)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        )
        return ran.stdout.split()

    first, second = printed("1"), printed("2")
    assert len(set(first)) == len(LIMITS)
    assert first == second
