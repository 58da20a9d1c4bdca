"""PRIMULE's Figs. 4 to 9 beside ours, on synthetic people of Tuscany.

- `plan`: which mechanisms, with which parameters, on how many people
- `tuscany`: the region: real municipalities where the files are there, else invented ones
- `raw`: the people, and what the Sociometer makes of them
- `piece`: what one mechanism did to them, as figures
- `findings`, `figures`: printed beside measured; curves and tables
- `run`: all of it
"""
