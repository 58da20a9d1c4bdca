"""Pages made from the files of results; nothing is computed here."""
