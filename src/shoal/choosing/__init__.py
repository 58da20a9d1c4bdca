"""Several mechanisms on the same data: ``compare`` sets them side by side, ``choose`` finds one for a stated need."""
