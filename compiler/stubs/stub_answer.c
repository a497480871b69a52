#include "stub_answer.h"

#include <inttypes.h>

static const char *name_of(const tci_stub_value *v)
{
    return v->argument != NULL ? v->argument->name : "result";
}

void tci_stub_answer_struct(const tci_stub_writer *w)
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

/* Checks the number of a varying value, and finds its offset. */
static void print_number_check(const tci_stub_writer *w, const tci_stub_value *v)
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

void tci_stub_answer_bools(const tci_stub_writer *w, const char *answer)
{
    char at[TCI_STUB_NAME_MAX + 32], count[TCI_STUB_NAME_MAX + 32];
    for (unsigned i = 0; i < w->answer.count; i++) {
        const tci_stub_value *v = &w->answer.values[i];
        if (!tci_stub_model_has_bools(v))
            continue;
        (void)snprintf(at, sizeof at, "%" PRIu64, v->offset);
        (void)snprintf(count, sizeof count, "%" PRIu64, v->size / v->type->size);
        if (v->varies) {
            (void)snprintf(at, sizeof at, "tc_at_%s", v->argument->name);
            (void)snprintf(count, sizeof count, "tc_number_%s", v->argument->name);
        }
        for (unsigned k = 0; k < v->type->bool_count; k++)
            fprintf(
                w->out,
                "    {\n        const unsigned tc_bad = tc_stub_bad_bool(%s, %s + %" PRIu64
                ", %s, %" PRIu64 ", %" PRIu64 ");\n"
                "        if (tc_bad != 0)\n"
                "            return tc_stub_fail(err, TC_E_INVALID, \"%s\", \"a bool of the "
                "answer\", tc_bad,\n                                \"at most \", 1);\n"
                "    }\n",
                answer, at, v->type->bools[k].at, count, v->type->size,
                v->type->bools[k].length, w->f->name);
    }
}

/* Copies a value of an answer in memory to the caller. */
static void print_far_value(const tci_stub_writer *w, const tci_stub_value *v)
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

void tci_stub_answer_reader(const tci_stub_writer *w)
{
    FILE *out = w->out;
    const tci_stub_layout *l = &w->answer;
    fprintf(
        out,
        "\nstatic inline tc_status %s_answer_(const unsigned char *tc_bytes, size_t tc_size",
        w->f->name);
    tci_stub_writer_parameters(w, TCI_STUB_FOR_ANSWER);
    if (w->f->result.text[0] != '\0')
        fprintf(out, ",\n        %s *result_out", w->f->result.c_name);
    fprintf(out, ",\n        tc_error *err)\n{\n");
    if (l->varies)
        fprintf(out, "    size_t tc_end = %" PRIu64 ";\n", l->fixed_size);
    tci_stub_writer_declare(w, l);
    for (unsigned i = 0; i < l->count; i++) {
        if (l->values[i].varies)
            fprintf(out, "    uint64_t tc_number_%s;\n", l->values[i].argument->name);
    }
    tci_stub_writer_unused(w, TCI_STUB_FOR_ANSWER);
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
    tci_stub_answer_bools(w, "tc_bytes");
    for (unsigned i = 0; i < l->count; i++)
        print_far_value(w, &l->values[i]);
    fprintf(out, "    return TC_OK;\n}\n");
}

static void print_capacity(const tci_stub_writer *w)
{
    FILE *out = w->out;
    fprintf(
        out,
        "\n/* Returns the bytes of the largest answer of %s for so many elements, or SIZE_MAX "
        "if no\n * memory has them. */\n"
        "static inline size_t %s_capacity(",
        w->f->name, w->f->name);
    tci_stub_writer_counts(w, true);
    fprintf(out, ")\n{\n    size_t tc_end = %" PRIu64 ";\n", w->answer.fixed_size);
    tci_stub_writer_declare(w, &w->answer);
    tci_stub_writer_unused(w, TCI_STUB_FOR_CAPACITY);
    tci_stub_writer_places(w, &w->answer, "SIZE_MAX");
    fprintf(out, "    return tc_end;\n}\n");
}

void tci_stub_answer_memory(const tci_stub_writer *w)
{
    FILE *out = w->out;
    if (w->answer.varies)
        print_capacity(w);
    fprintf(out,
            "\nstatic inline unsigned char *%s_memory_(uint64_t *tc_small, size_t *tc_size_out",
            w->f->name);
    tci_stub_writer_parameters(w, TCI_STUB_FOR_CAPACITY);
    fprintf(out, ")\n{\n");
    if (w->answer.varies) {
        fprintf(out, "    *tc_size_out = %s_capacity(", w->f->name);
        tci_stub_writer_counts(w, false);
        fprintf(out, ");\n    return *tc_size_out == SIZE_MAX ? NULL\n"
                     "                                    : tc_stub_memory(tc_small, "
                     "*tc_size_out);\n}\n");
        return;
    }
    tci_stub_writer_unused(w, TCI_STUB_FOR_CAPACITY);
    fprintf(out,
            "    *tc_size_out = %" PRIu64 ";\n"
            "    return tc_stub_memory(tc_small, *tc_size_out);\n}\n",
            w->answer.fixed_size);
}
