#include "stub_message.h"

#include <inttypes.h>

static void print_fixed_value(const tci_stub_writer *w, const tci_stub_value *v)
{
    FILE *out = w->out;
    if (v->is_last)
        return;
    if (v->varies || v->is_number) {
        fprintf(out, "    tc_number = ");
        tci_stub_writer_count(w, v->argument);
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

void tci_stub_message_write(const tci_stub_writer *w)
{
    FILE *out = w->out;
    const tci_stub_layout *l = &w->message;
    fprintf(
        out,
        "\nstatic inline unsigned char *%s_message_(uint64_t *tc_small, size_t *tc_size_out",
        w->f->name);
    tci_stub_writer_parameters(w, TCI_STUB_FOR_MESSAGE);
    fprintf(out, ")\n{\n    unsigned char *tc_bytes;\n    size_t tc_end = %" PRIu64 ";\n",
            l->fixed_size);
    tci_stub_writer_declare(w, l);
    if (has_number(l))
        fprintf(out, "    uint64_t tc_number;\n");
    tci_stub_writer_unused(w, TCI_STUB_FOR_MESSAGE);
    tci_stub_writer_places(w, l, "NULL");
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
        tci_stub_writer_count(w, v->argument);
        fprintf(out, " * %" PRIu64 ");\n", v->type->size);
    }
    fprintf(out, "    *tc_size_out = tc_end;\n    return tc_bytes;\n}\n");
}
