/* --- pick */

#define pick_PROTOTYPE "(f64[],{i32,i32},out {i32,i32})->f64"

/* Opens pick by its name. As tc_ifunc_open and tc_ifunc_check_prototype. */
TC_MUST_CHECK static inline tc_status pick_open(tc_context *ctx, tc_ifunc **fn_out, tc_error *err)
{
    tc_ifunc *tc_opened = NULL;
    tc_status tc_ended = tc_ifunc_open(ctx, "pick", &tc_opened, err);
    if (tc_ended != TC_OK)
        return tc_ended;
#ifdef TC_PROTOTYPE
    tc_ended = tc_ifunc_check_prototype(tc_opened, pick_PROTOTYPE, err);
    if (tc_ended != TC_OK) {
        tc_ifunc_close(tc_opened);
        return tc_ended;
    }
#endif
    *fn_out = tc_opened;
    return TC_OK;
}

struct pick_answer {
    double result;
    struct pair used;
};

static inline unsigned char *pick_message_(uint64_t *tc_small, size_t *tc_size_out,
        const double *values,
        size_t n,
        const struct pair *range)
{
    unsigned char *tc_bytes;
    size_t tc_end = 8;
    size_t tc_at_values = 0;
    (void)n;
    if (!tc_stub_next(&tc_end, 8, 8, n, &tc_at_values))
        return NULL;
    tc_bytes = tc_stub_memory(tc_small, tc_end);
    if (tc_bytes == NULL)
        return NULL;
    memcpy(tc_bytes + 0, range, 8);
    tc_end = 8;
    tc_end = tc_stub_put(tc_bytes, tc_end, tc_at_values, values, (size_t)n * 8);
    *tc_size_out = tc_end;
    return tc_bytes;
}

/* Calls pick at a peer, and blocks. TC_E_INVALID: also for an answer that does not fit the
 * prototype. Else as tc_call. */
TC_MUST_CHECK static inline tc_status pick_call(tc_ep *ep, tc_ifunc *fn,
        const double *values,
        size_t n,
        const struct pair *range,
        struct pair *used,
        double *result_out,
        uint64_t timeout_ns, tc_error *err)
{
    uint64_t tc_small[128];
    size_t tc_size = 0;
    unsigned char *tc_sent;
    tc_status tc_ended = TC_OK;
#ifdef TC_PROTOTYPE
    tc_ended = tc_ifunc_check_prototype(fn, pick_PROTOTYPE, err);
    if (tc_ended != TC_OK)
        return tc_ended;
#endif
    tc_sent = pick_message_(tc_small, &tc_size, values, n, range);
    if (tc_sent == NULL)
        return tc_stub_no_memory(err, "pick");
    struct pick_answer tc_answer;
    size_t tc_answer_size = 16;
    tc_ended = tc_call(ep, fn, tc_sent, tc_size, &tc_answer, &tc_answer_size, timeout_ns,
                       err);
    tc_stub_free(tc_sent, tc_small);
    tc_ended = tc_stub_answered(err, tc_ended, "pick", tc_answer_size, 16);
    if (tc_ended != TC_OK)
        return tc_ended;
    *result_out = tc_answer.result;
    *used = tc_answer.used;
    return tc_ended;
}

/* Starts a call of pick as tc_call_start does. When `done` is called, pick_ended says whether
 * the answer is there, in *answer_out, which must stay until then. */
TC_MUST_CHECK static inline tc_status pick_start(tc_ep *ep, tc_ifunc *fn,
        const double *values,
        size_t n,
        const struct pair *range,
        struct pick_answer *answer_out,
        uint64_t timeout_ns, tc_call_callback done, void *user, tc_call_id *call_out,
        tc_error *err)
{
    tc_call_params tc_params;
    uint64_t tc_small[128];
    size_t tc_size = 0;
    unsigned char *tc_sent;
    tc_status tc_ended = TC_OK;
#ifdef TC_PROTOTYPE
    tc_ended = tc_ifunc_check_prototype(fn, pick_PROTOTYPE, err);
    if (tc_ended != TC_OK)
        return tc_ended;
#endif
    tc_sent = pick_message_(tc_small, &tc_size, values, n, range);
    if (tc_sent == NULL)
        return tc_stub_no_memory(err, "pick");
    memset(&tc_params, 0, sizeof tc_params);
    tc_params.result = answer_out;
    tc_params.result_capacity = 16;
    tc_params.timeout_ns = timeout_ns;
    tc_params.done = done;
    tc_params.user = user;
    tc_ended = tc_call_start(ep, fn, tc_sent, tc_size, &tc_params, call_out, err);
    tc_stub_free(tc_sent, tc_small);
    return tc_ended;
}

/* Returns how a call of pick_start ended. TC_E_INVALID: the answer does not fit. */
TC_MUST_CHECK static inline tc_status pick_ended(const tc_call_outcome *outcome, tc_error *err)
{
    if (outcome->status != TC_OK && err != NULL) {
        err->status = outcome->status;
        (void)snprintf(err->text, sizeof err->text, "%s", outcome->text);
    }
    return tc_stub_answered(err, outcome->status, "pick", outcome->result_size, 16);
}

#endif
