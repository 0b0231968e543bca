"""Alembic loads this file to run the revisions on the connection that `upgrade` hands it."""

from alembic import context

context.configure(
    connection=context.config.attributes["connection"],
    # Alembic assumes that SQLite cannot; it can, and half an upgrade must not be possible.
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
