"""Files that come into being whole, or not at all; used by everything that writes a directory."""
