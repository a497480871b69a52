# A node in Julia: runs whatever arrives. node.jl PORT_FILE
using ThreeChains

context = Context()
counts = target_args!(context, zeros(UInt64, 4))
listener = Listener(context, "127.0.0.1:0")
write(ARGS[1] * ".new", string(port(listener)))
mv(ARGS[1] * ".new", ARGS[1])
serve(context; timeout=120)
