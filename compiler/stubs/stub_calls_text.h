/* The parts of HEADER_calls.h that are the same for every function. */
#ifndef TCI_STUB_CALLS_TEXT_H
#define TCI_STUB_CALLS_TEXT_H

extern const char tci_stub_calls_text[];

#endif
