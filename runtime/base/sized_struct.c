#include "sized_struct.h"

#include "error_text.h"

#include <string.h>
#include <tc/version.h>

void tci_sized_struct_fill(void *given_out, size_t given_size, const void *own, size_t own_size)
{
    size_t common = given_size < own_size ? given_size : own_size;
    memcpy(given_out, own, common);
    memset((char *)given_out + common, 0, given_size - common);
}

tc_status tci_sized_struct_read(void *own_out, size_t own_size, const void *given,
                                size_t given_size, tc_error *err)
{
    const unsigned char *bytes = given;
    if (given == NULL) {
        memset(own_out, 0, own_size);
        return TC_OK;
    }
    for (size_t i = own_size; i < given_size; i++) {
        if (bytes[i] != 0)
            return tci_error_set(err, TC_E_UNSUPPORTED,
                                 "a struct of %zu bytes has byte %zu set, expected at most %zu "
                                 "bytes that libtchains %s knows",
                                 given_size, i, own_size, TC_VERSION_STRING);
    }
    tci_sized_struct_fill(own_out, own_size, given,
                          given_size < own_size ? given_size : own_size);
    return TC_OK;
}
