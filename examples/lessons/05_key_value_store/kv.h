/* What the server has, and what functions that come there are asked and answer. */
#include <tc/tc.h>

typedef struct kv_entry {
    char key[24], value[24];
} kv_entry;
typedef struct kv_store {
    kv_entry *entries;
    uint64_t count;
} kv_store;
typedef struct kv_page { /* of what a filter has found, looking at entries before `next` */
    uint64_t next, count;
    kv_entry entries[4];
} kv_page;
