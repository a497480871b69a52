#include "remote_code.h"

#include "ifunc_frame.h"
#include "slot_word.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 1024u
#define CODES 16u /* remembered per key; two that share a slot replace each other */

typedef struct sent_code {
    const tci_known_code *code; /* NULL: nothing was sent */
    const void *slot;
    uint64_t word;
} sent_code;

/* Never freed but used again, so that a thread that searches for another key may still read
 * it. */
typedef struct key {
    _Atomic(ucp_rkey_h) rkey;
    _Atomic(struct key *) next;
    _Atomic(const tci_known_code *) there[CODES];
    sent_code sent[CODES]; /* under the lock */
} key;

static struct {
    pthread_mutex_t lock; /* for all members below; chains may be read without it at any time */
    _Atomic(key *) buckets[BUCKETS];
    key *unused; /* linked by `next` */
} keys = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Atomic(key *) *bucket_of(ucp_rkey_h rkey)
{
    return &keys.buckets[((uintptr_t)rkey >> 4) % BUCKETS];
}

static key *find(ucp_rkey_h rkey)
{
    /* Pairs with the release in insert. */
    key *k = atomic_load_explicit(bucket_of(rkey), memory_order_acquire);
    while (k != NULL && atomic_load_explicit(&k->rkey, memory_order_relaxed) != rkey)
        k = atomic_load_explicit(&k->next, memory_order_acquire);
    return k;
}

/* --- code at the target ----------------------------------------------------------------- */

/* Returns whether the message that carried the code is gone from its slot without being
 * refused. */
static bool was_taken(key *k, const tci_known_code *code)
{
    sent_code *sent = &k->sent[code->number % CODES];
    if (sent->code != code)
        return false;
    uint64_t word = tci_slot_load(sent->slot);
    if (word == sent->word)
        return false;
    *sent = (sent_code){NULL, NULL, 0};
    return word != tci_ifunc_word_refused();
}

bool tci_remote_code_is_there(ucp_rkey_h rkey, const tci_known_code *code)
{
    key *k = find(rkey);
    if (k == NULL)
        return false;
    _Atomic(const tci_known_code *) *there = &k->there[code->number % CODES];
    if (atomic_load_explicit(there, memory_order_relaxed) == code)
        return true;
    pthread_mutex_lock(&keys.lock);
    bool taken = was_taken(k, code);
    if (taken)
        atomic_store_explicit(there, code, memory_order_relaxed);
    pthread_mutex_unlock(&keys.lock);
    return taken;
}

void tci_remote_code_sent(ucp_rkey_h rkey, const tci_known_code *code, const void *slot,
                          uint64_t word)
{
    key *k = find(rkey);
    if (k == NULL)
        return;
    pthread_mutex_lock(&keys.lock);
    sent_code *sent = &k->sent[code->number % CODES];
    if (sent->code != code) /* the first message sent is the first one taken */
        *sent = (sent_code){code, slot, word};
    pthread_mutex_unlock(&keys.lock);
}

/* --- keys ------------------------------------------------------------------------------- */

static void remove_locked(ucp_rkey_h rkey)
{
    _Atomic(key *) *at = bucket_of(rkey);
    key *k;
    while ((k = atomic_load_explicit(at, memory_order_relaxed)) != NULL &&
           atomic_load_explicit(&k->rkey, memory_order_relaxed) != rkey)
        at = &k->next;
    if (k == NULL)
        return;
    atomic_store_explicit(at, atomic_load_explicit(&k->next, memory_order_relaxed),
                          memory_order_release);
    atomic_store_explicit(&k->rkey, NULL, memory_order_relaxed);
    atomic_store_explicit(&k->next, keys.unused, memory_order_release);
    keys.unused = k;
}

static key *take_unused(void)
{
    key *k = keys.unused;
    if (k == NULL)
        return calloc(1, sizeof *k);
    keys.unused = atomic_load_explicit(&k->next, memory_order_relaxed);
    for (size_t i = 0; i < CODES; i++)
        atomic_store_explicit(&k->there[i], NULL, memory_order_relaxed);
    memset(k->sent, 0, sizeof k->sent);
    return k;
}

static void insert_locked(ucp_rkey_h rkey)
{
    _Atomic(key *) *bucket = bucket_of(rkey);
    remove_locked(rkey); /* a key that was destroyed by UCX's own call */
    key *k = take_unused();
    if (k == NULL)
        return;
    atomic_store_explicit(&k->rkey, rkey, memory_order_relaxed);
    atomic_store_explicit(&k->next, atomic_load_explicit(bucket, memory_order_relaxed),
                          memory_order_release);
    atomic_store_explicit(bucket, k, memory_order_release);
}

/* --- UCX's calls that this library replaces --------------------------------------------- */

static void *next_definition(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (found == NULL)
        abort(); /* it was called, so it must exist */
    return found;
}

ucs_status_t tci_remote_code_unpack_key(ucp_ep_h ep, const void *packed, ucp_rkey_h *rkey_out)
{
    static _Atomic(void *) ucx;
    void *call = atomic_load_explicit(&ucx, memory_order_relaxed);
    if (call == NULL) {
        call = next_definition("ucp_ep_rkey_unpack");
        atomic_store_explicit(&ucx, call, memory_order_relaxed);
    }
    ucs_status_t status =
        ((ucs_status_t(*)(ucp_ep_h, const void *, ucp_rkey_h *))(uintptr_t)call)(ep, packed,
                                                                                 rkey_out);
    if (status == UCS_OK) {
        pthread_mutex_lock(&keys.lock);
        insert_locked(*rkey_out);
        pthread_mutex_unlock(&keys.lock);
    }
    return status;
}

void tci_remote_code_destroy_key(ucp_rkey_h rkey)
{
    static _Atomic(void *) ucx;
    void *call = atomic_load_explicit(&ucx, memory_order_relaxed);
    if (call == NULL) {
        call = next_definition("ucp_rkey_destroy");
        atomic_store_explicit(&ucx, call, memory_order_relaxed);
    }
    pthread_mutex_lock(&keys.lock);
    remove_locked(rkey);
    pthread_mutex_unlock(&keys.lock);
    ((void (*)(ucp_rkey_h))(uintptr_t)call)(rkey);
}
