from pathlib import Path

import pytest

from tests.channels.certificates import TestAuthority


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> TestAuthority:
    """One authority for all tests: its certificates are good for a day."""
    folder: Path = tmp_path_factory.mktemp("authority")
    return TestAuthority(folder)
