/* Target triples, normalised to the parts that decide whether code can run: architecture and
 * operating system. The vendor and the environment part are ignored, so "x86_64-pc-linux-gnu"
 * and "x86_64-unknown-linux-gnu" are one target. */
#ifndef TCI_TRIPLE_H
#define TCI_TRIPLE_H

#include <stdbool.h>
#include <stddef.h>

#define TCI_TRIPLE_MAX 64 /* bytes of a normalised triple, with terminator */

/* "x86_64-pc-linux-gnu" -> "x86_64-linux"; "arm64-linux-gnu" -> "aarch64-linux"; "amd64" ->
 * "x86_64-linux". A bare architecture gets "-linux". Returns false when the text is not a
 * triple or too long. */
bool tci_triple_normalise(const char *text, size_t size, char out[TCI_TRIPLE_MAX]);

/* Returns the triple of this process: "x86_64-linux" or "aarch64-linux". */
const char *tci_triple_host(void);

#endif
