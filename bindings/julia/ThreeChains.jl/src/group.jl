# Groups: processes that know each other by rank.

"""
    Group(context; timeout = 30)
    Group(context, "HOST:PORT,HOST:PORT,...", rank)

The group of the job that started this process (`tc-run`, `mpirun`, Slurm), or the one of a list of listeners,
the same at all members. `self_rank(group)` and `length(group)` give this member's rank, and the number of
members; `group[rank]`, from 0 on, is a member to `send` to and `call`, this one included.
"""
mutable struct Group <: Owned
    context::Context
    handle::Ptr{Cvoid}
    Group(context::Context, handle::Ptr{Cvoid}) = finalizer(leave, new(context, handle))
end
kind_of(::Group) = GROUP

function Group(context::Context; timeout=DEFAULT_SECONDS)
    space, made, longest = error_space(), Ref{Ptr{Cvoid}}(C_NULL), nanoseconds(timeout)
    check(progressing() do
        ccall(@tc(tc_group_join), Cint, (Ptr{Cvoid}, UInt64, Ref{Ptr{Cvoid}}, Ptr{UInt8}), use(context),
              longest, made, space)
    end, space)
    return Group(context, made[])
end

function Group(context::Context, hosts::AbstractString, rank::Integer)
    space, made = error_space(), Ref{Ptr{Cvoid}}(C_NULL)
    check(ccall(@tc(tc_group_create_hosts), Cint, (Ptr{Cvoid}, Cstring, UInt32, Ref{Ptr{Cvoid}}, Ptr{UInt8}),
                use(context), hosts, rank, made, space), space)
    return Group(context, made[])
end

self_rank(group::Group) = Int(ccall(@tc(tc_group_rank), UInt32, (Ptr{Cvoid},), use(group)))
Base.length(group::Group) = Int(ccall(@tc(tc_group_size), UInt32, (Ptr{Cvoid},), use(group)))

"""
    program(group, rank)

The program that a rank runs, `(number = 1, name = "worker")`, of those that tc-run started together: number 0 and
the name "" in other jobs.
"""
function program(group::Group, rank::Integer)
    name = Ref{Cstring}(C_NULL)
    number = ccall(@tc(tc_group_program), UInt32, (Ptr{Cvoid}, UInt32, Ref{Cstring}), use(group),
                   group[rank].rank, name)
    return (number=Int(number), name=unsafe_string(name[]))
end

# A member's endpoint ends with the member, and the next use of its rank connects again: it is asked for
# each time, and never kept.
struct Member
    group::Group
    rank::UInt32
end

function Base.getindex(group::Group, rank::Integer)
    0 <= rank < length(group) || throw(TcError(:TC_E_NOT_FOUND,
        "rank $rank of a group whose ranks are 0 to $(length(group) - 1)"))
    return Member(group, rank)
end

const Peer = Union{Endpoint,Member}

owner(member::Member) = member.group.context

function use(member::Member)
    group, made = use(member.group), Ref{Ptr{Cvoid}}(C_NULL)
    ask(space) = ccall(@tc(tc_group_ep), Cint, (Ptr{Cvoid}, UInt32, Ref{Ptr{Cvoid}}, Ptr{UInt8}), group,
                       member.rank, made, space)
    if ask(C_NULL) != OK
        space = error_space()
        check(ask(space), space)
    end
    return made[]
end

"""
    barrier(group; timeout = 30)

Waits until all members are here, and runs their messages. It keeps the thread for that long. A member that
gives up a barrier, by an interrupt, too, gives it up for all.
"""
function barrier(group::Group; timeout=DEFAULT_SECONDS)
    space, longest = error_space(), nanoseconds(timeout)
    check(progressing() do
        ccall(@tc(tc_group_barrier), Cint, (Ptr{Cvoid}, UInt64, Ptr{UInt8}), use(group), longest, space)
    end, space)
end
