"""What published points and boxes are compared with the raw ones by (Promesse §V-C).

- `polyline`: how far points lie from the lines through others
- `ranges`: how many cross a square in a window of time, as points, as samples or as boxes
"""
