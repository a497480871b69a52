/* F_all calls at every rank. Answers of a fixed size come to an array of structs. Those that
 * vary come to a buffer with a capacity for each rank and an array of their sizes, because each
 * rank may answer another number of elements; F_decode copies the values of one. */
#include "stub_group.h"

#include "stub_message.h"

#include <inttypes.h>

static void print_comment(const tci_stub_writer *w)
{
    FILE *out = w->out;
    const char *name = w->f->name;
    fprintf(out, "\n/* Calls %s at every rank of a group, and blocks.", name);
    if (w->answer.varies)
        fprintf(
            out,
            " Rank r's answer comes to `answers`\n * at r * answer_capacity, its bytes to "
            "sizes_out[r]: %s_capacity has those of the\n * largest one, %s_decode takes "
            "one. statuses_out: one for each rank, or NULL.\n * TC_E_TOO_LARGE: also for an "
            "answer above answer_capacity. TC_E_INVALID: also for one above\n * the "
            "largest. Else as tc_group_call_all. */\n",
            name, name);
    else
        fprintf(out,
                "%s statuses_out: one\n * for each, or NULL. TC_E_INVALID: also for an answer "
                "that does not fit. Else as\n * tc_group_call_all. */\n",
                tci_stub_writer_has_answer(w) ? " answers_out: one for each rank." : "");
}

static void print_head(const tci_stub_writer *w)
{
    FILE *out = w->out;
    fprintf(out, "TC_MUST_CHECK static inline tc_status %s_all(tc_group *group, tc_ifunc *fn",
            w->f->name);
    tci_stub_writer_parameters(w, TCI_STUB_FOR_MESSAGE);
    if (w->answer.varies)
        fprintf(out, ",\n        void *answers, size_t answer_capacity, size_t *sizes_out");
    else if (tci_stub_writer_has_answer(w))
        fprintf(out, ",\n        struct %s_answer *answers_out", w->f->name);
    fprintf(out, ",\n        tc_status *statuses_out, uint64_t timeout_ns, tc_error *err)\n{\n"
                 "    tc_group_call_params tc_params;\n");
}

static void print_params(const tci_stub_writer *w)
{
    FILE *out = w->out;
    fprintf(out, "    memset(&tc_params, 0, sizeof tc_params);\n");
    if (w->answer.varies)
        fprintf(out, "    tc_params.results = answers;\n"
                     "    tc_params.result_capacity = answer_capacity;\n"
                     "    tc_params.sizes = sizes_out;\n");
    else if (tci_stub_writer_has_answer(w))
        fprintf(out,
                "    tc_params.results = answers_out;\n    tc_params.result_capacity = %" PRIu64
                ";\n",
                w->answer.fixed_size);
    fprintf(out, "    tc_params.statuses = statuses_out;\n"
                 "    tc_params.timeout_ns = timeout_ns;\n");
}

static void print_all(const tci_stub_writer *w)
{
    FILE *out = w->out;
    char failure[TCI_STUB_NAME_MAX + 64];
    const char *name = w->f->name;
    print_comment(w);
    print_head(w);
    (void)snprintf(failure, sizeof failure, "tc_stub_no_memory(err, \"%s\")", name);
    tci_stub_message_make(w, failure);
    print_params(w);
    fprintf(out,
            "    tc_ended = tc_stub_call_all(group, fn, tc_sent, tc_size, &tc_params, \"%s\", "
            "%" PRIu64 ",\n                                ",
            name, w->answer.fixed_size);
    if (w->answer.varies) {
        fprintf(out, "%s_capacity(", name);
        tci_stub_writer_counts(w, false);
        fprintf(out, ")");
    } else {
        fprintf(out, "%" PRIu64, w->answer.fixed_size);
    }
    fprintf(out, ", err);\n");
    tci_stub_message_release(w);
    fprintf(out, "    return tc_ended;\n}\n");
}

static void print_decode(const tci_stub_writer *w)
{
    FILE *out = w->out;
    const char *name = w->f->name;
    const bool has_result = w->f->result.text[0] != '\0';
    fprintf(
        out,
        "\n/* Copies the values of an answer of %s, of answer_size bytes, to the arguments, "
        "as %s_call\n * does. TC_E_INVALID: it does not fit them; nothing is written. */\n"
        "TC_MUST_CHECK static inline tc_status %s_decode(const void *answer, size_t "
        "answer_size",
        name, name, name);
    tci_stub_writer_parameters(w, TCI_STUB_FOR_ANSWER);
    if (has_result)
        fprintf(out, ",\n        %s *result_out", w->f->result.c_name);
    fprintf(out,
            ",\n        tc_error *err)\n{\n"
            "    return %s_answer_((const unsigned char *)answer, answer_size",
            name);
    tci_stub_writer_names(w, TCI_STUB_FOR_ANSWER);
    fprintf(out, "%s, err);\n}\n", has_result ? ", result_out" : "");
}

void tci_stub_group_write(const tci_stub_writer *w)
{
    print_all(w);
    if (w->answer.varies)
        print_decode(w);
}
