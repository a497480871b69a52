/* For each function F: F_PROTOTYPE, F_open, F_call, F_start, F_ended, F_all; F_send where there
 * is no answer; F_capacity and F_decode where its size varies. F_message_ and F_answer_ are
 * their parts. */
#include "stub_calls.h"

#include "stub_answer.h"
#include "stub_calls_text.h"
#include "stub_group.h"
#include "stub_message.h"
#include "stub_start.h"

#include <inttypes.h>
#include <string.h>

/* Copies a value of a plain answer to the caller. */
static void print_plain_value(const tci_stub_writer *w, const tci_stub_value *v)
{
    FILE *out = w->out;
    if (v->argument == NULL)
        fprintf(out, "    *result_out = tc_answer.result%s;\n",
                tci_stub_model_is_bool(v->type) ? " != 0" : "");
    else if (v->argument->form == TCI_STUB_FIXED)
        fprintf(out, "    memcpy(%s, tc_answer.%s, %" PRIu64 ");\n", v->argument->name,
                v->argument->name, v->size);
    else
        fprintf(out, "    *%s = tc_answer.%s%s;\n", v->argument->name, v->argument->name,
                tci_stub_model_is_bool(v->type) ? " != 0" : "");
}

static void print_plain_call(const tci_stub_writer *w)
{
    FILE *out = w->out;
    if (tci_stub_writer_has_answer(w))
        fprintf(out, "    struct %s_answer tc_answer;\n", w->f->name);
    fprintf(out,
            "    size_t tc_answer_size = %" PRIu64 ";\n"
            "    tc_ended = tc_call(ep, fn, tc_sent, tc_size, %s, &tc_answer_size, "
            "timeout_ns,\n                       err);\n",
            w->answer.fixed_size, tci_stub_writer_has_answer(w) ? "&tc_answer" : "NULL");
    tci_stub_message_release(w);
    fprintf(out,
            "    tc_ended = tc_stub_answered(err, tc_ended, \"%s\", tc_answer_size, %" PRIu64
            ");\n",
            w->f->name, w->answer.fixed_size);
    if (tci_stub_writer_has_answer(w))
        fprintf(out, "    if (tc_ended != TC_OK)\n        return tc_ended;\n");
    tci_stub_answer_bools(w, "&tc_answer");
    for (unsigned i = 0; i < w->answer.count; i++)
        print_plain_value(w, &w->answer.values[i]);
    fprintf(out, "    return tc_ended;\n}\n");
}

static void print_far_call(const tci_stub_writer *w)
{
    FILE *out = w->out;
    fprintf(out,
            "    uint64_t tc_small_answer[%d];\n    size_t tc_answer_size = 0, tc_capacity;\n"
            "    unsigned char *tc_answer = %s_memory_(tc_small_answer, &tc_answer_size",
            TCI_STUB_SMALL / 8, w->f->name);
    tci_stub_writer_names(w, TCI_STUB_FOR_CAPACITY);
    fprintf(out,
            ");\n    tc_capacity = tc_answer_size;\n"
            "    if (tc_answer == NULL)\n"
            "        tc_ended = tc_stub_no_memory(err, \"%s\");\n"
            "    else\n"
            "        tc_ended = tc_call(ep, fn, tc_sent, tc_size, tc_answer, "
            "&tc_answer_size,\n                           timeout_ns, err);\n",
            w->f->name);
    tci_stub_message_release(w);
    fprintf(
        out,
        "    if (tc_ended == TC_OK)\n        tc_ended = %s_answer_(tc_answer, tc_answer_size",
        w->f->name);
    tci_stub_writer_names(w, TCI_STUB_FOR_ANSWER);
    fprintf(out,
            "%s, err);\n"
            "    else if (tc_ended == TC_E_TOO_LARGE)\n"
            "        tc_ended = tc_stub_answered(err, tc_ended, \"%s\", tc_answer_size, "
            "tc_capacity);\n"
            "    if (tc_answer != NULL)\n"
            "        tc_stub_free(tc_answer, tc_small_answer);\n"
            "    return tc_ended;\n}\n",
            w->f->result.text[0] != '\0' ? ", result_out" : "", w->f->name);
}

static void print_call(const tci_stub_writer *w)
{
    FILE *out = w->out;
    char failure[TCI_STUB_NAME_MAX + 64];
    fprintf(
        out,
        "\n/* Calls %s at a peer, and blocks. TC_E_INVALID: also for an answer that does not "
        "fit the\n * prototype. Else as tc_call. */\n"
        "TC_MUST_CHECK static inline tc_status %s_call(tc_ep *ep, tc_ifunc *fn",
        w->f->name, w->f->name);
    tci_stub_writer_parameters(w, TCI_STUB_ALL);
    if (w->f->result.text[0] != '\0')
        fprintf(out, ",\n        %s *result_out", w->f->result.c_name);
    fprintf(out, ",\n        uint64_t timeout_ns, tc_error *err)\n{\n");
    (void)snprintf(failure, sizeof failure, "tc_stub_no_memory(err, \"%s\")", w->f->name);
    tci_stub_message_make(w, failure);
    if (tci_stub_writer_is_plain(&w->answer))
        print_plain_call(w);
    else
        print_far_call(w);
}

static void print_send(const tci_stub_writer *w)
{
    fprintf(w->out,
            "\n/* Sends a message to %s. As tc_send; repeat it after TC_E_AGAIN. */\n"
            "TC_MUST_CHECK static inline tc_status %s_send(tc_ep *ep, tc_ifunc *fn",
            w->f->name, w->f->name);
    tci_stub_writer_parameters(w, TCI_STUB_ALL);
    fprintf(w->out, ")\n{\n");
    tci_stub_message_make(w, "TC_E_NO_MEMORY");
    if (tci_stub_writer_is_plain(&w->message) && w->message.fixed_size <= TCI_STUB_SMALL / 2)
        fprintf(w->out, "    tc_ended = tc_send(ep, fn, tc_sent, tc_size);\n");
    else
        fprintf(w->out, "    tc_ended = tc_stub_send(ep, fn, tc_sent, tc_size, tc_small);\n");
    fprintf(w->out, "    return tc_ended;\n}\n");
}

static void print_open(const tci_stub_writer *w)
{
    const char *name = w->f->name;
    fprintf(w->out,
            "\n/* --- %s */\n\n#define %s_PROTOTYPE \"%s\"\n\n"
            "/* Opens %s by its name. As tc_ifunc_open and tc_ifunc_check_prototype. */\n"
            "TC_MUST_CHECK static inline tc_status %s_open(tc_context *ctx, tc_ifunc **fn_out, "
            "tc_error *err)\n{\n"
            "    tc_ifunc *tc_opened = NULL;\n"
            "    tc_status tc_ended = tc_ifunc_open(ctx, \"%s\", &tc_opened, err);\n"
            "    if (tc_ended != TC_OK)\n        return tc_ended;\n"
            "    tc_ended = tc_ifunc_check_prototype(tc_opened, %s_PROTOTYPE, err);\n"
            "    if (tc_ended != TC_OK) {\n"
            "        tc_ifunc_close(tc_opened);\n        return tc_ended;\n    }\n"
            "    *fn_out = tc_opened;\n    return TC_OK;\n}\n",
            name, name, w->f->prototype, name, name, name, name);
}

static void print_function(const tci_stub_function *f, FILE *out)
{
    tci_stub_writer w = {.f = f, .out = out};
    tci_stub_model_message(f, &w.message);
    tci_stub_model_answer(f, &w.answer);
    print_open(&w);
    if (tci_stub_writer_has_answer(&w) && !w.answer.varies)
        tci_stub_answer_struct(&w);
    tci_stub_message_write(&w);
    if (!tci_stub_writer_is_plain(&w.answer)) {
        tci_stub_answer_memory(&w);
        tci_stub_answer_reader(&w);
    }
    print_call(&w);
    tci_stub_start_write(&w);
    tci_stub_group_write(&w);
    if (!tci_stub_writer_has_answer(&w))
        print_send(&w);
}

void tci_stub_calls_write(const tci_stub_header *header, FILE *out)
{
    fprintf(
        out,
        "/* Callers of the functions of %s. Made by tc-clang --stubs: changes are lost. */\n"
        "#ifndef TC_CALLS_OF_%s\n#define TC_CALLS_OF_%s\n\n"
        "#include <stdbool.h>\n#include <stdint.h>\n#include <stdio.h>\n"
        "#include <stdlib.h>\n#include <string.h>\n#include <sys/uio.h>\n"
        "#include <tc/call.h>\n#include <tc/entry.h>\n#include <tc/ifunc.h>\n\n"
        "#include \"%s\"\n\n",
        header->base, header->guard, header->guard, header->base);
    fputs(tci_stub_calls_text, out);
    for (unsigned i = 0; i < header->function_count; i++)
        print_function(header->functions[i], out);
    fputs("\n#endif\n", out);
}
