import json
import subprocess
import sys

HEAVY = {
    "alembic",
    "anthropic",
    "asyncpg",
    "discord",
    "fastapi",
    "openai",
    "prompt_toolkit",
    "pydantic_ai",
}


def test_importing_assent_loads_no_optional_or_slow_package():
    program = "import json, sys, assent; print(json.dumps(sorted(sys.modules)))"

    ran = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )

    assert HEAVY & set(json.loads(ran.stdout)) == set()
