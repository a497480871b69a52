"""
Sends functions, written in Julia or any other language of LLVM, to other processes, and runs those that
arrive: bindings of libtchains.
"""
module ThreeChains

using Libdl
using FileWatching: FDWatcher

export Context, Listener, Endpoint, Ifunc, TcError, RefusedFunction, LayoutMismatch, View
export @ifunc, bitcode, archive, send, call, prepare, progress, serve, publish, target_args!, port, stats
export finish
export Group, barrier, call_all, program, Library, push, withdraw, install, remove, libraries
export Window, WindowView, GlobalPointer, chain, map_window
export fill_holes, holes
export allocate, fetch_add!, compare_swap!, masked_compare_swap!, get_indirect
export Unit, fail!
export reply, begin_reply, commit_reply, reply_error, forward, published, state, @c_str, self_rank, self_size, self_hops

include("library.jl")
include("payload.jl")
include("note.jl")
include("alarm.jl")
include("context.jl")
include("progress.jl")
include("group.jl")
include("llvm.jl")
include("c_names.jl")
include("refusal.jl")
include("layout_check.jl")
include("compile.jl")
include("embedded.jl")
include("entry.jl")
include("am_unit.jl")
include("message.jl")
include("exports.jl")
include("archive.jl")
include("ifunc.jl")
include("hole.jl")
include("prototype.jl")
include("call.jl")
include("remote.jl")
include("travelling.jl")
include("words.jl")
include("window.jl")
include("chain.jl")
include("warm.jl")

# Precompiled code must not contain handles of another process.
function __init__()
    library[] = C_NULL
    llvm_library[] = C_NULL
    atexit(close_live_contexts)
end

end
