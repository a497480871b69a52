/* Decodes the symbols of rustc into names of the source. They come out of bitcode, so they may
 * contain anything. */
#ifndef TCI_RUST_NAME_H
#define TCI_RUST_NAME_H

#include <stdbool.h>

#define TCI_RUST_NAME_MAX 256

/* Returns "core::panicking::panic_fmt" for "_ZN4core9panicking9panic_fmt17h0123456789abcdefE"
 * or "_RNvNtCs1234_4core9panicking9panic_fmt". False: rustc makes no such name, or it contains
 * more than modules and names. */
bool tci_rust_name_read(const char *symbol, char name_out[TCI_RUST_NAME_MAX]);

#endif
