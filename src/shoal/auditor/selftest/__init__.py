"""The auditor audited: made-up releases, one sound, the others broken in one way each."""
