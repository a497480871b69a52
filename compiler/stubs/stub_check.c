/* Every number is read once, into a variable of the entry's, and checked before it is used. */
#include "stub_check.h"

#include <inttypes.h>

static void print_refuser(const tci_stub_writer *w)
{
    const char *name = w->f->name;
    fprintf(
        w->out,
        "\n__attribute__((noinline, cold)) static void tc_refuse(const char *what, uint64_t "
        "found,\n        const char *expected, "
        "uint64_t number)\n{\n"
        "    char text[400];\n"
        "    (void)snprintf(text, sizeof text, \"%s: %%s is %%llu, expected %%s%%llu\", what,\n"
        "                   (unsigned long long)found, expected, (unsigned long long)number);\n"
        "    tc_self_fail(TC_E_INVALID, text);\n}\n",
        name);
}

/* Prints the check of the bools inside a value, which lies at the expression. */
static void print_bools(const tci_stub_writer *w, const tci_stub_value *v)
{
    char at[TCI_STUB_NAME_MAX + 32], count[TCI_STUB_NAME_MAX + 32];
    const tci_stub_argument *a = v->argument;
    if (!tci_stub_model_has_bools(v))
        return;
    (void)snprintf(at, sizeof at, "%" PRIu64, v->offset);
    (void)snprintf(count, sizeof count, "%" PRIu64, v->size / v->type->size);
    if (v->varies) {
        (void)snprintf(at, sizeof at, "tc_at_%s", a->name);
        (void)snprintf(count, sizeof count, "tc_count_%s", a->name);
    }
    for (unsigned i = 0; i < v->type->bool_count; i++)
        fprintf(w->out,
                "    if (!tc_are_bools(tc_bytes + %s + %" PRIu64 ", %s, %" PRIu64 ", %" PRIu64
                ", \"a bool of '%s'\"))\n        return;\n",
                at, v->type->bools[i].at, count, v->type->size, v->type->bools[i].length,
                a->name);
}

static bool has_bools(const tci_stub_writer *w)
{
    for (unsigned i = 0; i < w->message.count; i++) {
        if (tci_stub_model_has_bools(&w->message.values[i]))
            return true;
    }
    return false;
}

static void print_bool_check(const tci_stub_writer *w)
{
    if (has_bools(w))
        fputs("\nstatic int tc_are_bools(const unsigned char *bytes, uint64_t count, size_t "
              "stride,\n                        size_t length, const char *what)\n{\n"
              "    for (uint64_t i = 0; i < count; i++) {\n"
              "        for (size_t k = 0; k < length; k++) {\n"
              "            const unsigned char found = bytes[i * stride + k];\n"
              "            if (found > 1) {\n"
              "                tc_refuse(what, found, \"at most \", 1);\n"
              "                return 0;\n            }\n        }\n    }\n"
              "    return 1;\n}\n",
              w->out);
}

static void print_size_check(const tci_stub_writer *w)
{
    const tci_stub_layout *l = &w->message;
    if (l->varies && l->fixed_size == 0)
        return;
    fprintf(w->out,
            "    if (payload_size %s %" PRIu64 ") {\n"
            "        tc_refuse(\"the message's size\", payload_size, \"%s\", %" PRIu64 ");\n"
            "        return;\n    }\n",
            l->varies ? "<" : "!=", l->fixed_size, l->varies ? "at least " : "", l->fixed_size);
}

/* Finds the elements of one varying value, from tc_at on. */
static void print_find(const tci_stub_writer *w, const tci_stub_value *v)
{
    FILE *out = w->out;
    const char *name = v->argument->name;
    const uint64_t size = v->type->size;
    if (v->type->alignment > 1)
        fprintf(out, "    tc_at = (tc_at + %" PRIu64 ") & ~(size_t)%" PRIu64 ";\n",
                v->type->alignment - 1, v->type->alignment - 1);
    fprintf(out,
            "    if (tc_at > payload_size) {\n"
            "        tc_refuse(\"the message's size\", payload_size, \"at least \", tc_at);\n"
            "        return;\n    }\n"
            "    const size_t tc_at_%s = tc_at;\n",
            name);
    if (v->is_last && size > 1)
        fprintf(
            out,
            "    if ((payload_size - tc_at) %% %" PRIu64 " != 0) {\n"
            "        tc_refuse(\"the size of the elements of '%s'\", payload_size - tc_at,\n"
            "                  \"a multiple of \", %" PRIu64 ");\n        return;\n    }\n",
            size, name, size);
    if (v->is_last) {
        fprintf(out, "    const uint64_t tc_count_%s = (payload_size - tc_at) / %" PRIu64 ";\n",
                name, size);
        return;
    }
    fprintf(out,
            "    const uint64_t tc_count_%s = *(const volatile uint64_t *)(tc_bytes + %" PRIu64
            ");\n"
            "    if (tc_count_%s > (payload_size - tc_at) / %" PRIu64 ") {\n"
            "        tc_refuse(\"the number of elements of '%s'\", tc_count_%s, \"at most \",\n"
            "                  (payload_size - tc_at) / %" PRIu64 ");\n        return;\n    }\n"
            "    tc_at += (size_t)tc_count_%s * %" PRIu64 ";\n",
            name, v->offset, name, size, name, name, size, name, size);
}

static void print_capacity(const tci_stub_writer *w, const tci_stub_value *v)
{
    fprintf(w->out,
            "    const uint64_t tc_count_%s = *(const volatile uint64_t *)(tc_bytes + %" PRIu64
            ");\n"
            "    if (tc_count_%s > TC_ANSWER_MAX / %" PRIu64 ") {\n"
            "        tc_refuse(\"the number of elements to answer for '%s'\", tc_count_%s,\n"
            "                  \"at most \", TC_ANSWER_MAX / %" PRIu64 ");\n"
            "        return;\n    }\n",
            v->argument->name, v->offset, v->argument->name, v->type->size, v->argument->name,
            v->argument->name, v->type->size);
}

/* Arrays of one count have equal numbers, which the count's type can have. */
static void print_count(const tci_stub_writer *w, unsigned number)
{
    FILE *out = w->out;
    const tci_stub_argument *n = &w->f->arguments[number], *first = NULL;
    for (unsigned i = 0; i < w->f->argument_count; i++) {
        const tci_stub_argument *a = &w->f->arguments[i];
        if (a->form != TCI_STUB_ARRAY || a->count != number)
            continue;
        if (first != NULL)
            fprintf(out,
                    "    if (tc_count_%s != tc_count_%s) {\n"
                    "        tc_refuse(\"the number of elements of '%s'\", tc_count_%s,\n"
                    "                  \"that of '%s', \", tc_count_%s);\n"
                    "        return;\n    }\n",
                    a->name, first->name, a->name, a->name, first->name, first->name);
        else if (n->type.size < 8)
            fprintf(out,
                    "    if (tc_count_%s > %" PRIu64 "u) {\n"
                    "        tc_refuse(\"the number of elements of '%s'\", tc_count_%s, \"at "
                    "most \", %" PRIu64 "u);\n        return;\n    }\n",
                    a->name, (UINT64_C(1) << (8 * n->type.size)) - 1, a->name, a->name,
                    (UINT64_C(1) << (8 * n->type.size)) - 1);
        first = first != NULL ? first : a;
    }
    if (first != NULL)
        fprintf(out, "    const %s %s_ = (%s)tc_count_%s;\n", n->type.c_name, n->name,
                n->type.c_name, first->name);
}

void tci_stub_check_functions(const tci_stub_writer *w)
{
    print_refuser(w);
    print_bool_check(w);
}

void tci_stub_check_message(const tci_stub_writer *w)
{
    const tci_stub_layout *l = &w->message;
    print_size_check(w);
    for (unsigned i = 0; i < l->count; i++) {
        if (l->values[i].varies)
            print_find(w, &l->values[i]);
        else if (l->values[i].is_number)
            print_capacity(w, &l->values[i]);
    }
    for (unsigned i = 0; i < w->f->argument_count; i++) {
        if (w->f->arguments[i].form == TCI_STUB_COUNT)
            print_count(w, i);
    }
    for (unsigned i = 0; i < l->count; i++)
        print_bools(w, &l->values[i]);
}
