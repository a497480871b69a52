/* Public structs grow at their end. Functions that read or fill one get its size as the program
 * was compiled with it, from the inline functions of the public headers. */
#ifndef TCI_SIZED_STRUCT_H
#define TCI_SIZED_STRUCT_H

#include <stddef.h>
#include <string.h>
#include <tc/status.h>

/* Copies the first given_size bytes of `own` out. A larger struct of a newer program gets zeros
 * in the fields that this library does not know. */
void tci_sized_struct_fill(void *given_out, size_t given_size, const void *own,
                           size_t own_size);

/* Copies `given` into `own`. Fields that an older program does not have become 0.
 * TC_E_UNSUPPORTED: a newer program set a field that this library does not know; nothing is
 * copied. NULL is read as a zeroed struct. */
TC_MUST_CHECK tc_status tci_sized_struct_read(void *own_out, size_t own_size, const void *given,
                                              size_t given_size, tc_error *err);

/* The same, for the path of messages: own_size is a constant, which the program's struct has
 * unless it was compiled with another version. */
TC_MUST_CHECK static inline tc_status tci_sized_struct_take(void *own_out, size_t own_size,
                                                            const void *given,
                                                            size_t given_size, tc_error *err)
{
    if (given == NULL || given_size != own_size)
        return tci_sized_struct_read(own_out, own_size, given, given_size, err);
    memcpy(own_out, given, own_size);
    return TC_OK;
}

#endif
