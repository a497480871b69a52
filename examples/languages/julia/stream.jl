# Sends a stream of values to a node in batches, to be observed by the function in Julia and the one in C,
# and compares their answers with this process's results for all values.
#   stream.jl HOST:PORT BATCHES VALUES_OF_A_BATCH
using Random, Statistics, ThreeChains

include("observe.jl")

function observe(node, fn, values, batches)
    started = time_ns()
    for batch in Iterators.partition(values, length(values) ÷ batches)
        send(node, fn, batch)
    end
    flush(node; timeout=60)
    return (time_ns() - started) / 1e9
end

function check(name, said, values)
    sorted = sort(values)
    moments = said.moments
    @assert moments.count == length(values) "$name: $(moments.count) values, expected $(length(values))"
    @assert isapprox(moments.mean, mean(values); rtol=1e-9)
    @assert isapprox(moments.squares / (moments.count - 1), var(values); rtol=1e-9)
    @assert (moments.smallest, moments.largest) == extrema(values)
    for (share, found) in zip((0.5, 0.9, 0.99), said.quantiles)
        exact = sorted[floor(Int, share * (length(values) - 1))+1]
        @assert isapprox(found, exact; rtol=1 / 64) "$name: $found at $share, expected $exact"
    end
end

function main(address, batches, size)
    values = exp.(randn(MersenneTwister(1), batches * size))
    Context() do context
        node = Endpoint(context, address; timeout=20)
        # Machine code, as the archive in C has it: a node compiles bitcode well after 1000 calls alone.
        functions = ["Julia" => Ifunc(context, observe_julia; images=true), "C" => Ifunc(context, "observe_c")]
        foreach(pair -> prepare(node, pair[2]), functions)
        seconds = Dict(name => Inf for (name, _) in functions)
        rounds = 5
        for _ in 1:rounds, (name, fn) in functions
            seconds[name] = min(seconds[name], observe(node, fn, values, batches))
        end
        for (name, fn) in functions
            said = call(Summary, node, fn)
            check(name, said, repeat(values, rounds))
            println(rpad(name, 6), said.moments.count, " values: mean ", round(said.moments.mean; digits=4),
                    ", variance ", round(said.moments.squares / (said.moments.count - 1); digits=4), ", quantiles ",
                    join(round.(said.quantiles; digits=3), ", "), "; ",
                    round(1e9 * seconds[name] / length(values); digits=2), " ns a value")
        end
    end
end

main(ARGS[1], parse(Int, ARGS[2]), parse(Int, ARGS[3]))
