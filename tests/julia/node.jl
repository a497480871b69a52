# A node in Julia: runs whatever arrives, with `thread` in a thread of the library's. node.jl PORT_FILE [thread]
using ThreeChains

context = Context()
counts = target_args!(context, zeros(UInt64, 4))
publish(context, "table", [1.0, 2.0, 3.0])
listener = Listener(context, "127.0.0.1:0")
write(ARGS[1] * ".new", string(port(listener)))
mv(ARGS[1] * ".new", ARGS[1])
if "thread" in ARGS
    space = ThreeChains.error_space()
    status = ccall(ThreeChains.@tc(tc_context_start_thread_sized), Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Csize_t, Ptr{UInt8}),
                   context.handle, C_NULL, 0, space)
    ThreeChains.check(status, space)
    sleep(120)
else
    serve(context; timeout=120)
end
