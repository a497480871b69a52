# A descriptor that is readable when another one is, or at a given time. Julia's own Timer has a task run, and
# an interrupt that strikes while all tasks wait goes to whichever has run last: only if no other one runs here
# is it the one that waits.

mutable struct Alarm
    descriptor::Cint # of epoll, for the other two
    timer::Cint
    at::Float64 # as time()
end

Alarm() = Alarm(-1, -1, Inf)
is_there(alarm::Alarm) = alarm.descriptor >= 0

const CLOSE_ON_EXEC = 0o2000000
const CLOCK_MONOTONIC = 1
const EPOLL_CTL_ADD = 1
const EPOLLIN = UInt32(1)

function Alarm(watched::Cint)
    timer = ccall(:timerfd_create, Cint, (Cint, Cint), CLOCK_MONOTONIC, CLOSE_ON_EXEC)
    descriptor = ccall(:epoll_create1, Cint, (Cint,), CLOSE_ON_EXEC)
    alarm = Alarm(descriptor, timer, Inf)
    # struct epoll_event, which is packed on x86_64 alone
    event = Sys.ARCH == :x86_64 ? UInt32[EPOLLIN, 0, 0] : UInt32[EPOLLIN, 0, 0, 0]
    for fd in (watched, timer)
        failed = ccall(:epoll_ctl, Cint, (Cint, Cint, Cint, Ptr{UInt32}), descriptor, EPOLL_CTL_ADD, fd, event)
        failed == 0 || (close(alarm); systemerror("a descriptor to wait at"))
    end
    return alarm
end

# An earlier time replaces the one before; a time in the past is now.
function set_alarm(alarm::Alarm, at::Float64)
    alarm.at = at
    left = clamp(at - time(), 1e-6, 1e6)
    seconds = floor(left)
    value = Int64[0, 0, seconds, max(1, round(Int, (left - seconds) * 1e9))] # struct itimerspec
    ccall(:timerfd_settime, Cint, (Cint, Cint, Ptr{Int64}, Ptr{Cvoid}), alarm.timer, 0, value, C_NULL)
end

function Base.close(alarm::Alarm)
    alarm.descriptor >= 0 && ccall(:close, Cint, (Cint,), alarm.descriptor)
    alarm.timer >= 0 && ccall(:close, Cint, (Cint,), alarm.timer)
    alarm.descriptor = alarm.timer = -1
    return
end
