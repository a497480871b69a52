// Three-Chains in C++17: owners of the objects of the C API, and calls by types.
//
//     #include <tc/tchains.hpp>
//
//     int main()
//     try {
//         tc::context ctx;
//         tc::endpoint ep = ctx.connect("127.0.0.1:7000");
//         tc::ifunc area = ctx.open("area");
//         std::cout << tc::call<double>(ep, area, 3.0, 4.0) << std::endl;
//     } catch (const tc::error &e) {
//         std::cerr << e.what() << std::endl;
//         return 1;
//     }
//
// It is a header alone, over <tc/tc.h>, <tc/library.h> and <tc/package.h>, and their contracts
// hold: which calls are allowed where, by which thread, and the powers of a peer. Owners free
// their objects at their end, move, and become the C API's pointers wherever those are
// expected, so that functions that are not here are called as in C. Objects made from a context
// are freed with it: owners that outlive it are empty then.
//
// Failures. Every function that can fail is there twice. The one throws tc::error, with status
// and text of the C API. The other takes a tc_error, which has status TC_OK afterwards if
// nothing failed; it gives an empty owner, no value, or the status, and throws nothing (but
// std::bad_alloc, where a std::vector or std::string needs memory). Only the second is there
// when TC_NO_EXCEPTIONS is defined before this header, or exceptions are off (-fno-exceptions).
//
// Messages. Arguments become the bytes of a payload as the members of a struct of C, zeros
// between them and behind them included (docs/payload-layout.md, "Several values in one
// message"). Any of them may be a std::string_view or a type with data() and size() (a
// std::vector, std::span, tc::view), which vary in size: the last such one is the rest of the
// message, each other one has its number of elements in the struct. All are trivially copyable,
// and none is a pointer, which is checked. An array that is alone in its message is not copied
// first.
//
// Answers. An answer is nothing (void: one with bytes is TC_E_TOO_LARGE); of a type of fixed
// size (and has that size: else the call fails with TC_E_CORRUPT); a std::string or
// std::vector; or a std::tuple of such, which lies as a message of them: the result, and then
// the arguments that come back. Lengths in an answer are checked: TC_E_CORRUPT. For one that
// varies in size tc::to::room bytes are reserved.
//
// Prototypes. The types are compared with the function's prototype, if it has one, before the
// message is sent: TC_E_VERSION. A struct agrees with any of its size and alignment, no answer
// (void) and a std::tuple of two or more fixed values with any answer. In a std::tuple with
// arrays, each behind the first value is the new value of an argument of the same type, or has
// its capacity, a std::uint64_t, among the arguments. Where there is no such argument, no
// prototype has that answer: its bytes alone are checked.
//
// Lambdas and functors as messages: <tc/function.hpp>.
#ifndef TC_TCHAINS_HPP
#define TC_TCHAINS_HPP

#include <tc/answer.hpp>
#include <tc/function.hpp>
#include <tc/handles.hpp>
#include <tc/message.hpp>
#include <tc/prototype.hpp>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tc
{

// The destination of a message. A timeout of 0: for a call the option call_timeout, for a
// message to be sent no limit.
struct to {
    to(tc_ep *there, tc_ifunc *what, timeout time = {}, std::size_t room_bytes = 65536) noexcept
        : ep(there), fn(what), within(time), room(room_bytes)
    {
    }
    tc_ep *ep;
    tc_ifunc *fn;
    timeout within;
    std::size_t room; // bytes, for an answer that varies in size
};

namespace detail
{

inline tc_status no_room(tc_error &err, std::size_t size) noexcept
{
    err.status = TC_E_NO_MEMORY;
    (void)std::snprintf(err.text, sizeof err.text, "no memory for a message of %zu bytes",
                        size);
    return TC_E_NO_MEMORY;
}

template <typename P> tc_status send(const to &where, const P &packed, tc_error &err) noexcept
{
    err.status = TC_OK;
    return packed.is_packed()
               ? tc_send_wait(where.ep, where.fn, packed.data(), packed.size(),
                              where.within.ns == 0 ? TC_FOREVER : where.within.ns, &err)
               : no_room(err, packed.size());
}

template <typename R, typename P> auto call(const to &where, const P &packed, tc_error &err)
{
    std::conditional_t<std::is_void_v<R>, bool, std::optional<R>> result{};
    err.status = TC_OK;
    if (!packed.is_packed()) {
        (void)no_room(err, packed.size());
    } else if constexpr (std::is_void_v<R>) {
        result = tc_call(where.ep, where.fn, packed.data(), packed.size(), nullptr, nullptr,
                         where.within.ns, &err) == TC_OK;
    } else {
        answer_room<R> room(where.room);
        std::size_t size = room.size();
        if (tc_call(where.ep, where.fn, packed.data(), packed.size(), room.data(), &size,
                    where.within.ns, &err) == TC_OK)
            result = room.value(size, err);
    }
    return result;
}

} // namespace detail

// --- messages and calls ----------------------------------------------------------------------

// Sends a message of the arguments, and waits for capacity at the peer: tc_send_wait.
template <typename... A>
tc_status try_send(tc_error &err, const to &where, const A &...arguments)
{
    detail::payload<detail::part<A>...> packed{detail::part<A>(arguments)...};
    tc_status status = detail::check_prototype<void, detail::part<A>...>(where.fn, err);
    return status == TC_OK ? detail::send(where, packed, err) : status;
}

// Calls a function, and waits for its answer: tc_call. Without a value when it fails; an R of
// void gives a bool.
template <typename R, typename... A>
auto try_call(tc_error &err, const to &where, const A &...arguments)
{
    detail::payload<detail::part<A>...> packed{detail::part<A>(arguments)...};
    if (detail::check_prototype<R, detail::part<A>...>(where.fn, err) != TC_OK)
        return decltype(detail::call<R>(where, packed, err)){};
    return detail::call<R>(where, packed, err);
}

// Waits until the peer has run all that was sent to it: tc_ep_flush.
inline tc_status flush(tc_ep *ep, timeout within, tc_error &err) noexcept
{
    err.status = TC_OK;
    return tc_ep_flush(ep, within.ns, &err);
}

// Closes an endpoint when its peer has run all that was sent, or when the time is over; fails
// if messages may not have run, and the text has their number: tc_ep_finish.
inline tc_status finish(endpoint &&ep, timeout within, tc_error &err) noexcept
{
    err.status = TC_OK;
    tc_status status = tc_ep_finish(ep.get(), within.ns, nullptr, &err);
    if (status != TC_E_BUSY)
        (void)ep.release();
    return status;
}

#ifdef TC_WITH_EXCEPTIONS
template <typename... A> void send(const to &where, const A &...arguments)
{
    detail::checked([&](tc_error &err) { return try_send(err, where, arguments...); });
}
template <typename... A> void send(tc_ep *ep, tc_ifunc *fn, const A &...arguments)
{
    send(to(ep, fn), arguments...);
}
template <typename R = void, typename... A> R call(const to &where, const A &...arguments)
{
    auto result =
        detail::checked([&](tc_error &err) { return try_call<R>(err, where, arguments...); });
    if constexpr (!std::is_void_v<R>)
        return *std::move(result);
}
template <typename R = void, typename... A>
R call(tc_ep *ep, tc_ifunc *fn, const A &...arguments)
{
    return call<R>(to(ep, fn), arguments...);
}
inline void flush(tc_ep *ep, timeout within)
{
    detail::checked([&](tc_error &err) { return flush(ep, within, err); });
}
inline void finish(endpoint &&ep, timeout within)
{
    detail::checked([&](tc_error &err) { return finish(std::move(ep), within, err); });
}
#endif

// The program that a rank of a group runs: tc_group_program. The name is the group's.
struct program {
    std::uint32_t number; // TC_PROGRAM_NONE: the group has no such rank
    const char *name;
};
inline program program_of(const tc_group *all, std::uint32_t rank) noexcept
{
    program found = {};
    found.number = tc_group_program(all, rank, &found.name);
    return found;
}

// Calls a function at every rank of a group, and gives the answers in their order:
// tc_group_call_all. An empty vector when one of them failed. An R has one size: it is
// trivially copyable, or a std::tuple of such.
template <typename R, typename... A>
std::vector<R> try_call_all(tc_error &err, tc_group *all, tc_ifunc *fn, const A &...arguments)
{
    detail::payload<detail::part<A>...> packed{detail::part<A>(arguments)...};
    detail::answers_of_ranks<R> answers(tc_group_size(all));
    tc_group_call_params params = {};
    params.results = answers.data();
    params.result_capacity = answers.size();
    params.sizes = answers.sizes();
    err.status = TC_OK;
    if (!packed.is_packed())
        (void)detail::no_room(err, packed.size());
    else if (detail::check_prototype<R, detail::part<A>...>(fn, err) == TC_OK)
        (void)tc_group_call_all(all, fn, packed.data(), packed.size(), &params, &err);
    return answers.values(err);
}

#ifdef TC_WITH_EXCEPTIONS
template <typename R, typename... A>
std::vector<R> call_all(tc_group *all, tc_ifunc *fn, const A &...arguments)
{
    return detail::checked(
        [&](tc_error &err) { return try_call_all<R>(err, all, fn, arguments...); });
}
#endif

// --- calls that do not wait ------------------------------------------------------------------

// How a call ended: its answer, or why there is none.
template <typename R> struct outcome {
    tc_status status;
    const char *text; // of a failure; valid during the callback
    std::optional<R> value;
};

namespace detail
{

template <typename R, typename Done> struct pending {
    pending(std::size_t room, Done &&callback) : answer(room), done(std::move(callback))
    {
    }
    // Called by C: an exception of `done` ends the program.
    static void ended(void *user, const tc_call_outcome *ended) noexcept
    {
        std::unique_ptr<pending> self(static_cast<pending *>(user));
        tc_error err;
        outcome<R> result{ended->status, ended->text, std::nullopt};
        if (ended->status == TC_OK &&
            !(result.value = self->answer.value(ended->result_size, err)))
            result = {err.status, err.text, std::nullopt};
        self->done(result);
    }
    answer_room<R> answer;
    Done done;
};

} // namespace detail

// Calls a function and returns: `done(const tc::outcome<R> &)` is called once, when the context
// is progressed (tc_serve, tc_calls_wait, tc_wait) or destroyed. It must not throw, and call
// nothing that waits. If this fails it is not called.
template <typename R, typename Done, typename... A>
tc_status try_start(tc_error &err, const to &where, Done done, const A &...arguments)
{
    using pending = detail::pending<R, Done>;
    detail::payload<detail::part<A>...> packed{detail::part<A>(arguments)...};
    auto call = std::make_unique<pending>(where.room, std::move(done));
    tc_call_params params = {};
    params.result = call->answer.data();
    params.result_capacity = call->answer.size();
    params.timeout_ns = where.within.ns;
    params.done = pending::ended;
    params.user = call.get();
    err.status = TC_OK;
    if (!packed.is_packed())
        return detail::no_room(err, packed.size());
    tc_status status = detail::check_prototype<R, detail::part<A>...>(where.fn, err);
    if (status != TC_OK)
        return status;
    status =
        tc_call_start(where.ep, where.fn, packed.data(), packed.size(), &params, nullptr, &err);
    if (status == TC_OK)
        (void)call.release(); // ended() has it from now on
    return status;
}

#ifdef TC_WITH_EXCEPTIONS
template <typename R, typename Done, typename... A>
void start(const to &where, Done done, const A &...arguments)
{
    detail::checked(
        [&](tc_error &err) { return try_start<R>(err, where, std::move(done), arguments...); });
}
#endif

// --- lambdas and functors --------------------------------------------------------------------

// A type that TC_FUNCTION has named, at a context: the closure and the arguments of a call
// travel.
template <typename F> class function : public ifunc
{
    using parameters = typename detail::callable<F>::parameters;

  public:
    using result = typename detail::callable<F>::result;

    explicit function(ifunc &&opened) noexcept : ifunc(std::move(opened))
    {
    }
    function(context &ctx, tc_error &err) noexcept
        : ifunc(ctx.open(function_name<F>::value, err))
    {
    }
    function(context &ctx, const tc_embedded &archive, tc_error &err) noexcept
        : ifunc(ctx.open(archive, err))
    {
    }

    template <typename... A>
    auto try_call(tc_error &err, const to &where, const F &closure, const A &...arguments) const
    {
        return with(closure, as_declared<A...>(arguments...), [&](const auto &packed) {
            return detail::call<result>(where, packed, err);
        });
    }
    template <typename... A>
    tc_status try_send(tc_error &err, const to &where, const F &closure,
                       const A &...arguments) const
    {
        return with(closure, as_declared<A...>(arguments...),
                    [&](const auto &packed) { return detail::send(where, packed, err); });
    }

#ifdef TC_WITH_EXCEPTIONS
    explicit function(context &ctx) : ifunc(ctx.open(function_name<F>::value))
    {
    }
    // Opens an archive that is part of the program.
    function(context &ctx, const tc_embedded &archive) : ifunc(ctx.open(archive))
    {
    }
    template <typename... A>
    result operator()(tc_ep *ep, const F &closure, const A &...arguments) const
    {
        auto answer = detail::checked(
            [&](tc_error &err) { return try_call(err, to(ep, get()), closure, arguments...); });
        if constexpr (!std::is_void_v<result>)
            return *std::move(answer);
    }
    // Sends a message; the result is dropped.
    template <typename... A> void send(tc_ep *ep, const F &closure, const A &...arguments) const
    {
        detail::checked(
            [&](tc_error &err) { return try_send(err, to(ep, get()), closure, arguments...); });
    }
#endif

  private:
    template <typename... A> static auto as_declared(const A &...arguments)
    {
        using sent = detail::read_only_t<parameters>;
        static_assert(sizeof...(A) == std::tuple_size_v<sent>,
                      "the function has another number of parameters");
        static_assert(std::is_constructible_v<sent, detail::part<A>...>,
                      "the arguments are not those of the function");
        return sent(detail::part<A>(arguments)...);
    }
    template <typename P, typename Use>
    static auto with(const F &closure, const P &arguments, const Use &use)
    {
        return std::apply(
            [&](const auto &...parts) {
                using word = std::uint64_t;
                using shape = detail::layout<detail::parts_of<F>>;
                static_assert(shape::size() > 0, "the word is there");
                constexpr word first = shape::word();
                if constexpr (std::is_empty_v<F>) {
                    (void)closure;
                    return use(detail::payload<word, std::decay_t<decltype(parts)>...>(
                        first, parts...));
                } else {
                    return use(detail::payload<word, F, std::decay_t<decltype(parts)>...>(
                        first, closure, parts...));
                }
            },
            arguments);
    }
};

} // namespace tc

#endif
