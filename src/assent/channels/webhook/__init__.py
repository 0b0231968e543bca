"""Webhooks: signed messages to programs of the deployment's choice."""
