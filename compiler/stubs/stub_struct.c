#include "stub_struct.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool tci_stub_struct_add(tci_stub_struct *record, const char *name, const tci_stub_type *type,
                         uint64_t length)
{
    if (record->member_count == TCI_STUB_MEMBERS_MAX)
        return false;
    /* bound: TCI_STUB_MEMBERS_MAX */
    tci_stub_member *grown =
        realloc(record->members, (record->member_count + 1) * sizeof *record->members);
    if (grown == NULL)
        return false;
    record->members = grown;
    tci_stub_member *member = &grown[record->member_count++];
    *member = (tci_stub_member){.length = length};
    (void)snprintf(member->name, sizeof member->name, "%s", name);
    if (type->text[0] == '{')
        (void)snprintf(member->c_name, sizeof member->c_name, "%s", type->c_name);
    else
        (void)snprintf(member->text, sizeof member->text, "%.7s", type->text);
    return true;
}

static int position_of(const tci_stub_header *header, const char *c_name)
{
    for (unsigned i = 0; i < header->struct_count; i++) {
        if (strcmp(header->structs[i].c_name, c_name) == 0)
            return (int)i;
    }
    return -1;
}

bool tci_stub_struct_keep(tci_stub_header *header, tci_stub_struct *record, const char *c_name)
{
    if (position_of(header, c_name) >= 0) {
        free(record->members);
        return true;
    }
    /* bound: TCI_STUB_STRUCTS_MAX */
    tci_stub_struct *grown =
        header->struct_count < TCI_STUB_STRUCTS_MAX
            ? realloc(header->structs, (header->struct_count + 1) * sizeof *header->structs)
            : NULL;
    if (grown == NULL) {
        free(record->members);
        return false;
    }
    header->structs = grown;
    (void)snprintf(record->c_name, sizeof record->c_name, "%s", c_name);
    grown[header->struct_count++] = *record;
    return true;
}

void tci_stub_struct_name(const tci_stub_header *header, const char *c_name,
                          char name_out[TCI_STUB_NAME_MAX])
{
    const char *word = strncmp(c_name, "struct ", 7) == 0 ? c_name + 7 : c_name;
    if (strchr(c_name, '(') != NULL)
        (void)snprintf(name_out, TCI_STUB_NAME_MAX, "unnamed_%d", position_of(header, c_name));
    else
        (void)snprintf(name_out, TCI_STUB_NAME_MAX, "%s", word);
}

void tci_stub_struct_free_all(tci_stub_header *header)
{
    for (unsigned i = 0; i < header->struct_count; i++)
        free(header->structs[i].members);
    free(header->structs);
}
