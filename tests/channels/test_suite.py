"""The suite of channels, over the smallest channel there is, on both databases."""

import pytest

from assent.testing.channels import ChatSuite
from tests.channels.board import BoardStage


class TestBoard(ChatSuite):
    @pytest.fixture
    def stage(self, url: str) -> BoardStage:
        return BoardStage(database=url)
