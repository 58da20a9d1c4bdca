"""What all kernels share.

- `jit`: how functions are compiled (`kernel`, `helper`, `maker`), and where the machine code is kept
- `compilers`: what numba's compiler leaves out for them, and how it tells what it does
- `kept`: what of a compiled kernel is kept, and loaded again
- `sort`: a merge sort by any order, and a heap
- `scale`: the unit in which all costs are whole numbers
- `people`: people as flat arrays, checked and packed
- `content`: the order of people by what they have, which settles every tie
"""
