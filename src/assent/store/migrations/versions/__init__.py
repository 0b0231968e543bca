"""One module per released change of the schema."""
