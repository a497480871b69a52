// Owners of the objects of the C API, and its failures as exceptions: a part of
// <tc/tchains.hpp>, which has the rules for all of it.
#ifndef TC_HANDLES_HPP
#define TC_HANDLES_HPP

#include <tc/advanced.h>
#include <tc/group.h>
#include <tc/library.h>
#include <tc/package.h>
#include <tc/tc.h>

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>

#if defined(__cpp_exceptions) && !defined(TC_NO_EXCEPTIONS)
#define TC_WITH_EXCEPTIONS 1
#endif

namespace tc
{

#ifdef TC_WITH_EXCEPTIONS
// The status that a function of the C API returned, with its text.
class error : public std::runtime_error
{
  public:
    explicit error(const tc_error &why) : std::runtime_error(why.text), status_(why.status)
    {
    }
    tc_status status() const noexcept
    {
        return status_;
    }

  private:
    tc_status status_;
};
#endif

// Nanoseconds, of a std::chrono::duration or a number of the C API: TC_SECONDS(3), TC_FOREVER.
struct timeout {
    constexpr timeout(std::uint64_t count = 0) noexcept : ns(count)
    {
    }
    template <typename Rep, typename Period>
    constexpr timeout(std::chrono::duration<Rep, Period> time) noexcept
        : ns(time.count() <= 0
                 ? 0
                 : static_cast<std::uint64_t>(
                       std::chrono::duration_cast<std::chrono::nanoseconds>(time).count()))
    {
    }
    std::uint64_t ns;
};

namespace detail
{

// The life of a context: objects made from it end with it, even if they have owners.
struct life {
    bool ended = false;
};

} // namespace detail

// Owns an object that Free frees, and becomes the pointer. When the context that the object was
// made from has ended, the owner is empty: the context has freed the object.
template <typename T, void (*Free)(T *)> class handle
{
  public:
    handle() noexcept = default;
    // Owns an object that the C API has made; its context has to live longer.
    explicit handle(T *owned) noexcept : owned_(owned)
    {
    }
    handle(T *owned, std::shared_ptr<const detail::life> life) noexcept
        : owned_(owned), life_(std::move(life))
    {
    }
    handle(handle &&other) noexcept : owned_(other.release()), life_(std::move(other.life_))
    {
    }
    handle &operator=(handle &&other) noexcept
    {
        if (this != &other) {
            reset();
            life_ = other.life_;
            owned_ = other.release();
        }
        return *this;
    }
    ~handle()
    {
        reset();
    }

    T *get() const noexcept
    {
        return life_ != nullptr && life_->ended ? nullptr : owned_;
    }
    operator T *() const noexcept
    {
        return get();
    }
    explicit operator bool() const noexcept
    {
        return get() != nullptr;
    }
    // Gives it back now.
    void reset() noexcept
    {
        if (T *old = release())
            Free(old);
    }
    // The caller owns it from now on.
    T *release() noexcept
    {
        T *old = get();
        owned_ = nullptr;
        return old;
    }

  private:
    T *owned_ = nullptr;
    std::shared_ptr<const detail::life> life_;
};

using endpoint = handle<tc_ep, tc_ep_close>; // that this side has made
using ifunc = handle<tc_ifunc, tc_ifunc_close>;
using listener = handle<tc_listener, tc_listener_close>;
using group = handle<tc_group, tc_group_destroy>;
using library = handle<tc_library, tc_library_close>;
using message = handle<tc_message, tc_message_destroy>;
using package = handle<tc_package, tc_package_close>;

namespace detail
{

#ifdef TC_WITH_EXCEPTIONS
// Calls a function that takes a tc_error; throws its failure.
template <typename Try> auto checked(Try &&attempt)
{
    tc_error err;
    auto result = attempt(err);
    if (err.status != TC_OK)
        throw error(err);
    return result;
}
#endif

} // namespace detail

// A value for a hole, of the hole's type: {"threshold", 2.5}. For one expression: it views the
// value.
struct hole : tc_hole_value {
    template <typename T>
    hole(const char *hole_name, const T &of) noexcept
        : tc_hole_value{hole_name, std::addressof(of), sizeof of, kind_of<T>()}
    {
        static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>,
                      "a hole's value is trivially copyable, and no pointer");
    }

  private:
    template <typename T> static constexpr tc_hole_kind kind_of()
    {
        if (std::is_integral_v<T> || std::is_enum_v<T>)
            return TC_HOLE_INTEGER;
        return std::is_same_v<T, float> || std::is_same_v<T, double> ? TC_HOLE_FLOATING
                                                                     : TC_HOLE_BYTES;
    }
};
static_assert(sizeof(hole) == sizeof(tc_hole_value));

// --- the context -----------------------------------------------------------------------------

// Owns a context, and ends the objects made from it, too. Moves; becomes the pointer.
class context
{
  public:
    // Options by name and value, which come before the environment: {{"delivery", "stream"}}.
    using settings = std::initializer_list<std::pair<const char *, const char *>>;

    explicit context(tc_context *owned)
        : owned_(owned), life_(owned != nullptr ? std::make_shared<detail::life>() : nullptr)
    {
    }
    context(settings chosen, tc_error &err) : context(create(chosen, err))
    {
    }
    explicit context(tc_error &err) : context(settings{}, err)
    {
    }
    context(context &&other) noexcept
        : owned_(std::exchange(other.owned_, nullptr)), life_(std::move(other.life_))
    {
    }
    context &operator=(context &&other) noexcept
    {
        if (this != &other) {
            reset();
            owned_ = std::exchange(other.owned_, nullptr);
            life_ = std::move(other.life_);
        }
        return *this;
    }
    ~context()
    {
        reset();
    }

    tc_context *get() const noexcept
    {
        return owned_;
    }
    operator tc_context *() const noexcept
    {
        return owned_;
    }
    explicit operator bool() const noexcept
    {
        return owned_ != nullptr;
    }
    // Destroys it now. The callbacks of calls that are under way are called.
    void reset() noexcept
    {
        if (owned_ == nullptr)
            return;
        tc_context_destroy(owned_);
        owned_ = nullptr;
        life_->ended = true;
    }

    // Destroys it when all peers have run all messages, or when the time is over; fails if
    // messages may not have run, and the text has their number: tc_context_finish.
    tc_status finish(timeout within, tc_error &err) noexcept
    {
        err.status = TC_OK;
        tc_status status = tc_context_finish(owned_, within.ns, nullptr, &err);
        if (owned_ != nullptr && status != TC_E_BUSY) {
            owned_ = nullptr;
            life_->ended = true;
        }
        return status;
    }

    endpoint connect(const char *host_port, timeout within, tc_error &err) noexcept
    {
        return opened<endpoint>(err, [&](tc_ep **made) {
            return tc_ep_connect(get(), host_port, within.ns, made, &err);
        });
    }
    endpoint connect(const char *host_port, tc_error &err) noexcept
    {
        return connect(host_port, timeout(), err);
    }
    listener listen(const char *host_port, tc_error &err) noexcept
    {
        return opened<listener>(err, [&](tc_listener **made) {
            return tc_listener_open(get(), host_port, made, &err);
        });
    }
    // Opens a function by name, from a file NAME.tca of the option ifunc_path; or one that is
    // part of the program (tc_add_ifunc EMBED).
    ifunc open(const char *name, tc_error &err) noexcept
    {
        return opened<ifunc>(
            err, [&](tc_ifunc **made) { return tc_ifunc_open(get(), name, made, &err); });
    }
    ifunc open(const tc_embedded &archive, tc_error &err) noexcept
    {
        return opened<ifunc>(err, [&](tc_ifunc **made) {
            return tc_ifunc_open_embedded(get(), &archive, made, &err);
        });
    }
    // The function with its holes set (tc_ifunc_fill), a function of its own:
    // ctx.fill(line, {{"slope", 2.5}, {"rise", 3}}).
    ifunc fill(tc_ifunc *fn, std::initializer_list<hole> values, tc_error &err) noexcept
    {
        return opened<ifunc>(err, [&](tc_ifunc **made) {
            return tc_ifunc_fill(fn, values.begin(), values.size(), made, &err);
        });
    }
    library open_library(const char *name, tc_error &err) noexcept
    {
        return opened<library>(
            err, [&](tc_library **made) { return tc_library_open(get(), name, made, &err); });
    }
    library open_library(const tc_embedded &archive, tc_error &err) noexcept
    {
        return opened<library>(err, [&](tc_library **made) {
            return tc_library_open_embedded(get(), &archive, made, &err);
        });
    }
    // Opens a .tcp file; NAME_package_open of its generated header opens one, too.
    package open_package(const char *path, tc_error &err) noexcept
    {
        return opened<package>(err, [&](tc_package **made) {
            return tc_package_open(get(), path, nullptr, made, &err);
        });
    }
    // The group of the job that started this process.
    group join(timeout within, tc_error &err) noexcept
    {
        return opened<group>(
            err, [&](tc_group **made) { return tc_group_join(get(), within.ns, made, &err); });
    }

#ifdef TC_WITH_EXCEPTIONS
    context(settings chosen = {})
        : context(detail::checked([&](tc_error &err) { return context(chosen, err); }))
    {
    }
    void finish(timeout within)
    {
        detail::checked([&](tc_error &err) { return finish(within, err); });
    }
    endpoint connect(const char *host_port, timeout within = {})
    {
        return detail::checked([&](tc_error &err) { return connect(host_port, within, err); });
    }
    listener listen(const char *host_port)
    {
        return detail::checked([&](tc_error &err) { return listen(host_port, err); });
    }
    ifunc open(const char *name)
    {
        return detail::checked([&](tc_error &err) { return open(name, err); });
    }
    ifunc open(const tc_embedded &archive)
    {
        return detail::checked([&](tc_error &err) { return open(archive, err); });
    }
    ifunc fill(tc_ifunc *fn, std::initializer_list<hole> values)
    {
        return detail::checked([&](tc_error &err) { return fill(fn, values, err); });
    }
    library open_library(const char *name)
    {
        return detail::checked([&](tc_error &err) { return open_library(name, err); });
    }
    library open_library(const tc_embedded &archive)
    {
        return detail::checked([&](tc_error &err) { return open_library(archive, err); });
    }
    package open_package(const char *path)
    {
        return detail::checked([&](tc_error &err) { return open_package(path, err); });
    }
    group join(timeout within)
    {
        return detail::checked([&](tc_error &err) { return join(within, err); });
    }
#endif

    unsigned progress() noexcept
    {
        return tc_progress(get());
    }
    // TC_OK: something happened; TC_E_TIMEOUT; TC_E_BUSY.
    tc_status wait(timeout within) noexcept
    {
        return tc_wait(get(), within.ns);
    }

  private:
    template <typename Owner, typename Open> Owner opened(tc_error &err, Open &&open) noexcept
    {
        decltype(std::declval<Owner>().get()) made = nullptr;
        err.status = TC_OK;
        return open(&made) == TC_OK ? Owner(made, life_) : Owner();
    }
    static tc_context *create(settings chosen, tc_error &err) noexcept
    {
        tc_options *options = nullptr;
        tc_context *made = nullptr;
        err.status = TC_OK;
        tc_status status = tc_options_create(&options, &err);
        for (const auto &setting : chosen) {
            if (status == TC_OK)
                status = tc_options_set(options, setting.first, setting.second, &err);
        }
        if (status == TC_OK)
            status = tc_context_create(options, &made, &err);
        tc_options_destroy(options);
        return status == TC_OK ? made : nullptr;
    }

    tc_context *owned_ = nullptr;
    std::shared_ptr<detail::life> life_;
};

} // namespace tc

#endif
