"""Machine code that was kept, and how little it takes to load it.

Before it looks into its cache, numba gets ready to compile: it loads all types and functions that it knows. With the
machine code it keeps code to link into others, and the surroundings of every function that went into it. All of that
together took a quarter of the time of a small command. A kernel is called by Python and by no other kernel, so that its
machine code is enough, with numba's runtime. If it is not there, the compiler gets ready by itself, and other processes
wait for what it makes.
"""

import fcntl
import os
import time
from collections.abc import Iterable
from typing import Any

from llvmlite import binding, ir
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.runtime.nrt import rtsys

from shoal.kernels.common import rehearsal

_SECONDS_BETWEEN_LOOKS = 0.02


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


class TakenError(Exception):
    """Another process compiles this kernel now."""


class KernelCache(FunctionCache):
    """Numba's cache of the machine code of a function, as a kernel needs it.

    One process at a time compiles a kernel, whichever comes first, as long as it holds the lock of a file beside the
    code; the lock goes with the process. Where files cannot be locked, everybody compiles.

    Attributes
    ----------
    waits
        Whether to wait for what another process compiles; otherwise `TakenError` is raised.
    """

    _impl_class = _Kept
    waits = True
    _lock: int | None = None

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the machine code for a signature; None if it was not kept: then it is to be compiled."""
        rtsys.initialize(target_context)
        found = self._load_overload(sig, target_context)
        if found is not None:
            return found
        rehearsal.start()
        self._take_lock()
        found = self._load_overload(sig, target_context)
        if found is not None:
            self._release()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the machine code for a signature, and let others have it."""
        try:
            super().save_overload(sig, data)
        finally:
            self._release()

    def _take_lock(self) -> None:
        if self._lock is not None:  # what it was taken for could not be compiled
            return
        try:
            name = f"{self._impl.filename_base}.lock"
            self._lock = os.open(f"{self._cache_path}/{name}", os.O_RDWR | os.O_CREAT)
            while True:
                try:
                    fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    if not self.waits:
                        self._release()
                        raise TakenError from None
                    # Not a wait that nothing can end: the thread may be the one that hears of Ctrl-C.
                    time.sleep(_SECONDS_BETWEEN_LOOKS)
                else:
                    return
        except OSError:
            self._release()

    def _release(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _names(functions: Iterable[str]) -> bytes:
    """Return a module that has nothing but these names: numba calls only what it finds there."""
    module = ir.Module()
    for name in functions:
        ir.GlobalVariable(module, ir.IntType(8), name).initializer = ir.Constant(ir.IntType(8), 0)
    bitcode: bytes = binding.parse_assembly(str(module)).as_bitcode()
    return bitcode
