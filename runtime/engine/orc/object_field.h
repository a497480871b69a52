/* Fields of instructions and of tables that say how far away something is. */
#ifndef TCI_OBJECT_FIELD_H
#define TCI_OBJECT_FIELD_H

#include <stdbool.h>
#include <stdint.h>

typedef enum tci_object_field {
    TCI_FIELD_NEAR32,   /* 32 bits, bytes from the field itself */
    TCI_FIELD_NEAR64,   /* likewise */
    TCI_FIELD_ADR,      /* aarch64, bytes: adr */
    TCI_FIELD_PAGE,     /* aarch64, pages of 4 KiB: adrp */
    TCI_FIELD_LOW12,    /* aarch64, place in its page, in units: add, ldr, str */
    TCI_FIELD_BRANCH26, /* aarch64, instructions: b, bl */
    TCI_FIELD_BRANCH19, /* b.cond, cbz, ldr of a literal */
    TCI_FIELD_BRANCH14  /* tbz */
} tci_object_field;

unsigned tci_object_field_bytes(tci_object_field field);

/* Has the field, which is at `bytes` and will be at `place`, say where `target` is; `unit` is a
 * power of two's exponent. Both addresses count from place 0, which begins a page. False: it
 * is too far away, or between units. */
bool tci_object_field_write(tci_object_field field, unsigned unit, uint8_t *bytes,
                            int64_t place, int64_t target);

#endif
