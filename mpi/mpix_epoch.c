#include "mpix_epoch.h"

#include <stdlib.h>
#include <string.h>

static const tcm_epoch_state none;

int tcm_epoch_init(tcm_epoch *epoch, uint32_t size)
{
    memset(epoch, 0, sizeof *epoch);
    epoch->ranks = calloc(size, sizeof *epoch->ranks);
    epoch->size = size;
    return epoch->ranks != NULL;
}

void tcm_epoch_fini(tcm_epoch *epoch)
{
    free(epoch->ranks);
    epoch->ranks = NULL;
    epoch->size = 0;
}

static tcm_epoch_state opened(int concurrent, int granted)
{
    return (tcm_epoch_state){1, concurrent != 0, granted != 0};
}

static int has(const tcm_epoch *epoch, int rank)
{
    return rank >= 0 && (uint32_t)rank < epoch->size;
}

void tcm_epoch_fence(tcm_epoch *epoch, int open, int concurrent)
{
    epoch->fence = open ? opened(concurrent, 1) : none;
}

void tcm_epoch_start(tcm_epoch *epoch, const int *ranks, int count, int concurrent)
{
    epoch->start = opened(concurrent, 1);
    for (int i = 0; i < count; i++) {
        if (has(epoch, ranks[i]))
            epoch->ranks[ranks[i]].started = 1;
    }
}

void tcm_epoch_complete(tcm_epoch *epoch)
{
    epoch->start = none;
    for (uint32_t rank = 0; rank < epoch->size; rank++)
        epoch->ranks[rank].started = 0;
}

void tcm_epoch_lock(tcm_epoch *epoch, int rank, int concurrent, int unchecked)
{
    if (!has(epoch, rank))
        return;
    epoch->locks += epoch->ranks[rank].lock.open ? 0 : 1;
    epoch->ranks[rank].lock = opened(concurrent, unchecked);
}

void tcm_epoch_unlock(tcm_epoch *epoch, int rank)
{
    if (!has(epoch, rank) || !epoch->ranks[rank].lock.open)
        return;
    epoch->locks--;
    epoch->ranks[rank].lock = none;
}

void tcm_epoch_lock_all(tcm_epoch *epoch, int concurrent, int unchecked)
{
    epoch->lock_all = opened(concurrent, unchecked);
}

void tcm_epoch_unlock_all(tcm_epoch *epoch)
{
    epoch->lock_all = none;
    for (uint32_t rank = 0; rank < epoch->size; rank++)
        epoch->ranks[rank].all_granted = 0;
}

tcm_epoch_state tcm_epoch_find(const tcm_epoch *epoch, uint32_t rank)
{
    if (rank >= epoch->size)
        return none;
    const tcm_epoch_rank *of = &epoch->ranks[rank];
    if (of->lock.open)
        return of->lock;
    if (epoch->lock_all.open) {
        tcm_epoch_state state = epoch->lock_all;
        state.granted |= of->all_granted;
        return state;
    }
    return of->started ? epoch->start : epoch->fence;
}

void tcm_epoch_grant(tcm_epoch *epoch, uint32_t rank)
{
    if (epoch->ranks[rank].lock.open)
        epoch->ranks[rank].lock.granted = 1;
    else
        epoch->ranks[rank].all_granted = 1;
}

int tcm_epoch_is_held(const tcm_epoch *epoch)
{
    return epoch->locks > 0 || epoch->lock_all.open || epoch->start.open;
}
