/* Names that rustc gives to symbols, in the words of the source. They come out of bitcode, and can be anything. */
#ifndef TCI_RUST_NAME_H
#define TCI_RUST_NAME_H

#include <stdbool.h>

#define TCI_RUST_NAME_MAX 256

/* "core::panicking::panic_fmt" of "_ZN4core9panicking9panic_fmt17h0123456789abcdefE" or
 * "_RNvNtCs1234_4core9panicking9panic_fmt". False: it is no name that rustc makes, or one with
 * more in it than modules and names. */
bool tci_rust_name_read(const char *symbol, char name_out[TCI_RUST_NAME_MAX]);

#endif
