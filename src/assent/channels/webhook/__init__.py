"""Webhooks: signed messages to a program of the deployment's choice."""

from assent.channels.webhook.channel import Webhook
from assent.channels.webhook.signing import SigningSecrets, new_secret

__all__ = ["SigningSecrets", "Webhook", "new_secret"]
