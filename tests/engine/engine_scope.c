/* The host symbols that the code of these tests may call. */
#include "engine_fixture.h"

#include <unwind.h>

int tc_test_variable;

static uint64_t test_apply(uint64_t (*function)(void *user, uint64_t value), void *user,
                           uint64_t value)
{
    return function(user, value) + 1;
}

static _Unwind_Reason_Code count_frame(struct _Unwind_Context *context, void *user)
{
    uint64_t *count = user;
    (void)context;
    ++*count;
    return *count < 1000 ? _URC_NO_REASON : _URC_END_OF_STACK;
}

/* How many calls the unwinder finds under way. */
__attribute__((noinline)) uint64_t tc_test_frames(void)
{
    uint64_t count = 0;
    (void)_Unwind_Backtrace(count_frame, &count);
    return count;
}

static const tci_host_symbol host_symbols[] = {
    {"tc_test_apply", (void *)test_apply},
    {"tc_test_variable", &tc_test_variable},
    {"tc_test_frames", (void *)tc_test_frames},
};

static tci_symbol_policy *policy;

void under_policy(const char *text)
{
    tc_error err = {0};
    tci_symbol_policy_close(policy);
    policy = NULL;
    if (text != NULL &&
        tci_symbol_policy_parse("rules", text, strlen(text), &policy, &err) != TC_OK)
        fail_msg("%s", err.text);
}

tc_status try_symbols(const char *deps, tci_symbols **symbols_out, tc_error *err)
{
    const tci_symbol_scope scope = {.host = host_symbols,
                                    .host_count = sizeof host_symbols / sizeof host_symbols[0],
                                    .policy = policy};
    return tci_symbols_create(deps, strlen(deps), &scope, symbols_out, err);
}

tci_symbols *open_symbols(const char *deps)
{
    tci_symbols *symbols;
    tc_error err = {0};
    if (try_symbols(deps, &symbols, &err) != TC_OK)
        fail_msg("%s", err.text);
    return symbols;
}
