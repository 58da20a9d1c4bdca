"""Other people's packages, each in an environment of its own, and what runs inside it."""
