"""Slack: cards with buttons, modals, and conversations with agents in threads."""

from assent.channels.slack.channel import Slack

__all__ = ["Slack"]
