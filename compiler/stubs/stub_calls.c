/* For each function F: F_PROTOTYPE, F_open, F_call; F_send where there is no answer; F_start and
 * F_ended where the answer's size is fixed. F_message_ and F_answer_ are their parts. */
#include "stub_calls.h"

#include "stub_calls_text.h"

#include <inttypes.h>
#include <string.h>

/* Which arguments a function of the stubs takes. */
typedef enum choice { ALL, FOR_MESSAGE, FOR_ANSWER, FOR_ROOM } choice;

typedef struct writer {
    const tci_stub_function *f;
    tci_stub_layout message, answer;
    FILE *out;
} writer;

static bool is_chosen(const tci_stub_argument *a, choice which)
{
    if (which == FOR_MESSAGE)
        return a->way != TCI_STUB_OUT;
    if (which == FOR_ANSWER)
        return a->way != TCI_STUB_IN || a->form == TCI_STUB_COUNT;
    return which == ALL || a->form == TCI_STUB_COUNT;
}

/* Prints ", TYPE NAME" for each. What goes into a message is const. */
static void print_parameters(const writer *w, choice which)
{
    for (unsigned i = 0; i < w->f->argument_count; i++) {
        const tci_stub_argument *a = &w->f->arguments[i];
        if (!is_chosen(a, which))
            continue;
        const bool pointer = a->form != TCI_STUB_VALUE && a->form != TCI_STUB_COUNT;
        const bool is_const = pointer && (which == FOR_MESSAGE || a->way == TCI_STUB_IN);
        fprintf(w->out, ",\n        %s%s %s%s", is_const ? "const " : "", a->type.c_name,
                pointer ? "*" : "", a->name);
    }
}

static void print_names(const writer *w, choice which)
{
    for (unsigned i = 0; i < w->f->argument_count; i++) {
        if (is_chosen(&w->f->arguments[i], which))
            fprintf(w->out, ", %s", w->f->arguments[i].name);
    }
}

/* Prints what has the number of an array's elements. */
static void print_count(const writer *w, const tci_stub_argument *a)
{
    if (a->form == TCI_STUB_WORDS)
        fprintf(w->out, "tc_count_%s", a->name);
    else
        fprintf(w->out, "%s", w->f->arguments[a->count].name);
}

/* Tells compilers of arguments that are there for another value's sake. */
static void print_unused(const writer *w, choice which)
{
    for (unsigned i = 0; i < w->f->argument_count; i++) {
        if (is_chosen(&w->f->arguments[i], which) && w->f->arguments[i].form == TCI_STUB_COUNT)
            fprintf(w->out, "    (void)%s;\n", w->f->arguments[i].name);
    }
}

/* --- messages ----------------------------------------------------------------------------- */

static void print_places(const writer *w, const tci_stub_layout *l, const char *failure)
{
    FILE *out = w->out;
    for (unsigned i = 0; i < l->count; i++) {
        const tci_stub_value *v = &l->values[i];
        if (!v->varies)
            continue;
        fprintf(out, "    if (!tc_stub_next(&tc_end, %" PRIu64 ", %" PRIu64 ", ",
                v->type->alignment, v->type->size);
        print_count(w, v->argument);
        fprintf(out, ", &tc_at_%s))\n        return %s;\n", v->argument->name, failure);
    }
}

static void declare_places(const writer *w, const tci_stub_layout *l)
{
    for (unsigned i = 0; i < l->count; i++) {
        const tci_stub_value *v = &l->values[i];
        if (v->varies)
            fprintf(w->out, "    size_t tc_at_%s = 0;\n", v->argument->name);
        if (v->varies && v->argument->form == TCI_STUB_WORDS)
            fprintf(w->out, "    const uint64_t tc_count_%s = strlen(%s);\n", v->argument->name,
                    v->argument->name);
    }
}

static void print_fixed_value(const writer *w, const tci_stub_value *v)
{
    FILE *out = w->out;
    if (v->is_last)
        return;
    if (v->varies || v->is_number) {
        fprintf(out, "    tc_number = ");
        print_count(w, v->argument);
        fprintf(out, ";\n    memcpy(tc_bytes + %" PRIu64 ", &tc_number, 8);\n", v->offset);
    } else {
        fprintf(out, "    memcpy(tc_bytes + %" PRIu64 ", %s%s, %" PRIu64 ");\n", v->offset,
                v->argument->form == TCI_STUB_VALUE ? "&" : "", v->argument->name, v->size);
    }
}

static bool has_number(const tci_stub_layout *l)
{
    bool found = false;
    for (unsigned i = 0; i < l->count; i++)
        found |= (l->values[i].varies && !l->values[i].is_last) || l->values[i].is_number;
    return found;
}

static void print_message(const writer *w)
{
    FILE *out = w->out;
    const tci_stub_layout *l = &w->message;
    fprintf(
        out,
        "\nstatic inline unsigned char *%s_message_(uint64_t *tc_small, size_t *tc_size_out",
        w->f->name);
    print_parameters(w, FOR_MESSAGE);
    fprintf(out, ")\n{\n    unsigned char *tc_bytes;\n    size_t tc_end = %" PRIu64 ";\n",
            l->fixed_size);
    declare_places(w, l);
    if (has_number(l))
        fprintf(out, "    uint64_t tc_number;\n");
    print_unused(w, FOR_MESSAGE);
    print_places(w, l, "NULL");
    fprintf(out, "    tc_bytes = tc_stub_memory(tc_small, tc_end);\n"
                 "    if (tc_bytes == NULL)\n        return NULL;\n");
    if (l->has_gaps)
        fprintf(out, "    memset(tc_bytes, 0, %" PRIu64 ");\n", l->fixed_size);
    for (unsigned i = 0; i < l->count; i++)
        print_fixed_value(w, &l->values[i]);
    if (l->varies)
        fprintf(out, "    tc_end = %" PRIu64 ";\n", l->fixed_size);
    for (unsigned i = 0; i < l->count; i++) {
        const tci_stub_value *v = &l->values[i];
        if (!v->varies)
            continue;
        fprintf(out, "    tc_end = tc_stub_put(tc_bytes, tc_end, tc_at_%s, %s, (size_t)",
                v->argument->name, v->argument->name);
        print_count(w, v->argument);
        fprintf(out, " * %" PRIu64 ");\n", v->type->size);
    }
    fprintf(out, "    *tc_size_out = tc_end;\n    return tc_bytes;\n}\n");
}

/* --- answers ------------------------------------------------------------------------------ */

static bool has_answer(const writer *w)
{
    return w->answer.count > 0;
}

/* Whether F_answer is received on the stack. */
static bool is_plain(const tci_stub_layout *l)
{
    return !l->varies && l->fixed_size <= TCI_STUB_SMALL;
}

static const char *name_of(const tci_stub_value *v)
{
    return v->argument != NULL ? v->argument->name : "result";
}

static void print_answer_struct(const writer *w)
{
    FILE *out = w->out;
    fprintf(out, "\nstruct %s_answer {\n", w->f->name);
    for (unsigned i = 0; i < w->answer.count; i++) {
        const tci_stub_value *v = &w->answer.values[i];
        fprintf(out, "    %s %s", tci_stub_model_is_bool(v->type) ? "uint8_t" : v->type->c_name,
                name_of(v));
        if (v->argument != NULL && v->argument->form == TCI_STUB_FIXED)
            fprintf(out, "[%" PRIu64 "]", v->argument->length);
        fprintf(out, ";\n");
    }
    fprintf(out, "};\n");
}

/* Copies a value of a plain answer to the caller. */
static void print_plain_value(const writer *w, const tci_stub_value *v)
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

/* Checks the number of a varying value, and finds its offset. */
static void print_number_check(const writer *w, const tci_stub_value *v)
{
    FILE *out = w->out;
    const char *name = v->argument->name, *n = w->f->arguments[v->argument->count].name;
    const bool exact = v->argument->way == TCI_STUB_INOUT;
    if (v->is_last)
        fprintf(out,
                "    if (!tc_stub_next(&tc_end, %" PRIu64 ", 1, 0, &tc_at_%s) || tc_at_%s > "
                "tc_size ||\n        (tc_size - tc_at_%s) %% %" PRIu64 " != 0)\n"
                "        return tc_stub_fail(err, TC_E_INVALID, \"%s\", \"the answer's size\", "
                "tc_size,\n"
                "                            \"whole elements behind byte \", tc_at_%s);\n"
                "    tc_number_%s = (tc_size - tc_at_%s) / %" PRIu64 ";\n",
                v->type->alignment, name, name, name, v->type->size, w->f->name, name, name,
                name, v->type->size);
    else
        fprintf(out, "    memcpy(&tc_number_%s, tc_bytes + %" PRIu64 ", 8);\n", name,
                v->offset);
    fprintf(out,
            "    if (tc_number_%s %s %s)\n"
            "        return tc_stub_fail(err, TC_E_INVALID, \"%s\",\n"
            "                            \"the number of elements that were answered for "
            "'%s'\",\n"
            "                            tc_number_%s, \"%s\", %s);\n",
            name, exact ? "!=" : ">", n, w->f->name, name, name, exact ? "" : "at most ", n);
    if (!v->is_last)
        fprintf(out,
                "    if (!tc_stub_next(&tc_end, %" PRIu64 ", %" PRIu64
                ", tc_number_%s, &tc_at_%s) || tc_end > tc_size)\n"
                "        return tc_stub_fail(err, TC_E_INVALID, \"%s\", \"the answer's size\", "
                "tc_size,\n                            \"at least \", tc_end);\n",
                v->type->alignment, v->type->size, name, name, w->f->name);
}

/* Copies a value of an answer in memory to the caller. */
static void print_far_value(const writer *w, const tci_stub_value *v)
{
    FILE *out = w->out;
    if (v->argument == NULL || v->argument->form == TCI_STUB_POINTER) {
        const char *to = v->argument != NULL ? v->argument->name : "result_out";
        if (tci_stub_model_is_bool(v->type))
            fprintf(out, "    *%s = tc_bytes[%" PRIu64 "] != 0;\n", to, v->offset);
        else
            fprintf(out, "    memcpy(%s, tc_bytes + %" PRIu64 ", %" PRIu64 ");\n", to,
                    v->offset, v->size);
    } else if (v->argument->form == TCI_STUB_FIXED) {
        fprintf(out, "    memcpy(%s, tc_bytes + %" PRIu64 ", %" PRIu64 ");\n",
                v->argument->name, v->offset, v->size);
    } else {
        const char *name = v->argument->name;
        const uint64_t size = v->type->size;
        fprintf(out,
                "    if (tc_number_%s > 0)\n"
                "        memcpy(%s, tc_bytes + tc_at_%s, (size_t)tc_number_%s * %" PRIu64
                ");\n",
                name, name, name, name, size);
        if (v->argument->way == TCI_STUB_OUT)
            fprintf(out,
                    "    if (tc_number_%s < %s)\n"
                    "        memset((unsigned char *)%s + (size_t)tc_number_%s * %" PRIu64
                    ", 0,\n               ((size_t)%s - (size_t)tc_number_%s) * %" PRIu64
                    ");\n",
                    name, w->f->arguments[v->argument->count].name, name, name, size,
                    w->f->arguments[v->argument->count].name, name, size);
    }
}

/* The function that reads an answer that is not plain. It writes nothing unless all fits. */
static void print_reader(const writer *w)
{
    FILE *out = w->out;
    const tci_stub_layout *l = &w->answer;
    fprintf(
        out,
        "\nstatic inline tc_status %s_answer_(const unsigned char *tc_bytes, size_t tc_size",
        w->f->name);
    print_parameters(w, FOR_ANSWER);
    if (w->f->result.text[0] != '\0')
        fprintf(out, ",\n        %s *result_out", w->f->result.c_name);
    fprintf(out, ",\n        tc_error *err)\n{\n");
    if (l->varies)
        fprintf(out, "    size_t tc_end = %" PRIu64 ";\n", l->fixed_size);
    declare_places(w, l);
    for (unsigned i = 0; i < l->count; i++) {
        if (l->values[i].varies)
            fprintf(out, "    uint64_t tc_number_%s;\n", l->values[i].argument->name);
    }
    print_unused(w, FOR_ANSWER);
    if (!l->varies || l->fixed_size > 0)
        fprintf(out,
                "    if (tc_size %s %" PRIu64 ")\n"
                "        return tc_stub_fail(err, TC_E_INVALID, \"%s\", \"the answer's size\", "
                "tc_size, \"%s\",\n                            %" PRIu64 ");\n",
                l->varies ? "<" : "!=", l->fixed_size, w->f->name, l->varies ? "at least " : "",
                l->fixed_size);
    for (unsigned i = 0; i < l->count; i++) {
        if (l->values[i].varies)
            print_number_check(w, &l->values[i]);
    }
    for (unsigned i = 0; i < l->count; i++)
        print_far_value(w, &l->values[i]);
    fprintf(out, "    return TC_OK;\n}\n");
}

/* The function that finds memory for the largest answer that fits. */
static void print_memory(const writer *w)
{
    FILE *out = w->out;
    fprintf(out,
            "\nstatic inline unsigned char *%s_memory_(uint64_t *tc_small, size_t *tc_size_out",
            w->f->name);
    print_parameters(w, FOR_ROOM);
    fprintf(out, ")\n{\n    size_t tc_end = %" PRIu64 ";\n", w->answer.fixed_size);
    declare_places(w, &w->answer);
    print_unused(w, FOR_ROOM);
    print_places(w, &w->answer, "NULL");
    fprintf(out,
            "    *tc_size_out = tc_end;\n    return tc_stub_memory(tc_small, tc_end);\n}\n");
}

/* --- callers ------------------------------------------------------------------------------ */

static void print_check(const writer *w, const char *err)
{
    fprintf(w->out,
            "#ifdef TC_PROTOTYPE\n"
            "    tc_ended = tc_ifunc_check_prototype(fn, %s_PROTOTYPE, %s);\n"
            "    if (tc_ended != TC_OK)\n        return tc_ended;\n#endif\n",
            w->f->name, err);
}

/* Prints the statements that make the message. */
static void print_making(const writer *w, const char *failure)
{
    const tci_stub_layout *l = &w->message;
    const uint64_t size = is_plain(l) ? (l->fixed_size + 7) / 8 : TCI_STUB_SMALL / 8;
    fprintf(w->out,
            "    uint64_t tc_small[%" PRIu64 "];\n    size_t tc_size = 0;\n"
            "    unsigned char *tc_sent;\n    tc_status tc_ended = TC_OK;\n",
            size > 0 ? size : 1);
    print_check(w, strcmp(failure, "TC_E_NO_MEMORY") == 0 ? "NULL" : "err");
    fprintf(w->out, "    tc_sent = %s_message_(tc_small, &tc_size", w->f->name);
    print_names(w, FOR_MESSAGE);
    fprintf(w->out, ");\n");
    if (!is_plain(l))
        fprintf(w->out, "    if (tc_sent == NULL)\n        return %s;\n", failure);
}

static void print_release(const writer *w)
{
    if (!is_plain(&w->message))
        fprintf(w->out, "    tc_stub_free(tc_sent, tc_small);\n");
}

static void print_plain_call(const writer *w)
{
    FILE *out = w->out;
    if (has_answer(w))
        fprintf(out, "    struct %s_answer tc_answer;\n", w->f->name);
    fprintf(out,
            "    size_t tc_answer_size = %" PRIu64 ";\n"
            "    tc_ended = tc_call(ep, fn, tc_sent, tc_size, %s, &tc_answer_size, "
            "timeout_ns,\n                       err);\n",
            w->answer.fixed_size, has_answer(w) ? "&tc_answer" : "NULL");
    print_release(w);
    fprintf(out,
            "    tc_ended = tc_stub_answered(err, tc_ended, \"%s\", tc_answer_size, %" PRIu64
            ");\n",
            w->f->name, w->answer.fixed_size);
    if (has_answer(w))
        fprintf(out, "    if (tc_ended != TC_OK)\n        return tc_ended;\n");
    for (unsigned i = 0; i < w->answer.count; i++)
        print_plain_value(w, &w->answer.values[i]);
    fprintf(out, "    return tc_ended;\n}\n");
}

static void print_far_call(const writer *w)
{
    FILE *out = w->out;
    fprintf(out,
            "    uint64_t tc_small_answer[%d];\n    size_t tc_answer_size = 0, tc_capacity;\n"
            "    unsigned char *tc_answer = %s_memory_(tc_small_answer, &tc_answer_size",
            TCI_STUB_SMALL / 8, w->f->name);
    print_names(w, FOR_ROOM);
    fprintf(out,
            ");\n    tc_capacity = tc_answer_size;\n"
            "    if (tc_answer == NULL)\n"
            "        tc_ended = tc_stub_no_memory(err, \"%s\");\n"
            "    else\n"
            "        tc_ended = tc_call(ep, fn, tc_sent, tc_size, tc_answer, "
            "&tc_answer_size,\n                           timeout_ns, err);\n",
            w->f->name);
    print_release(w);
    fprintf(
        out,
        "    if (tc_ended == TC_OK)\n        tc_ended = %s_answer_(tc_answer, tc_answer_size",
        w->f->name);
    print_names(w, FOR_ANSWER);
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

static void print_call(const writer *w)
{
    FILE *out = w->out;
    char failure[TCI_STUB_NAME_MAX + 64];
    fprintf(
        out,
        "\n/* Calls %s at a peer, and blocks. TC_E_INVALID: also for an answer that does not "
        "fit the\n * prototype. Else as tc_call. */\n"
        "TC_MUST_CHECK static inline tc_status %s_call(tc_ep *ep, tc_ifunc *fn",
        w->f->name, w->f->name);
    print_parameters(w, ALL);
    if (w->f->result.text[0] != '\0')
        fprintf(out, ",\n        %s *result_out", w->f->result.c_name);
    fprintf(out, ",\n        uint64_t timeout_ns, tc_error *err)\n{\n");
    (void)snprintf(failure, sizeof failure, "tc_stub_no_memory(err, \"%s\")", w->f->name);
    print_making(w, failure);
    if (is_plain(&w->answer))
        print_plain_call(w);
    else
        print_far_call(w);
}

static void print_start(const writer *w)
{
    FILE *out = w->out;
    char failure[TCI_STUB_NAME_MAX + 64];
    const char *name = w->f->name;
    fprintf(
        out,
        "\n/* Starts a call of %s as tc_call_start does. When `done` is called, %s_ended says "
        "whether\n * the answer is there%s. */\n"
        "TC_MUST_CHECK static inline tc_status %s_start(tc_ep *ep, tc_ifunc *fn",
        name, name, has_answer(w) ? ", in *answer_out, which must stay until then" : "", name);
    print_parameters(w, FOR_MESSAGE);
    if (has_answer(w))
        fprintf(out, ",\n        struct %s_answer *answer_out", name);
    fprintf(out,
            ",\n        uint64_t timeout_ns, tc_call_callback done, void *user, tc_call_id "
            "*call_out,\n        tc_error *err)\n{\n    tc_call_params tc_params;\n");
    (void)snprintf(failure, sizeof failure, "tc_stub_no_memory(err, \"%s\")", name);
    print_making(w, failure);
    fprintf(out, "    memset(&tc_params, 0, sizeof tc_params);\n");
    if (has_answer(w))
        fprintf(out,
                "    tc_params.result = answer_out;\n    tc_params.result_capacity = %" PRIu64
                ";\n",
                w->answer.fixed_size);
    fprintf(out, "    tc_params.timeout_ns = timeout_ns;\n    tc_params.done = done;\n"
                 "    tc_params.user = user;\n"
                 "    tc_ended = tc_call_start(ep, fn, tc_sent, tc_size, &tc_params, call_out, "
                 "err);\n");
    print_release(w);
    fprintf(
        out,
        "    return tc_ended;\n}\n\n"
        "/* Returns how a call of %s_start ended. TC_E_INVALID: the answer does not fit. */\n"
        "TC_MUST_CHECK static inline tc_status %s_ended(const tc_call_outcome *outcome, "
        "tc_error *err)\n{\n"
        "    if (outcome->status != TC_OK && err != NULL) {\n"
        "        err->status = outcome->status;\n"
        "        (void)snprintf(err->text, sizeof err->text, \"%%s\", outcome->text);\n"
        "    }\n"
        "    return tc_stub_answered(err, outcome->status, \"%s\", outcome->result_size, "
        "%" PRIu64 ");\n}\n",
        name, name, name, w->answer.fixed_size);
}

static void print_send(const writer *w)
{
    fprintf(w->out,
            "\n/* Sends a message to %s. As tc_send; repeat it after TC_E_AGAIN. */\n"
            "TC_MUST_CHECK static inline tc_status %s_send(tc_ep *ep, tc_ifunc *fn",
            w->f->name, w->f->name);
    print_parameters(w, ALL);
    fprintf(w->out, ")\n{\n");
    print_making(w, "TC_E_NO_MEMORY");
    if (is_plain(&w->message) && w->message.fixed_size <= TCI_STUB_SMALL / 2)
        fprintf(w->out, "    tc_ended = tc_send(ep, fn, tc_sent, tc_size);\n");
    else
        fprintf(w->out, "    tc_ended = tc_stub_send(ep, fn, tc_sent, tc_size, tc_small);\n");
    fprintf(w->out, "    return tc_ended;\n}\n");
}

static void print_open(const writer *w)
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
            "#ifdef TC_PROTOTYPE\n"
            "    tc_ended = tc_ifunc_check_prototype(tc_opened, %s_PROTOTYPE, err);\n"
            "    if (tc_ended != TC_OK) {\n"
            "        tc_ifunc_close(tc_opened);\n        return tc_ended;\n    }\n"
            "#endif\n"
            "    *fn_out = tc_opened;\n    return TC_OK;\n}\n",
            name, name, w->f->prototype, name, name, name, name);
}

static void print_function(const tci_stub_function *f, FILE *out)
{
    writer w = {.f = f, .out = out};
    tci_stub_model_message(f, &w.message);
    tci_stub_model_answer(f, &w.answer);
    print_open(&w);
    if (has_answer(&w) && !w.answer.varies)
        print_answer_struct(&w);
    print_message(&w);
    if (!is_plain(&w.answer)) {
        print_memory(&w);
        print_reader(&w);
    }
    print_call(&w);
    if (!w.answer.varies)
        print_start(&w);
    if (!has_answer(&w))
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
