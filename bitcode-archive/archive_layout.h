/* The bytes of an archive, as docs/archive-format.md gives them: what reader and writer must
 * agree on. */
#ifndef TCI_ARCHIVE_LAYOUT_H
#define TCI_ARCHIVE_LAYOUT_H

#include "varint.h"

#include <stdint.h>

#define TCI_ARCHIVE_MAGIC "TCA"
#define TCI_ARCHIVE_MAGIC_SIZE 3u
#define TCI_ARCHIVE_VERSION 1u
#define TCI_ARCHIVE_CHECKSUM_SIZE 8u
#define TCI_ARCHIVE_NO_DICTIONARY 0u

/* Magic, version, packing, and the two varints: dictionary id and content size. */
#define TCI_ARCHIVE_HEADER_MAX (TCI_ARCHIVE_MAGIC_SIZE + 2u + 2u * TCI_VARINT_MAX_SIZE)
#define TCI_ARCHIVE_SIZE_MIN (TCI_ARCHIVE_MAGIC_SIZE + 1u + TCI_ARCHIVE_CHECKSUM_SIZE)

#define TCI_ENTRY_KNOWN 15u /* every TCI_ENTRY_ bit of archive.h but TCI_ENTRY_LIFE */
/* Above them in the same byte: how often the least alignment of payloads is doubled. */
#define TCI_ALIGNMENT_SHIFT 4u
/* There: payloads are read-only, and begin at pages. */
#define TCI_READONLY_MARK 14u
#define TCI_ALIGNMENT_PAGES 8u /* what makes pages of the least alignment */
/* There: TCI_ENTRY_LIFE; what would stand there has a byte of its own behind. */
#define TCI_LIFE_MARK 13u
#define TCI_ENTRY_PLACES 7u /* those that are a place in the code of every slice */

/* The targets that have a number in the index; any other is written as text behind
 * TCI_TARGET_TEXT. The table belongs to the format version: a reader could not know a number
 * added later. */
enum { TCI_TARGET_TEXT = 0, TCI_TARGET_X86_64_LINUX = 1, TCI_TARGET_AARCH64_LINUX = 2 };

/* NULL when the number has no target. */
const char *tci_target_triple(unsigned target);
/* TCI_TARGET_TEXT when the triple has no number. */
uint8_t tci_target_number(const char *triple);

/* Of the bytes in front of the checksum. It finds damage; it does not prove who wrote the
 * archive. */
void tci_archive_checksum(const void *bytes, size_t size,
                          uint8_t out[TCI_ARCHIVE_CHECKSUM_SIZE]);

#endif
