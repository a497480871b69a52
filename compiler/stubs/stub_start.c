/* An answer lies in memory of the caller's until F_ended has taken it: in a struct where its
 * size is fixed, and in a buffer with a capacity where it varies. So nothing is allocated that
 * a cancelled call would leave behind. */
#include "stub_start.h"

#include "stub_message.h"

#include <inttypes.h>

static void print_start_comment(const tci_stub_writer *w)
{
    FILE *out = w->out;
    const char *name = w->f->name;
    if (w->answer.varies)
        fprintf(out,
                "\n/* Starts a call of %s as tc_call_start does. The answer's bytes come to "
                "`answer`, which must\n * stay until the call has ended: %s_capacity has the "
                "bytes of the largest one. In `done`,\n * %s_ended takes it. */\n",
                name, name, name);
    else
        fprintf(out,
                "\n/* Starts a call of %s as tc_call_start does. In `done`, %s_ended returns "
                "TC_OK\n * if the answer has arrived%s. */\n",
                name, name,
                tci_stub_writer_has_answer(w) ? ", in *answer_out, which must stay until then"
                                              : "");
}

static void print_result(const tci_stub_writer *w)
{
    if (w->answer.varies)
        fprintf(w->out, "    tc_params.result = answer;\n"
                        "    tc_params.result_capacity = answer_capacity;\n");
    else if (tci_stub_writer_has_answer(w))
        fprintf(w->out,
                "    tc_params.result = answer_out;\n    tc_params.result_capacity = %" PRIu64
                ";\n",
                w->answer.fixed_size);
}

static void print_start(const tci_stub_writer *w)
{
    FILE *out = w->out;
    char failure[TCI_STUB_NAME_MAX + 64];
    const char *name = w->f->name;
    print_start_comment(w);
    fprintf(out, "TC_MUST_CHECK static inline tc_status %s_start(tc_ep *ep, tc_ifunc *fn",
            name);
    tci_stub_writer_parameters(w, TCI_STUB_FOR_MESSAGE);
    if (w->answer.varies)
        fprintf(out, ",\n        void *answer, size_t answer_capacity");
    else if (tci_stub_writer_has_answer(w))
        fprintf(out, ",\n        struct %s_answer *answer_out", name);
    fprintf(out,
            ",\n        uint64_t timeout_ns, tc_call_callback done, void *user, tc_call_id "
            "*call_out,\n        tc_error *err)\n{\n    tc_call_params tc_params;\n");
    (void)snprintf(failure, sizeof failure, "tc_stub_no_memory(err, \"%s\")", name);
    tci_stub_message_make(w, failure);
    fprintf(out, "    memset(&tc_params, 0, sizeof tc_params);\n");
    print_result(w);
    fprintf(out, "    tc_params.timeout_ns = timeout_ns;\n    tc_params.done = done;\n"
                 "    tc_params.user = user;\n"
                 "    tc_ended = tc_call_start(ep, fn, tc_sent, tc_size, &tc_params, call_out, "
                 "err);\n");
    tci_stub_message_release(w);
    fprintf(out, "    return tc_ended;\n}\n");
}

/* Prints the statements that pass the reason of a failure on. */
static void print_failure(const tci_stub_writer *w, const char *condition)
{
    fprintf(w->out,
            "    if (%serr != NULL) {\n"
            "        err->status = outcome->status;\n"
            "        (void)snprintf(err->text, sizeof err->text, \"%%s\", outcome->text);\n"
            "    }\n",
            condition);
}

static void print_ended(const tci_stub_writer *w)
{
    const char *name = w->f->name;
    fprintf(w->out,
            "\n/* Returns how a call of %s_start ended. TC_E_INVALID: the answer does not fit. "
            "*/\n"
            "TC_MUST_CHECK static inline tc_status %s_ended(const tc_call_outcome *outcome, "
            "tc_error *err)\n{\n",
            name, name);
    print_failure(w, "outcome->status != TC_OK && ");
    fprintf(w->out,
            "    return tc_stub_answered(err, outcome->status, \"%s\", outcome->result_size, "
            "%" PRIu64 ");\n}\n",
            name, w->answer.fixed_size);
}

/* An answer above the capacity that the largest one needs is the peer's mistake, one above a
 * smaller capacity the caller's. */
static void print_far_ended(const tci_stub_writer *w)
{
    FILE *out = w->out;
    const char *name = w->f->name;
    const bool has_result = w->f->result.text[0] != '\0';
    fprintf(
        out,
        "\n/* Returns how a call of %s_start ended, and copies its answer, of the memory that "
        "the call\n * was started with, as %s_call does. TC_E_TOO_LARGE: it has "
        "outcome->result_size bytes, more\n * than that memory. TC_E_INVALID: it does not "
        "fit the arguments. */\n"
        "TC_MUST_CHECK static inline tc_status %s_ended(const tc_call_outcome *outcome,\n"
        "        const void *answer",
        name, name, name);
    tci_stub_writer_parameters(w, TCI_STUB_FOR_ANSWER);
    if (has_result)
        fprintf(out, ",\n        %s *result_out", w->f->result.c_name);
    fprintf(out, ",\n        tc_error *err)\n{\n");
    fprintf(out,
            "    if (outcome->status == TC_OK)\n"
            "        return %s_answer_((const unsigned char *)answer, outcome->result_size",
            name);
    tci_stub_writer_names(w, TCI_STUB_FOR_ANSWER);
    fprintf(out, "%s, err);\n", has_result ? ", result_out" : "");
    print_failure(w, "");
    fprintf(out,
            "    return tc_stub_answered(err, outcome->status, \"%s\", outcome->result_size,\n"
            "                            %s_capacity(",
            name, name);
    tci_stub_writer_counts(w, false);
    fprintf(out, "));\n}\n");
}

void tci_stub_start_write(const tci_stub_writer *w)
{
    print_start(w);
    if (w->answer.varies)
        print_far_ended(w);
    else
        print_ended(w);
}
