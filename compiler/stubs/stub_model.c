/* The layout is that of docs/payload-layout.md, "Several values in one message". */
#include "stub_model.h"

#include <stdio.h>
#include <string.h>

uint64_t tci_stub_model_align(uint64_t offset, uint64_t alignment)
{
    return (offset + alignment - 1) / alignment * alignment;
}

bool tci_stub_model_is_bool(const tci_stub_type *type)
{
    return strcmp(type->text, "bool") == 0;
}

bool tci_stub_model_has_bools(const tci_stub_value *value)
{
    const tci_stub_argument *a = value->argument;
    const bool is_array = a != NULL && (a->form == TCI_STUB_ARRAY || a->form == TCI_STUB_FIXED);
    return value->type->bool_count > 0 && !value->is_number &&
           (is_array || !tci_stub_model_is_bool(value->type));
}

static bool varies(const tci_stub_argument *a)
{
    return a->form == TCI_STUB_ARRAY || a->form == TCI_STUB_WORDS;
}

static void add(tci_stub_layout *l, const tci_stub_argument *a, const tci_stub_type *type,
                bool in_message)
{
    tci_stub_value *v = &l->values[l->count++];
    *v = (tci_stub_value){.argument = a, .type = type};
    v->is_number = a != NULL && varies(a) && in_message && a->way == TCI_STUB_OUT;
    v->varies = a != NULL && varies(a) && !v->is_number;
    v->size = type->size * (a != NULL && a->form == TCI_STUB_FIXED ? a->length : 1);
}

/* Finds the offsets of the values. Their sizes are bounded, and so is their sum. */
static void place(tci_stub_layout *l)
{
    uint64_t end = 0, most = 1, used = 0;
    for (unsigned i = l->count; i-- > 0;) {
        l->values[i].is_last = l->values[i].varies && !l->varies;
        l->varies |= l->values[i].varies;
    }
    for (unsigned i = 0; i < l->count; i++) {
        tci_stub_value *v = &l->values[i];
        const bool counts = v->varies || v->is_number;
        const uint64_t alignment = counts ? 8 : v->type->alignment;
        if (v->is_last)
            continue;
        v->size = counts ? 8 : v->size;
        v->offset = tci_stub_model_align(end, alignment);
        end = v->offset + v->size;
        used += v->size;
        most = alignment > most ? alignment : most;
    }
    l->fixed_size = l->varies ? end : tci_stub_model_align(end, most);
    l->has_gaps = l->fixed_size != used;
}

void tci_stub_model_message(const tci_stub_function *function, tci_stub_layout *layout_out)
{
    memset(layout_out, 0, sizeof *layout_out);
    for (unsigned i = 0; i < function->argument_count; i++) {
        const tci_stub_argument *a = &function->arguments[i];
        if (a->form != TCI_STUB_COUNT && (a->way != TCI_STUB_OUT || varies(a)))
            add(layout_out, a, &a->type, true);
    }
    place(layout_out);
}

void tci_stub_model_answer(const tci_stub_function *function, tci_stub_layout *layout_out)
{
    memset(layout_out, 0, sizeof *layout_out);
    if (function->result.text[0] != '\0')
        add(layout_out, NULL, &function->result, false);
    for (unsigned i = 0; i < function->argument_count; i++) {
        const tci_stub_argument *a = &function->arguments[i];
        if (a->form != TCI_STUB_COUNT && a->way != TCI_STUB_IN)
            add(layout_out, a, &a->type, false);
    }
    place(layout_out);
}

const tci_stub_argument *tci_stub_model_counted(const tci_stub_function *function,
                                                unsigned count)
{
    for (unsigned i = 0; i < function->argument_count; i++) {
        const tci_stub_argument *a = &function->arguments[i];
        if (a->form == TCI_STUB_ARRAY && a->count == count && a->way != TCI_STUB_OUT)
            return a;
    }
    return NULL;
}

bool tci_stub_model_is_given(const tci_stub_function *function, unsigned number)
{
    const tci_stub_argument *a = &function->arguments[number];
    return a->form == TCI_STUB_COUNT ? tci_stub_model_counted(function, number) == NULL
                                     : a->way != TCI_STUB_OUT;
}

bool tci_stub_model_append(char *text, const char *more)
{
    const size_t size = strlen(text), more_size = strlen(more);
    if (size + more_size >= TCI_STUB_TEXT_MAX)
        return false;
    memcpy(text + size, more, more_size + 1);
    return true;
}

static bool append_argument(char *text, const tci_stub_argument *a)
{
    static const char *const ways[] = {"", "inout ", "out "};
    char length[32] = "";
    if (a->form == TCI_STUB_COUNT)
        return true;
    if (a->form == TCI_STUB_FIXED)
        (void)snprintf(length, sizeof length, "[%llu]", (unsigned long long)a->length);
    else if (a->form == TCI_STUB_ARRAY)
        (void)snprintf(length, sizeof length, "[]");
    return (strcmp(text, "(") == 0 || tci_stub_model_append(text, ",")) &&
           tci_stub_model_append(text, ways[a->way]) &&
           tci_stub_model_append(text, a->type.text) && tci_stub_model_append(text, length);
}

bool tci_stub_model_prototype(tci_stub_function *function)
{
    char *text = function->prototype;
    bool fits = true;
    (void)snprintf(text, TCI_STUB_TEXT_MAX, "(");
    for (unsigned i = 0; i < function->argument_count && fits; i++)
        fits = append_argument(text, &function->arguments[i]);
    fits = fits && tci_stub_model_append(text, ")");
    if (fits && function->result.text[0] != '\0')
        fits = tci_stub_model_append(text, "->") &&
               tci_stub_model_append(text, function->result.text);
    return fits;
}
