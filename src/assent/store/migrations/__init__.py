"""The schema's history: alembic revisions, and a short way for empty databases."""
