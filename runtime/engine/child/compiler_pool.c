/* There are idle processes for each priority. A compile takes one of them, or starts one, and
 * gives it back afterwards; those beyond IDLE_MAX are ended. */
#include "compiler_pool.h"

#include "base/error_text.h"

#include <pthread.h>
#include <stdlib.h>

/* Idle processes that are kept, of each priority; each takes some 50 MB, most of it LLVM's own
 * code that all of them share. */
#define IDLE_MAX 2u

enum { SOON, BACKGROUND, PRIORITIES };

struct tci_compiler_pool {
    tci_compiler_opts opts;
    pthread_mutex_t lock; /* guards all below */
    tci_compiler *idle[PRIORITIES][IDLE_MAX];
    unsigned idle_count[PRIORITIES];
};

static tc_status start_one(const tci_compiler_pool *pool, int priority,
                           tci_compiler **compiler_out, tc_error *err)
{
    tci_compiler_opts opts = pool->opts;
    opts.background = priority == BACKGROUND;
    return tci_compiler_start(&opts, compiler_out, err);
}

/* Takes a process that has died out of the pool; NULL without one. */
static tci_compiler *take_dead_locked(tci_compiler_pool *pool)
{
    for (int priority = 0; priority < PRIORITIES; priority++) {
        tci_compiler **idle = pool->idle[priority];
        for (unsigned i = 0; i < pool->idle_count[priority]; i++) {
            tci_compiler *compiler = idle[i];
            if (!tci_compiler_has_died(compiler))
                continue;
            idle[i] = idle[--pool->idle_count[priority]];
            return compiler;
        }
    }
    return NULL;
}

/* Ends dead processes of any priority, so that no zombies wait for a compile of their own
 * priority. */
static void end_dead(tci_compiler_pool *pool)
{
    tci_compiler *dead;
    do {
        pthread_mutex_lock(&pool->lock);
        dead = take_dead_locked(pool);
        pthread_mutex_unlock(&pool->lock);
        tci_compiler_end(dead);
    } while (dead != NULL);
}

/* Takes an idle process; NULL when all are at work. */
static tci_compiler *take_idle(tci_compiler_pool *pool, int priority)
{
    tci_compiler *compiler = NULL;
    pthread_mutex_lock(&pool->lock);
    if (pool->idle_count[priority] > 0)
        compiler = pool->idle[priority][--pool->idle_count[priority]];
    pthread_mutex_unlock(&pool->lock);
    return compiler;
}

static void give_back(tci_compiler_pool *pool, int priority, tci_compiler *compiler)
{
    pthread_mutex_lock(&pool->lock);
    if (pool->idle_count[priority] < IDLE_MAX) {
        pool->idle[priority][pool->idle_count[priority]++] = compiler;
        compiler = NULL;
    }
    pthread_mutex_unlock(&pool->lock);
    tci_compiler_end(compiler);
}

tc_status tci_compiler_pool_create(const tci_compiler_opts *opts, tci_compiler_pool **pool_out,
                                   tc_error *err)
{
    tci_compiler_pool *pool = calloc(1, sizeof *pool);
    if (pool == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "compilers: out of memory");
    pool->opts = *opts;
    pthread_mutex_init(&pool->lock, NULL);
    *pool_out = pool;
    return TC_OK;
}

tc_status tci_compiler_pool_prepare(tci_compiler_pool *pool, bool background, tc_error *err)
{
    int priority = background ? BACKGROUND : SOON;
    tci_compiler *compiler;
    TC_TRY(start_one(pool, priority, &compiler, err));
    give_back(pool, priority, compiler);
    return TC_OK;
}

tc_status tci_compiler_pool_fill(tci_compiler_pool *pool, tc_error *err)
{
    for (unsigned i = 0; i < PRIORITIES * IDLE_MAX; i++)
        TC_TRY(tci_compiler_pool_prepare(pool, i % PRIORITIES == BACKGROUND, err));
    return TC_OK;
}

void tci_compiler_pool_destroy(tci_compiler_pool *pool)
{
    if (pool == NULL)
        return;
    for (int priority = 0; priority < PRIORITIES; priority++) {
        tci_compiler *compiler;
        while ((compiler = take_idle(pool, priority)) != NULL)
            tci_compiler_end(compiler);
    }
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

tc_status tci_compiler_pool_compile(tci_compiler_pool *pool, tci_engine *engine,
                                    const tci_engine_code *code, bool background,
                                    tci_object *object_out, tc_error *err)
{
    int priority = background ? BACKGROUND : SOON;
    end_dead(pool);
    tci_compiler *compiler = take_idle(pool, priority);
    if (compiler == NULL)
        TC_TRY(start_one(pool, priority, &compiler, err));
    tc_status status = tci_compiler_compile(compiler, engine, code, object_out, err);
    give_back(pool, priority, compiler);
    return status;
}
