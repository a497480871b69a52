/* The bytes of an archive, as docs/archive-format.md defines them: shared by reader and
 * writer. */
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
/* The upper bits of the same byte: how often the smallest alignment of payloads is doubled. */
#define TCI_ALIGNMENT_SHIFT 4u
/* Value of the upper bits: payloads are read-only, and begin at pages. */
#define TCI_READONLY_MARK 14u
#define TCI_ALIGNMENT_PAGES 8u /* doublings of the smallest alignment that make a page */
/* Value of the upper bits: TCI_ENTRY_LIFE. Their own value then follows in a byte of its
 * own. */
#define TCI_LIFE_MARK 13u
/* Value of the upper bits: the prototype follows, then their own value as above. */
#define TCI_PROTOTYPE_MARK 12u
/* Value of the upper bits: payloads are units of active messages. Their own value then follows
 * in a byte of its own, and may be a mark again. */
#define TCI_UNIT_MARK 11u
#define TCI_ENTRY_PLACES 7u /* those with an offset in the code of every slice */

/* The targets that have a number in the index; any other is written as text after
 * TCI_TARGET_TEXT. The table belongs to the format version: a reader could not know a number
 * added later. */
enum { TCI_TARGET_TEXT = 0, TCI_TARGET_X86_64_LINUX = 1, TCI_TARGET_AARCH64_LINUX = 2 };

/* Returns NULL when the number has no target. */
const char *tci_target_triple(unsigned target);
/* Returns TCI_TARGET_TEXT when the triple has no number. */
uint8_t tci_target_number(const char *triple);

/* Computes the checksum of the bytes in front of it. It finds damage; it does not prove the
 * origin of the archive. */
void tci_archive_checksum(const void *bytes, size_t size,
                          uint8_t out[TCI_ARCHIVE_CHECKSUM_SIZE]);

#endif
