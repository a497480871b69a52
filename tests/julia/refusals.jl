# Functions that need Julia where they run are refused where they are written, with the line.
using Test, ThreeChains

const table = Dict(1 => 2.0)
global limit = 3

allocates(p::View{Int64}, t::Ptr{Cvoid}) = (v = zeros(Int64, length(p)); v[1] = p[1]; unsafe_store!(Ptr{Int64}(t), sum(v)))
throws(p::View{Int64}, t::Ptr{Cvoid}) = (p[1] < 0 && throw(DomainError(p[1])); reply(p[1]))
inexact(p::View{Int64}, t::Ptr{Cvoid}) = reply(UInt8(p[1]))
dispatches(p::View{Int64}, t::Ptr{Cvoid}) = reply(limit + p[1])
prints(p::View{Int64}, t::Ptr{Cvoid}) = println("got ", p[1])
looks_up(p::View{Int64}, t::Ptr{Cvoid}) = reply(table[p[1]])
recurses(p::View{Int64}, t::Ptr{Cvoid}) = reply(Base.checked_add(p[1], 1))
wide(p::View{Tuple{Int8,Int128}}, t::Ptr{Cvoid}) = reply((@inbounds p[1])[2] % Int64)
two(p::View{Int64}, t::Ptr{Cvoid}) = nothing
two(p::View{Int32}, t::Ptr{Cvoid}) = nothing
untyped(p, t) = nothing
objects(p::View{Any}, t::Ptr{Cvoid}) = nothing
fine(p::View{Int64}, t::Ptr{Cvoid}) = reply(p[1] + 1)
unit_alone(unit::Unit, input::View{Int64}) = nothing
@ifunc runtime=true unit_here(unit::Unit, i::View{Int64}, o::View{Int64}, m::View{Int64}) = nothing

function refusal(f)
    try
        bitcode(f)
        return "accepted"
    catch error
        return sprint(showerror, error)
    end
end

@testset "what is refused, and where" begin
    for (f, line, reason) in ((allocates, 7, "allocates memory of Julia's garbage collector"),
                              (throws, 8, "throws an exception"),
                              (inexact, 9, "throws an exception (throw_inexacterror)"),
                              (dispatches, 10, "dynamic dispatch"),
                              (prints, 11, "dynamic dispatch"),
                              (looks_up, 12, "uses an object that lives in this Julia"),
                              (recurses, 13, "throws an exception (throw_overflowerr"))
        text = refusal(f)
        @test occursin("RefusedFunction: $f cannot run without Julia's runtime", text)
        @test occursin("refusals.jl:$line: $reason", text)
        @test !occursin("entry.jl", text)
    end
    @test occursin("\n    in ", refusal(inexact))
end

@testset "types" begin
    text = refusal(wide)
    @test occursin("LayoutMismatch: wide", text) && occursin("aarch64", text) || occursin("x86_64", text)
    @test occursin("two has 2 methods, expected one", refusal(two))
    @test occursin("expected (View{T}, Ptr{U})", refusal(untyped))
    @test occursin("expected (View{T}, Ptr{U})", refusal(objects))
    @test_throws ArgumentError bitcode(fine; name="no name")
    @test occursin("expected (View{T}, Ptr{U})", refusal(unit_alone))
    @test occursin("has runtime=true and takes (Unit, ", refusal(unit_here))
end

@testset "a refusal leaves nothing behind" begin
    code = bitcode(fine)
    @test first.(code) == ["x86_64-pc-linux-gnu", "aarch64-unknown-linux-gnu"]
    @test all(pair -> pair[2][1:4] == UInt8[0x42, 0x43, 0xc0, 0xde], code)
    @test bitcode(fine) == code
    @test occursin("throws", refusal(throws))
end

@testset "@ifunc says it where the function stands" begin
    @test_throws RefusedFunction @eval @ifunc text(payload::View{UInt8}, target::Ptr{Cvoid}) = reply(string(payload[1]))
end

@testset "what a function calls is the newest, too" begin
    @eval step_of() = 1
    @eval stepping(payload::View{Int64}, target::Ptr{Cvoid}) = reply(payload[1] + step_of())
    before = bitcode(stepping)
    @eval step_of() = 2
    @test bitcode(stepping) != before
end
