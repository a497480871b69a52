#include "stub_message.h"

#include <inttypes.h>
#include <string.h>

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

static void print_check(const tci_stub_writer *w, const char *err)
{
    fprintf(w->out,
            "    tc_ended = tc_ifunc_check_prototype(fn, %s_PROTOTYPE, %s);\n"
            "    if (tc_ended != TC_OK)\n        return tc_ended;\n",
            w->f->name, err);
}

void tci_stub_message_make(const tci_stub_writer *w, const char *failure)
{
    const tci_stub_layout *l = &w->message;
    const uint64_t size =
        tci_stub_writer_is_plain(l) ? (l->fixed_size + 7) / 8 : TCI_STUB_SMALL / 8;
    fprintf(w->out,
            "    uint64_t tc_small[%" PRIu64 "];\n    size_t tc_size = 0;\n"
            "    unsigned char *tc_sent;\n    tc_status tc_ended;\n",
            size > 0 ? size : 1);
    print_check(w, strcmp(failure, "TC_E_NO_MEMORY") == 0 ? "NULL" : "err");
    fprintf(w->out, "    tc_sent = %s_message_(tc_small, &tc_size", w->f->name);
    tci_stub_writer_names(w, TCI_STUB_FOR_MESSAGE);
    fprintf(w->out, ");\n");
    if (!tci_stub_writer_is_plain(l))
        fprintf(w->out, "    if (tc_sent == NULL)\n        return %s;\n", failure);
}

void tci_stub_message_release(const tci_stub_writer *w)
{
    if (!tci_stub_writer_is_plain(&w->message))
        fprintf(w->out, "    tc_stub_free(tc_sent, tc_small);\n");
}
