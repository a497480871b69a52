// Conveniences for a C++ program over the C API: a context that frees itself, failures as
// exceptions, and callbacks that are lambdas.
#ifndef CHAINS_HPP
#define CHAINS_HPP

#include <array>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tc/tc.h>

namespace chains
{

struct failure : std::runtime_error {
    failure(tc_status why, const char *text) : std::runtime_error(text), status(why)
    {
    }
    tc_status status;
};

// Owns the objects made from it: endpoints and functions are plain pointers, good while it
// lives.
class context
{
  public:
    using answer = std::function<void(tc_status, std::string_view)>;

    context()
    {
        tc_context *made;
        check(tc_context_create(nullptr, &made, &err));
        ctx.reset(made);
    }

    tc_ep *connect(const std::string &host_port)
    {
        tc_ep *ep;
        check(tc_ep_connect(ctx.get(), host_port.c_str(), 0, &ep, &err));
        return ep;
    }

    tc_ifunc *open(const tc_embedded &archive)
    {
        tc_ifunc *fn;
        check(tc_ifunc_open_embedded(ctx.get(), &archive, &fn, &err));
        return fn;
    }

    // Waits for the answer.
    std::string call(tc_ep *ep, tc_ifunc *fn, std::string_view payload)
    {
        std::array<char, answer_max> result;
        std::size_t size = result.size();
        check(tc_call(ep, fn, payload.data(), payload.size(), result.data(), &size, 0, &err));
        return {result.data(), size};
    }

    // `done` is called with the answer, or with the error, by serve_until.
    void start(tc_ep *ep, tc_ifunc *fn, std::string_view payload, answer done)
    {
        auto call = std::make_unique<pending>();
        tc_call_params params = {};
        params.result = call->result.data();
        params.result_capacity = call->result.size();
        params.done = ended;
        params.user = call.get();
        call->done = std::move(done);
        check(tc_call_start(ep, fn, payload.data(), payload.size(), &params, nullptr, &err));
        call.release(); // `ended` has it from now on
    }

    void serve_until(const volatile int &until)
    {
        tc_serve(ctx.get(), &until);
    }

  private:
    static constexpr std::size_t answer_max = 4096;
    struct pending {
        std::array<char, answer_max> result;
        answer done;
    };

    // Called by C: no exception may leave it.
    static void ended(void *user, const tc_call_outcome *outcome) noexcept
    {
        std::unique_ptr<pending> call(static_cast<pending *>(user));
        if (outcome->status == TC_OK)
            call->done(TC_OK, {call->result.data(), outcome->result_size});
        else
            call->done(outcome->status, outcome->text);
    }

    void check(tc_status status)
    {
        if (status != TC_OK)
            throw failure(status, err.text);
    }

    struct destroy {
        void operator()(tc_context *old) const
        {
            tc_context_destroy(old);
        }
    };
    std::unique_ptr<tc_context, destroy> ctx;
    tc_error err;
};

} // namespace chains

#endif
