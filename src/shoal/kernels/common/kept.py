"""Machine code that was kept, and how little it takes to load it.

Before it looks into its cache, numba gets ready to compile: it loads all types and functions that it knows. With the
machine code it keeps code to link into others, and the surroundings of every function that went into it. All of that
together took a quarter of the time of a small command. A kernel is called by Python and by no other kernel, so that its
machine code is enough, with numba's runtime. If it is not there, the compiler gets ready by itself.
"""

from collections.abc import Iterable
from typing import Any

from llvmlite import binding, ir
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.runtime.nrt import rtsys


class _Kept(CompileResultCacheImpl):
    """What of a kernel is written to the cache, and how it is read."""

    def reduce(self, cres: Any) -> Any:
        """Return what is kept: of the code to link only names; of surroundings those with something in them."""
        (name, kind, (machine_code, _)), *others, surroundings = super().reduce(cres)
        names = _names(function.name for function in cres.library.get_defined_functions())
        return (name, kind, (machine_code, names)), *others, tuple(one for one in surroundings if one.consts)

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        """Return the kernel, which cannot be linked: numba says so if somebody tries."""
        cres = super().rebuild(target_context, payload)
        cres.library._shared_module = None
        return cres


class KernelCache(FunctionCache):
    """Numba's cache of the machine code of a function, as a kernel needs it."""

    _impl_class = _Kept

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the machine code for a signature; None if it was not kept."""
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)


def _names(functions: Iterable[str]) -> bytes:
    """Return a module that has nothing but these names: numba calls only what it finds there."""
    module = ir.Module()
    for name in functions:
        ir.GlobalVariable(module, ir.IntType(8), name).initializer = ir.Constant(ir.IntType(8), 0)
    bitcode: bytes = binding.parse_assembly(str(module)).as_bitcode()
    return bitcode
