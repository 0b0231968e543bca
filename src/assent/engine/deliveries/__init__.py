"""Deliveries: how requests reach people in channels, and stay up to date there."""
