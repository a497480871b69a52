# Libraries that travel, written in Julia: pushed to a node, used by functions in Julia and in C.
using Test, ThreeChains, Failures, Functions, Nodes

tenfold(x::Float64) = 10x
# Calls a function that is exported itself, and takes an array as C does.
function total_of(values::Ptr{Float64}, count::Int64)
    sum = 0.0
    for x in View{Float64}(values, count)
        sum += tenfold(x)
    end
    return sum
end
# Numbers that C passes in a part of a register.
narrow(a::Int8, b::UInt8, negative::Bool) = negative ? (-a - (b % Int8)) % Int8 : a
fill_with!(values::Ptr{Int32}, value::Int32) = (unsafe_store!(values, value, 1); values)
minimum(a::Float64, b::Float64) = Base.minimum((a, b)) # a name that Julia has, too
ready() = Int32(0)
unready() = Int32(7)

const EXPORTS = ["scaled" => tenfold, total_of, narrow, "fill" => fill_with!, minimum]

@ifunc function uses_all(payload::View{Float64}, target::Ptr{Cvoid})
    sum = ccall("extern total_of", llvmcall, Float64, (Ptr{Float64}, Int64), payload, length(payload))
    small = ccall("extern narrow", llvmcall, Int8, (Int8, UInt8, Bool), 100, 0x64, true)
    place = Ref(Int32(0))
    GC.@preserve place begin
        written = ccall("extern fill", llvmcall, Ptr{Int32}, (Ptr{Int32}, Int32), place, 9)
        nine = unsafe_load(written)
    end
    least = ccall("extern minimum", llvmcall, Float64, (Float64, Float64), (@inbounds payload[1]), 0.5)
    reply((sum, Int64(small), Int64(nine), least))
end

# `scaled` is of a library in C, then of one in Julia; scaled_in_c is a function in C.
function check_at(peer, context, images)
    in_julia = Ifunc(context, scaled_sum; deps=["tc:scale"], images=images)
    in_c = Ifunc(context, "scaled_in_c")
    push(peer, Library(context, "scale"); timeout=20)
    @test [call(Float64, peer, fn, [1.0, 2.5]; timeout=60) for fn in (in_julia, in_c)] == [7.0, 7.0]
    scale = Library(context, "scale", EXPORTS; images=images)
    push(peer, scale; timeout=60)
    @test [call(Float64, peer, fn, [1.0, 2.5]; timeout=60) for fn in (in_julia, in_c)] == [35.0, 35.0]
    all_of_them = Ifunc(context, uses_all; deps=["tc:scale"], images=images)
    @test call(Tuple{Float64,Int64,Int64,Float64}, peer, all_of_them, [1.0, 2.5]; timeout=60) == (35.0, 56, 9, 0.5)
    withdraw(peer, scale; timeout=20)
    @test failure(() -> call(Float64, peer, in_c, [1.0]; timeout=20))[1] == :TC_E_ABSENT
end

@testset "used by Julia and by C, as $form" for (form, images) in (("bitcode", false), ("image", true))
    withenv("TC_FORM" => form) do
        with_node() do address
            Context() do context
                check_at(Endpoint(context, address; timeout=20), context, images)
            end
        end
    end
end

@testset "entries, libraries beside it, an archive" begin
    Context() do context
        install(context, Library(context, "ready", [tenfold, "ready_init" => ready]))
        @test failure(() -> install(context, Library(context, "unready", ["unready_init" => unready, tenfold])))[1] ==
              :TC_E_REFUSED
        @test [l.symbols for l in libraries(context)] == [1]
        user(x::Float64) = ccall("extern tenfold", llvmcall, Float64, (Float64,), x) + 1
        @test failure(() -> install(context, Library(context, "user", [user]; deps=["tc:absent"])))[1] == :TC_E_ABSENT
        install(context, Library(context, "user", [user]; deps=["tc:ready"]))
        @test failure(() -> remove(context, "ready"))[1] == :TC_E_IN_USE
    end
    mktempdir() do folder
        path = archive(EXPORTS, joinpath(folder, "shelf.tca"))
        shown = read(Nodes.plain(`tc-ar show $path`), String)
        for slice in (r"aarch64-linux +bitcode", r"aarch64-linux +image", r"x86_64-linux +bitcode", r"x86_64-linux +image")
            @test occursin(slice, shown)
        end
        @test occursin("library", shown) && all(name -> occursin(name, shown), ("scaled", "total_of", "narrow", "fill", "minimum"))
    end
end

refusal(functions) = try bitcode(functions; name="lib"); "accepted" catch error sprint(showerror, error) end

const counts = Ref(0)
counting() = (counts[] += 1; counts[])
grows(count::Int64) = sum(zeros(count))
parts(x::Float64) = (x, x)
takes_view(values::View{Float64}) = length(values)
either(x::Int64) = x > 0 ? 1 : 1.0
wide(x::Int128) = x % Int64
any(x) = 1
two(x::Int64) = x
two(x::Int32) = x

@testset "what a library in Julia cannot export" begin
    @test occursin("exports functions and no data, found a Base.RefValue{$Int}", refusal([tenfold, counts]))
    @test occursin("exports functions and no data, found a Array{Float64,1}", refusal([[1.0]]))
    @test occursin(r"counting cannot run without Julia's runtime:\n.*exports.jl:\d+: uses an object that lives in this Julia",
                   refusal([tenfold, counting]))
    @test occursin(r"grows cannot run .*\n.*exports.jl:\d+: ", refusal([grows]))
    @test occursin("parts returns Tuple{Float64,Float64}, expected numbers", refusal([parts]))
    @test occursin("either returns Union{Float64, Int64}, expected numbers", refusal([either]))
    @test occursin("takes_view takes (View{Float64}), expected numbers", refusal([takes_view]))
    @test occursin("wide takes (Int128), expected numbers", refusal([wide]))
    @test occursin("any takes (Any), expected numbers", refusal([any]))
    @test occursin("two has 2 methods, expected one", refusal([two]))
    @test occursin("fill_with! is no name in C", refusal([fill_with!]))
    @test occursin("a library exports at least one function", refusal([]))
    @test occursin("each name once, found tenfold, tenfold", refusal([tenfold, "tenfold" => ready]))
    @test occursin("each function once", refusal([tenfold, "other" => tenfold]))
    @eval @ifunc runtime=true whole(payload::View{Int64}, target::Ptr{Cvoid}) = reply(1)
    @test occursin("whole has runtime=true", refusal([whole]))
    @test_throws ArgumentError bitcode([tenfold]; name="no name")
end

@testset "equal functions are equal bytes" begin
    code = bitcode(EXPORTS; name="scale")
    @test first.(code) == ["x86_64-pc-linux-gnu", "aarch64-unknown-linux-gnu"]
    @eval newer() = 1
    @test bitcode(EXPORTS; name="scale") == code
end
