/* Fields of instructions and of tables that hold a distance. */
#ifndef TCI_OBJECT_FIELD_H
#define TCI_OBJECT_FIELD_H

#include <stdbool.h>
#include <stdint.h>

typedef enum tci_object_field {
    TCI_FIELD_NEAR32,   /* 32 bits, bytes from the field itself */
    TCI_FIELD_NEAR64,   /* likewise */
    TCI_FIELD_ADR,      /* aarch64, bytes: adr */
    TCI_FIELD_PAGE,     /* aarch64, pages of 4 KiB: adrp */
    TCI_FIELD_LOW12,    /* aarch64, offset in its page, in units: add, ldr, str */
    TCI_FIELD_BRANCH26, /* aarch64, instructions: b, bl */
    TCI_FIELD_BRANCH19, /* b.cond, cbz, ldr of a literal */
    TCI_FIELD_BRANCH14  /* tbz */
} tci_object_field;

unsigned tci_object_field_bytes(tci_object_field field);

/* Makes the field, which is at `bytes` and will be at `offset`, refer to `target`; `unit` is a
 * power of two's exponent. Both addresses count from offset 0, which begins a page. Returns
 * false if the target is too far away, or between units. */
bool tci_object_field_write(tci_object_field field, unsigned unit, uint8_t *bytes,
                            int64_t offset, int64_t target);

#endif
