"""Points on the Earth in true metres: degrees in, degrees out, floats throughout.

Positions are WGS84 degrees. Distances are measured in space, in a straight line between two points of the ellipsoid;
``chord_of`` turns a length on the ground into such a line. There is no projection, hence no place where it is wrong:
not at a pole, and not across the antimeridian.

- `earth`: from degrees into space and back; the straight way between two points
- `zones`: the end places of people's traces, one disc for each, and what of a trace lies outside
- `walk` (drives): Promesse's walk: a point each time the distance from the last one reaches a length
- `noise` (drives): planar Laplace noise for points, or for the middles of cells of a public lattice
"""
