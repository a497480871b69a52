/* A phone book in memory that others look into: buckets of offsets, and entries. */
#ifndef PHONE_BOOK_H
#define PHONE_BOOK_H

#include <stdint.h>

#define BUCKETS 64
#define ENTRIES 16

typedef struct book_entry {
    char name[24];
    char number[24];
    uint64_t next; /* the offset of another entry of the bucket */
} book_entry;

/* Each bucket has the offset of its first entry. Lists end at the first entry, which is empty:
 * every offset leads to an entry. */
typedef struct phone_book {
    uint64_t buckets[BUCKETS];
    book_entry entries[ENTRIES];
} phone_book;

static inline unsigned book_bucket(const char *name)
{
    unsigned hash = 5381;
    for (; *name != '\0'; name++)
        hash = 33 * hash + (unsigned char)*name;
    return hash % BUCKETS;
}

#endif
