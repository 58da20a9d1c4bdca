"""The papers' tables and figures, from our own commands: one file per paper."""
