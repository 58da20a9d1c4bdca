"""Mechanisms of somebody else's package, one file each: what it takes to add one."""
