/* The entry reads each number once, as peers can change the memory that payloads lie in, and
 * checks all of them against the message's size before it allocates or calls anything. Names
 * with '_' at the end are the arguments', names that begin with tc_ are the entry's own. */
#include "stub_entry.h"

#include "stub_check.h"

#include <inttypes.h>
#include <string.h>

enum { TEXT_SMALL = 256, ANSWER_BYTES_MAX = 64 << 20 };

static bool is_array(const tci_stub_argument *a)
{
    return a->form == TCI_STUB_ARRAY || a->form == TCI_STUB_WORDS;
}

static bool has_texts(const tci_stub_writer *w)
{
    for (unsigned i = 0; i < w->f->argument_count; i++) {
        if (w->f->arguments[i].form == TCI_STUB_WORDS)
            return true;
    }
    return false;
}

static bool allocates(const tci_stub_writer *w)
{
    return has_texts(w) || !tci_stub_writer_is_plain(&w->answer);
}

/* --- memory ------------------------------------------------------------------------------- */

/* Finds where the values of the answer lie in it, and its size. */
static void print_answer_places(const tci_stub_writer *w)
{
    FILE *out = w->out;
    const tci_stub_layout *l = &w->answer;
    if (tci_stub_writer_is_plain(&w->answer))
        return;
    fprintf(out, "    size_t tc_size = %" PRIu64 ";\n", l->fixed_size);
    for (unsigned i = 0; i < l->count; i++) {
        const tci_stub_value *v = &l->values[i];
        if (!v->varies)
            continue;
        const char *name = v->argument->name;
        const uint64_t mask = v->type->alignment - 1, size = v->type->size;
        fprintf(
            out,
            "    const size_t tc_to_%s = (tc_size + %" PRIu64 ") & ~(size_t)%" PRIu64 ";\n"
            "    if (tc_to_%s > TC_ANSWER_MAX || tc_count_%s > (TC_ANSWER_MAX - tc_to_%s) / "
            "%" PRIu64 ") {\n"
            "        tc_refuse(\"the number of elements to answer for '%s'\", tc_count_%s,\n"
            "                  \"an answer whose bytes are at most \", TC_ANSWER_MAX);\n"
            "        return;\n    }\n"
            "    tc_size = tc_to_%s + (size_t)tc_count_%s * %" PRIu64 ";\n",
            name, mask, mask, name, name, name, size, name, name, name, name, size);
    }
}

static void print_allocation(const tci_stub_writer *w)
{
    FILE *out = w->out;
    if (tci_stub_writer_is_plain(&w->answer) && w->answer.count > 0)
        fprintf(out,
                "    _Alignas(16) unsigned char tc_answer[%" PRIu64 "];\n"
                "    memset(tc_answer, 0, sizeof tc_answer);\n",
                w->answer.fixed_size);
    else if (!tci_stub_writer_is_plain(&w->answer))
        fprintf(out,
                "    _Alignas(16) unsigned char tc_small[%d];\n"
                "    unsigned char *const tc_answer =\n"
                "        tc_size <= sizeof tc_small ? tc_small : malloc(tc_size);\n",
                TCI_STUB_SMALL);
    for (unsigned i = 0; i < w->f->argument_count; i++) {
        const char *name = w->f->arguments[i].name;
        if (w->f->arguments[i].form == TCI_STUB_WORDS)
            fprintf(out,
                    "    char tc_small_%s[%d];\n"
                    "    char *const %s_ = tc_count_%s < sizeof tc_small_%s\n"
                    "                          ? tc_small_%s\n"
                    "                          : malloc((size_t)tc_count_%s + 1);\n",
                    name, TEXT_SMALL, name, name, name, name, name);
    }
    if (!allocates(w))
        return;
    fprintf(out, "    if (");
    for (unsigned i = 0; i < w->f->argument_count; i++) {
        if (w->f->arguments[i].form == TCI_STUB_WORDS)
            fprintf(out, "%s_ == NULL || ", w->f->arguments[i].name);
    }
    fprintf(out,
            "%s) {\n"
            "        tc_self_fail(TC_E_NO_MEMORY, \"%s: no memory for its arguments and its "
            "answer\");\n        goto tc_end;\n    }\n",
            tci_stub_writer_is_plain(&w->answer) ? "0" : "tc_answer == NULL", w->f->name);
}

static const char *name_of(const tci_stub_layout *l, unsigned number)
{
    return l->values[number].argument->name;
}

/* Clears the values that the function may leave as they are, and the gaps between values, so
 * that no bytes of this process's memory go out. */
static void print_clearing(const tci_stub_writer *w)
{
    FILE *out = w->out;
    const tci_stub_layout *l = &w->answer;
    bool fixed = l->has_gaps;
    uint64_t unit = l->fixed_size; /* divides the offset of the end so far */
    if (tci_stub_writer_is_plain(&w->answer))
        return;
    for (unsigned i = 0; i < l->count; i++)
        fixed |= !l->values[i].varies && l->values[i].argument != NULL &&
                 l->values[i].argument->way == TCI_STUB_OUT;
    if (fixed && l->fixed_size > 0)
        fprintf(out, "    memset(tc_answer, 0, %" PRIu64 ");\n", l->fixed_size);
    for (unsigned i = 0, k = l->count; i < l->count; i++) {
        const tci_stub_value *v = &l->values[i];
        if (!v->varies)
            continue;
        const char *name = v->argument->name, *before = k < l->count ? name_of(l, k) : NULL;
        if (unit % v->type->alignment != 0 && before == NULL)
            fprintf(out, "    memset(tc_answer + %" PRIu64 ", 0, tc_to_%s - %" PRIu64 ");\n",
                    l->fixed_size, name, l->fixed_size);
        else if (unit % v->type->alignment != 0)
            fprintf(out,
                    "    memset(tc_answer + tc_to_%s + (size_t)tc_count_%s * %" PRIu64
                    ", 0,\n           tc_to_%s - tc_to_%s - (size_t)tc_count_%s * %" PRIu64
                    ");\n",
                    before, before, l->values[k].type->size, name, before, before,
                    l->values[k].type->size);
        if (v->argument->way == TCI_STUB_OUT)
            fprintf(out,
                    "    memset(tc_answer + tc_to_%s, 0, (size_t)tc_count_%s * %" PRIu64 ");\n",
                    name, name, v->type->size);
        unit = v->type->alignment;
        k = i;
    }
}

/* The texts are checked in the function's own copies. */
static void print_texts(const tci_stub_writer *w)
{
    for (unsigned i = 0; i < w->f->argument_count; i++) {
        const char *name = w->f->arguments[i].name;
        if (w->f->arguments[i].form != TCI_STUB_WORDS)
            continue;
        fprintf(w->out,
                "    memcpy(%s_, tc_bytes + tc_at_%s, (size_t)tc_count_%s);\n"
                "    %s_[tc_count_%s] = '\\0';\n"
                "    if (strlen(%s_) != tc_count_%s) {\n"
                "        tc_refuse(\"the length up to the first zero of the text '%s'\", "
                "strlen(%s_), \"\",\n                  tc_count_%s);\n"
                "        goto tc_end;\n    }\n",
                name, name, name, name, name, name, name, name, name, name);
    }
}

static void print_releases(const tci_stub_writer *w)
{
    FILE *out = w->out;
    if (!allocates(w))
        return;
    fprintf(out, "tc_end:\n");
    for (unsigned i = 0; i < w->f->argument_count; i++) {
        const char *name = w->f->arguments[i].name;
        if (w->f->arguments[i].form == TCI_STUB_WORDS)
            fprintf(out, "    if (%s_ != tc_small_%s)\n        free(%s_);\n", name, name, name);
    }
    if (!tci_stub_writer_is_plain(&w->answer))
        fprintf(out, "    if (tc_answer != tc_small)\n        free(tc_answer);\n");
    if (has_texts(w) || !tci_stub_writer_is_plain(&w->answer))
        fprintf(out, "    return;\n");
}

/* --- the call ----------------------------------------------------------------------------- */

/* Copies the values that go and come back into the answer, where the function changes them. */
static void print_inouts(const tci_stub_writer *w)
{
    FILE *out = w->out;
    for (unsigned i = 0; i < w->answer.count; i++) {
        const tci_stub_value *to = &w->answer.values[i];
        const tci_stub_argument *a = to->argument;
        if (a == NULL || a->way != TCI_STUB_INOUT)
            continue;
        for (unsigned k = 0; k < w->message.count; k++) {
            if (w->message.values[k].argument == a && !to->varies)
                fprintf(out,
                        "    memcpy(tc_answer + %" PRIu64 ", tc_bytes + %" PRIu64 ", %" PRIu64
                        ");\n",
                        to->offset, w->message.values[k].offset, to->size);
        }
        if (to->varies)
            fprintf(out,
                    "    memcpy(tc_answer + tc_to_%s, tc_bytes + tc_at_%s,\n"
                    "           (size_t)tc_count_%s * %" PRIu64 ");\n",
                    a->name, a->name, a->name, to->type->size);
    }
}

static const tci_stub_value *value_of(const tci_stub_layout *l, const tci_stub_argument *a)
{
    for (unsigned i = 0; i < l->count; i++) {
        if (l->values[i].argument == a)
            return &l->values[i];
    }
    return NULL;
}

/* Prints the argument that the function is called with. */
static void print_argument(const tci_stub_writer *w, const tci_stub_argument *a)
{
    FILE *out = w->out;
    const bool answered = a->way != TCI_STUB_IN;
    const tci_stub_value *v = value_of(answered ? &w->answer : &w->message, a);
    const char *base = answered ? "tc_answer" : "tc_bytes", *c = a->type.c_name;
    if (a->form == TCI_STUB_COUNT || a->form == TCI_STUB_WORDS)
        fprintf(out, "%s_", a->name);
    else if (a->form == TCI_STUB_VALUE && tci_stub_model_is_bool(&a->type))
        fprintf(out, "tc_bytes[%" PRIu64 "] != 0", v->offset);
    else if (a->form == TCI_STUB_VALUE)
        fprintf(out, "*(const %s *)(tc_bytes + %" PRIu64 ")", c, v->offset);
    else if (is_array(a))
        fprintf(out, "(%s%s *)(%s + tc_%s_%s)", answered ? "" : "const ", c, base,
                answered ? "to" : "at", a->name);
    else
        fprintf(out, "(%s%s *)(%s + %" PRIu64 ")", answered ? "" : "const ", c, base,
                v->offset);
}

static void print_call(const tci_stub_writer *w)
{
    FILE *out = w->out;
    const tci_stub_function *f = w->f;
    fprintf(out, "    %s%s%s(", f->result.text[0] != '\0' ? "const " : "", f->result.c_name,
            f->result.text[0] != '\0' ? " tc_result = " : "");
    fprintf(out, "%s(", f->name);
    for (unsigned i = 0; i < f->argument_count; i++) {
        fprintf(out, "%s\n        ", i > 0 ? "," : "");
        print_argument(w, &f->arguments[i]);
    }
    fprintf(out, "));\n");
}

static void print_reply(const tci_stub_writer *w)
{
    FILE *out = w->out;
    if (w->answer.count == 0)
        return;
    for (unsigned i = 0; i < w->answer.count; i++) {
        const tci_stub_value *v = &w->answer.values[i];
        if (v->argument == NULL)
            fprintf(out, "    memcpy(tc_answer + %" PRIu64 ", &tc_result, %" PRIu64 ");\n",
                    v->offset, v->size);
        else if (v->varies && !v->is_last)
            fprintf(out, "    memcpy(tc_answer + %" PRIu64 ", &tc_count_%s, 8);\n", v->offset,
                    v->argument->name);
    }
    fprintf(out, "    (void)tc_reply(tc_answer, %s);\n",
            tci_stub_writer_is_plain(&w->answer) ? "sizeof tc_answer" : "tc_size");
}

static void print_main(const tci_stub_writer *w)
{
    FILE *out = w->out;
    const tci_stub_layout *l = &w->message;
    fprintf(out,
            "\nvoid %s_main(void *payload, size_t payload_size, void *target_args);\n"
            "void %s_main(void *payload, size_t payload_size, void *target_args)\n{\n"
            "    const unsigned char *const tc_bytes = payload;\n",
            w->f->name, w->f->name);
    if (l->varies)
        fprintf(out, "    size_t tc_at = %" PRIu64 ";\n", l->fixed_size);
    fprintf(out, "    (void)target_args, (void)tc_bytes;\n");
    tci_stub_check_message(w);
    print_answer_places(w);
    print_allocation(w);
    print_texts(w);
    print_clearing(w);
    print_inouts(w);
    print_call(w);
    print_reply(w);
    print_releases(w);
    fprintf(out, "}\n");
}

void tci_stub_entry_write(const tci_stub_header *header, const tci_stub_function *function,
                          FILE *out)
{
    tci_stub_writer w = {.f = function, .out = out};
    tci_stub_model_message(function, &w.message);
    tci_stub_model_answer(function, &w.answer);
    fprintf(out,
            "/* The entry of %s. Made by tc-clang --stubs of %s: changes are lost. */\n"
            "#include <stdbool.h>\n#include <stdint.h>\n#include <stdio.h>\n"
            "#include <stdlib.h>\n#include <string.h>\n#include <tc/entry.h>\n\n"
            "#include \"%s\"\n\n",
            function->name, header->base, header->base);
    fprintf(out, "TC_PROTOTYPE(%s, \"%s\");\n", function->name, function->prototype);
    if (w.answer.varies)
        fprintf(out,
                "\n#ifndef TC_ANSWER_MAX /* bytes of an answer that a caller may ask for */\n"
                "#define TC_ANSWER_MAX %du\n#endif\n",
                ANSWER_BYTES_MAX);
    tci_stub_check_functions(&w);
    print_main(&w);
}
