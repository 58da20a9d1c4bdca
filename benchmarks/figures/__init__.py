"""Figures of all benchmarks in one table: what a script has noted, beside where it stood at the last tag."""
