"""Confirmations, proofs of what was shown to people, and sessions for one request alone."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Null in rows that are here already: a request's is told by its risk, of a decision nobody
    # knows what was shown.
    op.add_column("requests", sa.Column("confirmation", sa.Text(), nullable=True))
    # How many have approved a request that more than one person has to.
    votes = sa.Column("votes", sa.Integer(), nullable=False, server_default="0")
    op.add_column("requests", votes)
    op.add_column("decisions", sa.Column("shown", sa.Text(), nullable=True))
    op.add_column("decisions", sa.Column("human", sa.Text(), nullable=True))
    op.add_column("sessions", sa.Column("request_id", sa.Text(), nullable=True))
