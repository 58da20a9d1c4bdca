"""Numba's compiler with less to do: what nobody can call is not made into machine code.

By itself numba optimises every function, and makes machine code of it, before it links it into those that call it,
where all of that is done again. Helpers are many, stand upon one another, and are never called by themselves: linking
them as they are, and optimising kernels once and whole, is much less work. The same holds for what numba itself is
made of, such as the making of an array, as long as it is compiled for a kernel.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering

from shoal.progress import compiling

_open: list[str] = []
"""Functions that are being compiled, each for the one before it; numba compiles in one thread at a time."""
_compiled = 0


class _Whole(JITCodeLibrary):
    """The code of a kernel."""

    def _optimize_functions(self, ll_module: Any) -> None:
        # Each by itself: all are optimised together, once they are linked.
        ll_module.data_layout = self._codegen._data_layout


class _Part(_Whole):
    """The code of a helper: linked into others, never run where it is."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:  # noqa: ARG002
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> Any:
        """What is asked to remember the function's environment, which code that runs nowhere has none of."""
        return self

    def set_env(self, name: str, env: Any) -> None:
        pass


@register_pass(mutates_CFG=True, analysis_only=False)
class _LowerKernel(NativeLowering):
    _name = "lower_kernel"

    def run_pass(self, state: Any) -> Any:
        state.library = _Whole(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return super().run_pass(state)


@register_pass(mutates_CFG=True, analysis_only=False)
class _LowerHelper(NativeLowering):
    _name = "lower_helper"

    def run_pass(self, state: Any) -> Any:
        state.library = _Part(state.targetctx.codegen(), state.func_id.func_qualname)
        return super().run_pass(state)


class KernelCompiler(CompilerBase):
    """As numba's, but for how the machine code of a kernel comes about."""

    _lowering: Any = _LowerKernel

    def define_pipelines(self) -> Any:
        """Return numba's passes, with another one in the place of its lowering."""
        manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
        manager.passes = [(self._lowering if step is NativeLowering else step, text) for step, text in manager.passes]
        manager._finalized = False
        manager.finalize()
        return [manager]

    def _compile_core(self) -> Any:
        with _announced(self.state.func_id.func_qualname):
            return super()._compile_core()


class HelperCompiler(KernelCompiler):
    """The same for a helper."""

    _lowering = _LowerHelper


@contextmanager
def _announced(name: str) -> Iterator[None]:
    """Tell of a function that is compiled; nothing is collected meanwhile, which would find little and take a tenth."""
    global _compiled
    collecting, numbas_own = gc.isenabled(), JITCPUCodegen._library_class
    gc.disable()
    JITCPUCodegen._library_class = _Part
    _open.append(name)
    try:
        compiling(_compiled, 0)
        yield
        _compiled += 1
    finally:
        _open.pop()
        JITCPUCodegen._library_class = numbas_own
        if collecting:
            gc.enable()
    if not _open:
        compiling(_compiled, _compiled)
