"""The suite of channels over Slack, with the real SDK against the loopback."""

import pytest

from assent.channels.slack import api, channel
from assent.testing.channels import ChatSuite
from tests.channels.slack import LoopbackSlack
from tests.channels.slack.stage import SlackStage


class TestSlack(ChatSuite):
    @pytest.fixture
    def stage(self, slack: LoopbackSlack, url: str, monkeypatch: pytest.MonkeyPatch) -> SlackStage:
        # Slack's pace has tests of its own; at it these would take half an hour.
        monkeypatch.setattr(api, "POST_SECONDS", 0.01)
        monkeypatch.setattr(api, "UPDATES_PER_SECOND", 100)
        monkeypatch.setattr(channel, "PER_SECOND", 100.0)
        return SlackStage(slack, url)
