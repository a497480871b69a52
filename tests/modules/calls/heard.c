#include "heard.h"
#include "../../support/test.h"

tc_call_params heard_params(heard *h)
{
    return (tc_call_params){.result = h->result,
                            .result_capacity = sizeof h->result,
                            .done = heard_done,
                            .user = h};
}

void heard_done(void *user, const tc_call_outcome *outcome)
{
    heard *h = user;
    h->count++;
    h->status = outcome->status;
    h->result_size = outcome->result_size;
    h->hops = outcome->hops;
    h->rank = outcome->rank;
    h->path_length = outcome->path_length;
    for (size_t i = 0; i < outcome->path_length && i < 8; i++)
        h->path[i] = outcome->path[i];
    if (outcome->text != NULL)
        (void)snprintf(h->text, sizeof h->text, "%s", outcome->text);
}

void heard_expect(const heard *h, tc_status status, const char *text)
{
    assert_int_equal(h->count, 1);
    assert_int_equal(h->status, status);
    if (strstr(h->text, text) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", h->text, text);
}
