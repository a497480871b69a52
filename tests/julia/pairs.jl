# The languages of the sender, the node and the function: every combination of Julia and C.
using Test, ThreeChains, Functions, Nodes

const VALUES = collect(1.0:1000)
const EMULATED = haskey(ENV, "NODE_PROGRAM") # a node of the other architecture, with a slow LLVM

# Data that functions find by name.
function check_symbols(context, endpoint, table)
    @test call(UInt64, endpoint, Ifunc(context, text_of), "hello\0") == 5
    @test call(UInt64, endpoint, Ifunc(context, bound; deps=["libz.so.1"]), UInt64[1000]) == 1013
    @test table_of(endpoint, Ifunc(context, table_sum)) == table
end

table_of(endpoint, fn) = try call(Float64, endpoint, fn, [0.5]) catch error; (error.status, error.text) end

struct Pairing # one of a message's values
    first::Int32
    second::Float64
end

function check_prototypes(endpoint, fn)
    @test ThreeChains.prototype(fn) == "(f64[])->f64"
    @test reinterpret(Float64, call(endpoint, fn, VALUES))[1] == 500500.0 # any answer
    @test call(Float64, endpoint, fn, Vector{UInt8}(reinterpret(UInt8, VALUES))) == 500500.0 # any bytes
    refusal(f) = try f(); "" catch error; string(error.status, error.text) end
    @test refusal(() -> call(Float32, endpoint, fn, VALUES)) ==
        "TC_E_VERSIONfunction 'total_in_c' is called as '(f64[])->f32', and it is '(f64[])->f64'"
    for (payload, text) in ((1.0f0, "(f32)"), (Float32[1], "(f32[])"), ("a", "(text)"), ((1.0, VALUES), "(f64,f64[])"),
                            ((true, Int8(1), Pairing(1, 2)), "(bool,i8,{i32,f64})"), ((1, (1, 2)), "(i64,i64[2])"))
        @test occursin("as '$text->*'", refusal(() -> send(endpoint, fn, payload)))
    end
end

function check_from_julia(address, table)
    Context() do context
        endpoint = Endpoint(context, address; timeout=20)
        for fn in (Ifunc(context, total), Ifunc(context, "total_in_c"))
            @test call(Float64, endpoint, fn, VALUES) == 500500.0
            @test call(Float64, endpoint, fn, [2.5]) == 2.5
            @test call(Float64, endpoint, fn, Float64[]) == 0.0
        end
        @test_throws ArgumentError call(UInt32, endpoint, Ifunc(context, total), VALUES; capacity=8)
        check_prototypes(endpoint, Ifunc(context, "total_in_c"))
        @test call(Functions.Moments, endpoint, Ifunc(context, moments), [1.0, 2.0, 3.0]) ==
              Functions.Moments(3, 2.0, 2.0)
        EMULATED || check_symbols(context, endpoint, table)
        counter = Ifunc(context, count_up)
        for _ in 1:100
            send(endpoint, counter, "abc")
        end
        flush(endpoint; timeout=20)
        @test call(UInt64, endpoint, counter, "") == 300
        for _ in 1:10
            send(endpoint, counter, rand(UInt8, 100_000))
        end
        @test call(UInt64, endpoint, counter, nothing) == 1_000_300
    end
end

# tc-send is a program in C.
function check_from_c(address)
    mktempdir() do folder
        written = archive(total, joinpath(folder, "total.tca"))
        payload = joinpath(folder, "payload")
        write(payload, VALUES)
        for file in (written, joinpath(ENV["TC_IFUNC_PATH"], "total_in_c.tca"))
            answer = read(Nodes.plain(`tc-send $address $file --call --payload $payload`))
            @test reinterpret(Float64, answer)[1] == 500500.0
        end
        listing = read(Nodes.plain(`tc-ar show $written`), String)
        if !EMULATED
            archive(bound, joinpath(folder, "bound.tca"); deps=["libz.so.1", "libm.so.6"])
            @test read(joinpath(folder, "bound.deps"), String) == "libz.so.1\nlibm.so.6\n"
        end
        for slice in (r"aarch64-linux +bitcode", r"aarch64-linux +image", r"x86_64-linux +bitcode", r"x86_64-linux +image")
            @test occursin(slice, listing)
        end
    end
end

@testset "to a node in C" begin
    with_node() do address
        check_from_julia(address, (:TC_E_PAYLOAD, "no table here"))
        check_from_c(address)
    end
end

EMULATED || @testset "to a node in Julia" begin
    with_julia_node() do address
        check_from_julia(address, 6.5)
        check_from_c(address)
    end
end
