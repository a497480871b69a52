# The code that is inferred when the package is precompiled, and not in each program once more: the compiler of
# functions, and the first calls of a program.

precompile(compile, (Vector{Entry}, String))
precompile(compile_embedded, (Function, String))
precompile(entries_of, (Function, String))
precompile(export_entries, (Vector{Any},))
precompile(check_runtime, (Handle, String))
precompile(bitcode, (Function,))
precompile(pack, (Vector{Pair{String,Vector{UInt8}}}, String, String, Vector{String}, Cmd))
precompile(Context, ())
precompile(close, (Context,))
precompile(Endpoint, (Context, String))
precompile(Listener, (Context, String))
precompile(Ifunc, (Context, Function))
precompile(Ifunc, (Context, String))
precompile(progress, (Context,))
precompile(sleep_at_descriptor, (Context, Float64))
