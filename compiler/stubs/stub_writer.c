#include "stub_writer.h"

#include <inttypes.h>

static bool is_chosen(const tci_stub_argument *a, tci_stub_choice which)
{
    if (which == TCI_STUB_FOR_MESSAGE)
        return a->way != TCI_STUB_OUT;
    if (which == TCI_STUB_FOR_ANSWER)
        return a->way != TCI_STUB_IN || a->form == TCI_STUB_COUNT;
    return which == TCI_STUB_ALL || a->form == TCI_STUB_COUNT;
}

void tci_stub_writer_parameters(const tci_stub_writer *w, tci_stub_choice which)
{
    for (unsigned i = 0; i < w->f->argument_count; i++) {
        const tci_stub_argument *a = &w->f->arguments[i];
        if (!is_chosen(a, which))
            continue;
        const bool pointer = a->form != TCI_STUB_VALUE && a->form != TCI_STUB_COUNT;
        const bool is_const =
            pointer && (which == TCI_STUB_FOR_MESSAGE || a->way == TCI_STUB_IN);
        fprintf(w->out, ",\n        %s%s %s%s", is_const ? "const " : "", a->type.c_name,
                pointer ? "*" : "", a->name);
    }
}

void tci_stub_writer_names(const tci_stub_writer *w, tci_stub_choice which)
{
    for (unsigned i = 0; i < w->f->argument_count; i++) {
        if (is_chosen(&w->f->arguments[i], which))
            fprintf(w->out, ", %s", w->f->arguments[i].name);
    }
}

void tci_stub_writer_counts(const tci_stub_writer *w, bool with_types)
{
    const char *comma = "";
    for (unsigned i = 0; i < w->f->argument_count; i++) {
        const tci_stub_argument *a = &w->f->arguments[i];
        if (!is_chosen(a, TCI_STUB_FOR_CAPACITY))
            continue;
        fprintf(w->out, "%s%s%s%s", comma, with_types ? a->type.c_name : "",
                with_types ? " " : "", a->name);
        comma = ", ";
    }
}

void tci_stub_writer_count(const tci_stub_writer *w, const tci_stub_argument *a)
{
    if (a->form == TCI_STUB_WORDS)
        fprintf(w->out, "tc_count_%s", a->name);
    else
        fprintf(w->out, "%s", w->f->arguments[a->count].name);
}

void tci_stub_writer_unused(const tci_stub_writer *w, tci_stub_choice which)
{
    for (unsigned i = 0; i < w->f->argument_count; i++) {
        if (is_chosen(&w->f->arguments[i], which) && w->f->arguments[i].form == TCI_STUB_COUNT)
            fprintf(w->out, "    (void)%s;\n", w->f->arguments[i].name);
    }
}

void tci_stub_writer_places(const tci_stub_writer *w, const tci_stub_layout *l,
                            const char *failure)
{
    FILE *out = w->out;
    for (unsigned i = 0; i < l->count; i++) {
        const tci_stub_value *v = &l->values[i];
        if (!v->varies)
            continue;
        fprintf(out, "    if (!tc_stub_next(&tc_end, %" PRIu64 ", %" PRIu64 ", ",
                v->type->alignment, v->type->size);
        tci_stub_writer_count(w, v->argument);
        fprintf(out, ", &tc_at_%s))\n        return %s;\n", v->argument->name, failure);
    }
}

void tci_stub_writer_declare(const tci_stub_writer *w, const tci_stub_layout *l)
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

bool tci_stub_writer_has_answer(const tci_stub_writer *w)
{
    return w->answer.count > 0;
}

bool tci_stub_writer_is_plain(const tci_stub_layout *l)
{
    return !l->varies && l->fixed_size <= TCI_STUB_SMALL;
}
