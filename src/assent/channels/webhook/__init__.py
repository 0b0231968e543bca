"""Webhooks: signed messages to a program of the deployment's choice."""

from assent.channels.webhook.channel import Webhook

__all__ = ["Webhook"]
