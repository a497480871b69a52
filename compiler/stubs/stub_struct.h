/* The structs of a header's remote functions with the names of their members: for languages
 * that declare them anew. */
#ifndef TCI_STUB_STRUCT_H
#define TCI_STUB_STRUCT_H

#include "stub_model.h"

enum { TCI_STUB_STRUCTS_MAX = 128, TCI_STUB_MEMBERS_MAX = 255 };

typedef struct tci_stub_member {
    char name[TCI_STUB_NAME_MAX];
    char c_name[TCI_STUB_NAME_MAX]; /* of its type's; "": `text` is a number */
    char text[8];
    uint64_t length; /* of an array; 0: no array */
} tci_stub_member;

typedef struct tci_stub_struct {
    char c_name[TCI_STUB_NAME_MAX];
    unsigned member_count;
    tci_stub_member *members;
} tci_stub_struct;

/* Appends a member. False: no memory, or too many. */
bool tci_stub_struct_add(tci_stub_struct *record, const char *name, const tci_stub_type *type,
                         uint64_t length);

/* Takes over a struct, behind those that it has. It is freed if that name is here already.
 * False: no memory, or too many. */
bool tci_stub_struct_keep(tci_stub_header *header, tci_stub_struct *record, const char *c_name);

/* Returns the name for a type of C's without the word "struct"; numbered where it has no
 * name. */
void tci_stub_struct_name(const tci_stub_header *header, const char *c_name,
                          char name_out[TCI_STUB_NAME_MAX]);

void tci_stub_struct_free_all(tci_stub_header *header);

#endif
