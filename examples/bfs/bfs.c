/* One step of a breadth-first search, at the rank that owns the vertices.
 *
 * A level is a call at every rank. Each notifies the owners of the neighbours of its frontier,
 * by sending itself on with batches of vertices, and sends every member a mark behind them.
 * Messages from one member to another keep their order, those of different members do not: so a
 * rank knows that a level is over when the marks of all others are here. Then, and not when the
 * function returns, it answers the call: with how many vertices it found. The next level begins
 * when all ranks have answered, so no message of another level ever meets this one. */
#include "bfs.h"

#include <stdbool.h>
#include <string.h>

static void visit(bfs_share *s, uint32_t vertex)
{
    uint32_t own = vertex / tc_self_size();
    if (s->distances[own] != BFS_UNREACHED)
        return;
    s->distances[own] = s->level + 1;
    s->found[s->found_count++] = own;
}

/* A level that is not whole is reported as such, independent of later messages. */
static void spoil(bfs_share *s, tc_status status)
{
    if (s->status == TC_OK)
        s->status = status;
}

/* --- of the frontier --- */

/* False: the queue to that rank is full. A permanent failure spoils the level, and the rest of
 * it goes on.
 *
 * As a message of its own: tc_forward would report to rank 0 each time that it finds no space.
 */
static bool pass_on(bfs_share *s, uint32_t rank, const void *message, size_t size)
{
    tc_status status = tc_group_send(tc_self_group(), rank, tc_self_ifunc(), message, size);
    if (status == TC_E_AGAIN)
        return false;
    if (status != TC_OK)
        spoil(s, status);
    s->answer.messages++;
    return true;
}

static bool send_batch(bfs_share *s, uint32_t rank)
{
    bfs_peer *peer = &s->peers[rank];
    bfs_head *head = &peer->batch.head;
    if (head->count == 0)
        return true;
    head->kind = BFS_VISIT;
    head->value = s->level + 1;
    if (!pass_on(s, rank, head, sizeof *head + head->count * sizeof peer->batch.vertices[0]))
        return false;
    head->count = 0;
    peer->sent++;
    return true;
}

static bool send_mark(bfs_share *s, uint32_t rank)
{
    const bfs_head mark = {BFS_MARK, s->level + 1, s->peers[rank].sent, 0};
    if (!pass_on(s, rank, &mark, sizeof mark))
        return false;
    s->peers[rank].sent = 0;
    return true;
}

/* Each vertex of others is sent once: its owner has it from then on. */
static bool follow(bfs_share *s, uint32_t vertex)
{
    uint32_t rank = vertex % tc_self_size();
    uint8_t bit = (uint8_t)(1u << vertex % 8);
    bfs_message *batch = &s->peers[rank].batch;
    if (rank == tc_self_rank()) {
        visit(s, vertex);
        return true;
    }
    if ((s->told[vertex / 8] & bit) != 0)
        return true;
    if (batch->head.count == BFS_BATCH_MAX && !send_batch(s, rank))
        return false;
    batch->vertices[batch->head.count++] = vertex;
    s->told[vertex / 8] |= bit;
    return true;
}

/* Goes on where it was. False: a queue is full. */
static bool expand(bfs_share *s)
{
    for (; s->at < s->frontier_count; s->at++, s->edge = 0) {
        uint32_t own = s->frontier[s->at];
        uint64_t count = s->first[own + 1] - s->first[own];
        for (; s->edge < count; s->edge++, s->answer.edges++)
            if (!follow(s, s->neighbours[s->first[own] + s->edge]))
                return false;
    }
    for (; s->marked < tc_self_size(); s->marked++)
        if (s->marked != tc_self_rank() &&
            (!send_batch(s, s->marked) || !send_mark(s, s->marked)))
            return false;
    return true;
}

static void answer_level(bfs_share *s)
{
    if (s->status == TC_OK)
        (void)tc_reply_to(&s->call, &s->answer, sizeof s->answer);
    else
        (void)tc_reply_error_to(&s->call, s->status, "a message of this level went wrong");
    s->answer = (bfs_level){.found = 0};
}

/* Its own part is done, and all messages of others have arrived. */
static void finish_if_over(bfs_share *s)
{
    if (s->marked < tc_self_size() || s->marks < tc_self_size() - 1)
        return;
    uint32_t *frontier = s->frontier;
    s->answer.found = s->found_count;
    s->frontier = s->found;
    s->found = frontier;
    s->frontier_count = s->found_count;
    s->found_count = 0;
    s->marked = s->marks = 0;
    answer_level(s);
}

/* Without space at a member it lets messages that arrived meanwhile run first, by a message to
 * itself. */
static void go_on(bfs_share *s)
{
    const bfs_head again = {.kind = BFS_GO_ON};
    if (expand(s))
        finish_if_over(s);
    else if (tc_group_send(tc_self_group(), tc_self_rank(), tc_self_ifunc(), &again,
                           sizeof again) != TC_OK) {
        spoil(s, TC_E_AGAIN);
        answer_level(s);
    }
}

/* --- messages --- */

static void start(bfs_share *s, uint32_t root)
{
    uint32_t ranks = tc_self_size();
    memset(s->distances, 0xff, s->own * sizeof s->distances[0]);
    memset(s->told, 0, s->vertices / 8 + 1);
    memset(s->peers, 0, ranks * sizeof s->peers[0]);
    s->frontier_count = s->found_count = s->marked = s->marks = s->level = 0;
    s->answer = (bfs_level){.found = 0};
    s->status = TC_OK;
    if (root < s->vertices && root % ranks == tc_self_rank()) {
        s->distances[root / ranks] = 0;
        s->frontier[s->frontier_count++] = root / ranks;
    }
}

static void begin_level(bfs_share *s, uint32_t level)
{
    s->level = level;
    s->at = s->marked = 0;
    s->edge = 0;
    if (tc_detach(&s->call) == TC_OK)
        go_on(s);
}

/* May come before this rank's own call of the level, which `value` therefore does not rely on.
 */
static void take_visits(bfs_share *s, const bfs_message *message, size_t size)
{
    const bfs_head *head = &message->head;
    uint32_t ranks = tc_self_size(), sender = tc_self_origin();
    if (head->count > BFS_BATCH_MAX || sender >= ranks || head->value == 0 ||
        size != sizeof *head + head->count * sizeof message->vertices[0]) {
        spoil(s, TC_E_CORRUPT);
        return;
    }
    s->level = head->value - 1;
    s->peers[sender].came++;
    for (uint32_t i = 0; i < head->count; i++)
        if (message->vertices[i] < s->vertices &&
            message->vertices[i] % ranks == tc_self_rank())
            visit(s, message->vertices[i]);
        else
            spoil(s, TC_E_CORRUPT);
}

static void take_mark(bfs_share *s, const bfs_head *head)
{
    uint32_t sender = tc_self_origin();
    if (sender >= tc_self_size() || s->peers[sender].came != head->count)
        spoil(s, TC_E_CORRUPT); /* a visit behind its mark, or lost */
    else
        s->peers[sender].came = 0;
    s->marks++;
    finish_if_over(s);
}

static void answer_distances(const bfs_share *s, uint32_t from)
{
    uint32_t count = from < s->own ? s->own - from : 0;
    if (count > BFS_DISTANCES_MAX)
        count = BFS_DISTANCES_MAX;
    tc_status status = tc_reply(s->distances + from, count * sizeof s->distances[0]);
    if (status != TC_OK)
        (void)tc_reply_error(status, "the distances cannot be sent");
}

void bfs_main(void *payload, size_t size, void *target_args)
{
    bfs_share *s = tc_self_data(BFS_SHARE, NULL);
    const bfs_message *message = payload;
    (void)target_args;
    if (s == NULL || size < sizeof message->head) {
        (void)tc_reply_error(TC_E_NOT_FOUND, "no graph here, or a message without its head");
        return;
    }
    switch (message->head.kind) {
    case BFS_START:
        start(s, message->head.value);
        break;
    case BFS_LEVEL:
        begin_level(s, message->head.value);
        break;
    case BFS_GO_ON:
        go_on(s);
        break;
    case BFS_VISIT:
        take_visits(s, message, size);
        break;
    case BFS_MARK:
        take_mark(s, &message->head);
        break;
    case BFS_DISTANCES:
        answer_distances(s, message->head.value);
        break;
    default:
        (void)tc_reply_error(TC_E_INVALID, "a message of no known kind");
    }
}
