# Prototypes of functions in Julia, messages with several arrays, and answers of several values.
using Test, ThreeChains, Nodes

struct Limits
    low::Float64
    high::Float64
end

struct Framed
    bytes::NTuple{3,UInt8}
    limits::Limits
end

@ifunc function scaled(scale::Float64, shift::Int32, values::View{Float32}, target::Ptr{Cvoid})
    sum = 0.0
    for value in values
        sum += value
    end
    reply(sum * scale + shift)
end
@ifunc placed(limits::Limits, flag::Bool, target::Ptr{Cvoid}) = reply(limits.low)
@ifunc limited(values::View{Limits}, target::Ptr{Cvoid}) = reply(length(values))
@ifunc raw(payload::Ptr{UInt8}, size::UInt64, target::Ptr{Cvoid}) = reply(payload, size)
bytes_for(source::View{Float64}) = length(source)
fill_in(payload::View{UInt8}, source::View{Float64}) = 0
@ifunc payload=(bytes_for, fill_in) made(payload::View{UInt8}, target::Ptr{Cvoid}) = reply(length(payload))

@ifunc answer=Tuple{Float64,View{Float32},View{Int32}} several(a::View{Float64}, b::View{Float32}, limits::Limits, count::UInt64, target::Ptr{Cvoid}) =
    (answer = begin_reply(Tuple{Float64,View{Float32},View{Int32}}, length(b), count)) === nothing ? nothing : commit_reply(answer, limits.low)
@ifunc answer=Limits struct_answer(a::Float64, target::Ptr{Cvoid}) = reply(Limits(a, 2a))
@ifunc answer=Tuple{Float64,Int32} tuple_answer(a::Float64, target::Ptr{Cvoid}) = reply((a, Int32(7)))
@ifunc answer=Tuple{View{Int8},View{Int8}} unlike(a::Float64, target::Ptr{Cvoid}) = nothing

@ifunc summed(corner::NTuple{3,Float64}, framed::Framed, target::Ptr{Cvoid}) = reply(corner[1] + corner[3] + framed.bytes[2])

const TEXTS = [summed => "(f64[3],{u8[3],{f64,f64}})->*", several => "(f64[],inout f32[],{f64,f64},out i32[])->f64", struct_answer => "(f64)->{f64,f64}",
    tuple_answer => "(f64)->{f64,i32}", unlike => "(f64)->*", scaled => "(f64,i32,f32[])->*", placed => "({f64,f64},bool)->*", limited => "({f64,f64}[])->*", raw => nothing, made => nothing]

hex_of(values) = ThreeChains.with_bytes((start, size) -> bytes2hex(copy(unsafe_wrap(Array, start, size))), values)
refusal(f) = try f(); "" catch error; sprint(showerror, error) end

@testset "messages have the bytes of other languages" begin
    # As in tests/python/test_prototypes.py.
    for (values, expected) in ((Float32[1.5], 0x09) => "09000000" * "0000c03f", ("a", "bc", UInt32(3)) => "0100000000000000" * "03000000" * "61" * "6263",
            (UInt16[1, 2], 0x09, [0.5]) => "0200000000000000" * "09" * "00" * "01000200" * "0000" * "000000000000e03f",
            (Int32(1), Float64[]) => "0100000000000000", (0x01, SubString("cab", 2)) => "016162",
            (1:2, "x") => "0200000000000000" * "0100000000000000" * "0200000000000000" * "78")
        @test hex_of(values) == expected
    end
    @test_throws ArgumentError hex_of((1, [1, "text"]))
    @test_throws ArgumentError hex_of(([1.0], Ref(1)))
end

@testset "texts of calls" begin
    text(result, payload...) = first(ThreeChains.prototype_texts(result, payload))
    @test text(Nothing, [1.0], "a") == "(f64[],text)->*"
    @test text(Tuple{Float64,Vector{Float32},Limits,Vector{Int32}}, [1.0], Float32[], "abc", UInt64(5)) ==
        "(f64[],inout f32[],out {f64,f64},text,out i32[])->f64"
    @test text(Tuple{Float64,Limits}, 1.0) == "(f64)->*"
    @test text(Tuple{Float64,Vector{Float64}}, 1.0) == "(f64)->*"
    @test text(Tuple{Vector{Float64},Bool}, 0x01) == "(out bool,u8)->f64[]"
    @test text(Nothing, (1.0, 2.0), Int16(3)) == "(f64[2],i16)->*"
    @test text(Nothing, 1, Framed((1, 2, 3), Limits(1, 2)), ntuple(i -> Limits(i, i), 4)) == "(i64,{u8[3],{f64,f64}},{f64,f64}[4])->*"
    @test text(Nothing, 1, ((1, 2), (3, 4))) == "(i64,?16:8[2])->*" # no array has arrays
    @test text(Tuple{Vector{Float64},NTuple{2,Int8}}, 0x01) == "(out i8[2],u8)->f64[]"
    @test ThreeChains.call_texts(Nothing, Tuple{NTuple{2,Int32},Framed}) ==
        ("(i32[2],{u8[3],{f64,f64}})->*", "({i32,i32},{{u8,u8,u8},{f64,f64}})->*", "({i32[2],{u8[3],{f64,f64}}}[])->*")
    @test ThreeChains.call_texts(Nothing, NTuple{3,Float32}) == ("(f32,f32,f32)->*", "(f32[])->*", "(f32[3])->*")
    @test all(text -> sizeof(text) < 511, ThreeChains.call_texts(Nothing, Tuple{Int8,NTuple{500,Float64}})) # not 500 members
end

@testset "answers of several values" begin
    from(type, values) = ThreeChains.from_bytes(type, ThreeChains.with_bytes((start, size) -> copy(unsafe_wrap(Array, start, size)), values))
    all_kinds = (0x03, Float32[1, 2], "abc", (Int16(1), Int16(2)), [0.5])
    @test from(Tuple{UInt8,Vector{Float32},String,NTuple{2,Int16},Vector{Float64}}, all_kinds) == all_kinds
    @test from(Tuple{Vector{Float32},String}, (Float32[], "")) == (Float32[], "")
    two = Tuple{Vector{UInt16},UInt8,Vector{Float64}}
    good = hex2bytes("0200000000000000" * "09" * "00" * "01000200" * "0000" * "000000000000e03f")
    @test ThreeChains.from_bytes(two, copy(good)) == (UInt16[1, 2], 0x09, [0.5])
    @test occursin("8 bytes, expected at least 9", refusal(() -> ThreeChains.from_bytes(two, good[1:8])))
    @test occursin("15 bytes, expected at least 16", refusal(() -> ThreeChains.from_bytes(two, good[1:15])))
    @test occursin("expected a multiple of the 8", refusal(() -> ThreeChains.from_bytes(two, good[1:23])))
    @test occursin("an array of 8 elements, expected at most 7", refusal(() -> ThreeChains.from_bytes(two, [0x08; good[2:end]])))
    for size in 0:40, fill in (0x00, 0x01, 0x7f, 0xff)
        @test refusal(() -> ThreeChains.from_bytes(two, repeat([fill], size))) isa String
    end
end

# Functions in C of tests/stubs. Their entries check each length.
function check_stubs(context, node, folder)
    open_stub(name) = Ifunc(context; path=joinpath(folder, name * ".tca"))
    @test call(Float64, node, open_stub("dot"), ([1.0, 2.0], [3.0, 4.0])) == 11
    @test call(Vector{Float32}, node, open_stub("scale"), (Float32[1, 2], 1.5f0)) == [1.5, 3]
    @test call(UInt64, node, open_stub("lengths"), ("abc", "x"^500, 0x02, 1.5f0)) == 4001
    @test call(Tuple{Float64,Vector{Float32},Limits,Vector{Int32}}, node, open_stub("blend"),
               ([2.0, 4.0], 0.5, Float32[1, 1], "abc", UInt64(5), true)) == (8.0, Float32[2, 3], Limits(5, 1), Int32[97, 98, 99, -1, -1])
    @test call(Limits, node, open_stub("measure"), [3.0, 1, 2]) == Limits(1, 3)
    @test call(Tuple{NTuple{3,Float64},NTuple{3,Float64}}, node, open_stub("turn"), ((1.0, 2.0, 3.0), (4.0, 5.0, 6.0))) ==
        ((5, 7, 9), (6, 5, 5))
    for wrong in (((1, 2, 3), (4.0, 5.0, 6.0)), ((1.0, 2.0), (4.0, 5.0, 6.0)), ((1.0, 2.0, 3.0), Limits(4, 5), 6.0))
        @test occursin("TC_E_VERSION", refusal(() -> call(node, open_stub("turn"), wrong)))
    end
    @test call(Tuple{Bool,Int64}, node, open_stub("flip"), (true, UInt32(2), 5)) == (false, -3)
    @test occursin("TC_E_VERSION", refusal(() -> call(Float64, node, open_stub("dot"), ([1.0], Float32[3]))))
    @test occursin("TC_E_VERSION", refusal(() -> call(Vector{UInt64}, node, open_stub("squares"))))
    @test occursin("TC_E_INVALID", refusal(() -> call(Float64, node, open_stub("dot"), ([1.0], [3.0, 1.0]))))
end

with_node() do address
    Context() do context
        node = Endpoint(context, address; timeout=20)
        @testset "functions in Julia have one" begin
            for (f, text) in TEXTS, images in (false, true)
                @test ThreeChains.prototype(Ifunc(context, f; images=images)) == text
            end
            fn = Ifunc(context, scaled)
            @test call(Float64, node, fn, (0.5, Int32(7), Float32[1.5, 2.5])) == 9
            @test occursin("function 'scaled' is called as '(f64,i64,f32[])->f64', and it is '(f64,i32,f32[])->*'",
                           refusal(() -> call(Float64, node, fn, (0.5, 7, Float32[1]))))
            @test call(Int, node, Ifunc(context, limited)) == 0 # no payload: an array without elements
            @test call(Int, node, Ifunc(context, limited), Limits(1, 2)) == 1 # an array of one
            @test occursin("TC_E_VERSION", refusal(() -> call(Int, node, Ifunc(context, limited), 1.0)))
            @test occursin("TC_E_VERSION", refusal(() -> call(Float64, node, fn)))
            @test call(Int, node, Ifunc(context, made), [1.0, 2.0]) == 2
            framed = Framed((1, 2, 3), Limits(4, 5))
            @test call(Float64, node, Ifunc(context, summed), ((1.5, 2.5, 3.5), framed)) == 7
            @test occursin("called as '(i64[3],{u8[3],{f64,f64}})->f64'",
                           refusal(() -> call(Float64, node, Ifunc(context, summed), ((1, 2, 3), framed))))
            @test call(Float64, node, Ifunc(context, placed), ((1.0, 2.0), true)) == 1 # a struct as a tuple
            @test call(Int, node, Ifunc(context, limited), ((1.0, 2.0),)) == 1
            @test call(Tuple{Float64,Vector{Float32},Vector{Int32}}, node, Ifunc(context, several),
                       ([1.0], Float32[2, 3], Limits(4, 5), UInt64(1))) == (4.0, Float32[0, 0], Int32[0])
            @test call(Limits, node, Ifunc(context, struct_answer), 1.0) == Limits(1, 2)
            @test call(Tuple{Float64,Int32}, node, Ifunc(context, tuple_answer), 1.0) == (1.0, 7)
            @test occursin("TC_E_VERSION", refusal(() -> call(Float64, node, Ifunc(context, struct_answer), 1.0)))
            @test occursin("TC_E_INVALID", refusal(() -> call(Vector{UInt8}, node, Ifunc(context, several), UInt8[8, 0, 0])))
            send(node, Ifunc(context, several), ([1.0], Float32[2], Limits(4, 5), UInt64(1))) # no call: it has no answer
            @test call(node, Ifunc(context, raw), "any") == codeunits("any")
        end
        folder = joinpath(dirname(ENV["TC_IFUNC_PATH"]), "stubs")
        isfile(joinpath(folder, "blend.tca")) && @testset "functions of stubs" begin
            check_stubs(context, node, folder)
        end
    end
end
