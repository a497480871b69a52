# Targets for tests: processes of their own on loopback, which are ended by their id.
module Nodes

export with_node, with_julia_node, with_embedding_node

using Libdl
using ThreeChains: plain

# Another one may be of another architecture.
node_program() = get(ENV, "NODE_PROGRAM", "tc-node")
const NODE = joinpath(@__DIR__, "node.jl")

function wait_for_port(file::String, output::String, node)
    deadline = time() + 60
    while !isfile(file) || isempty(read(file))
        process_running(node) || error("the node has ended: ", read(output, String))
        time() < deadline || error("the node does not listen")
        sleep(0.02)
    end
    return string("127.0.0.1:", strip(read(file, String)))
end

function with_process(f, command::Cmd, file::String, output::String)
    node = run(pipeline(command, stdin=devnull, stdout=output, stderr=output, append=true), wait=false)
    try
        address = wait_for_port(file, output, node)
        return applicable(f, address, output) ? f(address, output) : f(address)
    finally
        kill(node, Base.SIGTERM)
        wait(node)
    end
end

function with_node(f, options...)
    mktempdir() do folder
        file, output = joinpath(folder, "port"), joinpath(folder, "output")
        with_process(f, plain(`$(node_program()) --listen 127.0.0.1:0 --port-file $file $options`), file, output)
    end
end

function with_julia_node(f, options...)
    mktempdir() do folder
        file, output = joinpath(folder, "port"), joinpath(folder, "output")
        command = `$(ENV["JULIA"]) --startup-file=no $NODE $file $options`
        with_process(f, command, file, output)
    end
end

# A program in C that embeds Julia: examples/languages/julia/julia_node.c.
function with_embedding_node(f)
    tree, build = normpath(joinpath(@__DIR__, "..", "..")), dirname(dirname(ENV["TCHAINS_LIBRARY"]))
    julia = first(filter(path -> occursin("libjulia.so", path), dllist()))
    source = joinpath(tree, "examples", "languages", "julia", "julia_node.c")
    mktempdir() do folder
        program, file, output = joinpath.(folder, ("julia_node", "port", "output"))
        run(plain(`cc -Wall -Wextra -Werror $source -I$tree/include -isystem $(Sys.BINDIR)/../include/julia
            -L$build/lib -ltchains $julia -Wl,-rpath,$build/lib -Wl,--unresolved-symbols=ignore-in-shared-libs
            -o $program`))
        with_process(f, addenv(`$program $file`, "JULIA_BINDIR" => Sys.BINDIR), file, output)
    end
end

addenv(command::Cmd, pair) = setenv(command, merge(Dict(ENV), Dict(pair)))

end
