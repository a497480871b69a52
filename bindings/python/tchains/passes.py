"""LLVM's passes over a module, by either kind of pass manager that versions of llvmlite have."""
from llvmlite import binding as llvm


def prune(module, codegen):
    """Inlines cheap functions, and removes pairs of reference counts: Numba's own first step."""
    made = codegen._module_pass_manager(loop_vectorize=False, slp_vectorize=False, opt=0, cost="cheap")
    if isinstance(made, tuple):
        manager, builder = made
        manager.run(module, builder)
    else:
        made.run(module)


def simplify(module, codegen):
    """As for -O2, but loops stay as they were written."""
    if hasattr(llvm, "PassManagerBuilder"):
        builder = llvm.PassManagerBuilder()
        builder.opt_level, builder.inlining_threshold = 2, 225
        builder.loop_vectorize = builder.slp_vectorize = False
        builder.disable_unroll_loops = True
        manager = llvm.ModulePassManager()
        builder.populate(manager)
        manager.add_global_dce_pass()
        manager.run(module)
        return
    tuning = llvm.create_pipeline_tuning_options(speed_level=2, size_level=0)
    tuning.loop_vectorization = tuning.slp_vectorization = tuning.loop_unrolling = False
    builder = llvm.create_pass_builder(codegen._tm, tuning)
    builder.getModulePassManager().run(module, builder)
