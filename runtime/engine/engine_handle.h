/* The contents of an engine handle: its own preferences, and the parts that it shares. */
#ifndef TCI_ENGINE_HANDLE_H
#define TCI_ENGINE_HANDLE_H

#include "engine/cache/object_cache.h"
#include "engine/engine.h"
#include "engine/load_plan.h"

struct tci_engine_handle {
    tci_load_policy policy;
    tci_code_arena *arena;
    tci_object_cache *cache;    /* NULL: no cache */
    void (*notify)(void *user); /* called under the lock of load_queue.c */
    void *notify_user;
    char engine_path[TCI_OPTION_TEXT_MAX];
};

#endif
