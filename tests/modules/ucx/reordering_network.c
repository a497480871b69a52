#include "reordering_network.h"
#include "../../support/test.h"

/* Marsaglia's xorshift64*. */
uint64_t random_below(uint64_t *random, uint64_t bound)
{
    *random ^= *random >> 12;
    *random ^= *random << 25;
    *random ^= *random >> 27;
    return (*random * 0x2545f4914f6cdd1dull >> 32) % bound;
}

static put_piece *piece_at(reordering_network *net, uint64_t number)
{
    return &net->pieces[number % PIECES_MAX];
}

static void add_piece(reordering_network *net, put_in_flight *put, uint64_t offset,
                      const uint8_t *bytes, size_t size)
{
    assert_true(net->end - net->first < PIECES_MAX);
    uint64_t serial = net->end++;
    *piece_at(net, serial) = (put_piece){net->fences, serial, offset, bytes, size, put};
    put->left++;
}

/* Some puts stay whole, most come apart at any byte. */
static void take_apart(reordering_network *net, put_in_flight *put, uint64_t offset,
                       const uint8_t *bytes, size_t size)
{
    while (size > 1 && random_below(&net->random, 3) != 0) {
        size_t part = 1 + (size_t)random_below(&net->random, size - 1);
        add_piece(net, put, offset, bytes, part);
        offset += part;
        bytes += part;
        size -= part;
    }
    add_piece(net, put, offset, bytes, size);
}

static tc_status put(void *user, uint64_t offset, const void *bytes, size_t size,
                     tci_link_op *op, bool *under_way_out)
{
    reordering_network *net = user;
    assert_true(size > 0 && offset <= net->memory_bytes && size <= net->memory_bytes - offset);
    put_in_flight *flight = calloc(1, sizeof *flight);
    assert_non_null(flight);
    *under_way_out = random_below(&net->random, 2) == 0;
    if (*under_way_out) {
        flight->op = op;
    } else {
        flight->copy = malloc(size);
        assert_non_null(flight->copy);
        memcpy(flight->copy, bytes, size);
        bytes = flight->copy;
    }
    take_apart(net, flight, offset, bytes, size);
    return TC_OK;
}

static tc_status fence(void *user)
{
    reordering_network *net = user;
    net->fences++;
    return TC_OK;
}

static tc_status flush(void *user, tci_link_op *op, bool *under_way_out)
{
    reordering_network *net = user;
    *under_way_out = net->first != net->end || random_below(&net->random, 2) == 0;
    if (!*under_way_out)
        return TC_OK;
    assert_true(net->flush_count < FLUSHES_MAX);
    net->flushes[net->flush_count++] = (flush_in_flight){op, net->end, net->end - net->first};
    return TC_OK;
}

static void end_flush(reordering_network *net, unsigned at, bool failed)
{
    tci_link_op *op = net->flushes[at].op;
    net->flushes[at] = net->flushes[--net->flush_count];
    op->failed = failed;
    op->done(op);
}

/* One that may end, starting anywhere. */
static bool end_some_flush(reordering_network *net)
{
    if (net->flush_count == 0)
        return false;
    unsigned start = (unsigned)random_below(&net->random, net->flush_count);
    for (unsigned i = 0; i < net->flush_count; i++) {
        unsigned at = (start + i) % net->flush_count;
        if (net->flushes[at].left == 0) {
            end_flush(net, at, false);
            return true;
        }
    }
    return false;
}

static void tell_flushes(reordering_network *net, uint64_t serial)
{
    for (unsigned i = 0; i < net->flush_count; i++)
        net->flushes[i].left -= serial < net->flushes[i].serial;
}

static void end_piece(put_in_flight *flight)
{
    if (--flight->left > 0)
        return;
    if (flight->op != NULL)
        flight->op->done(flight->op);
    free(flight->copy);
    free(flight);
}

/* Pieces lie in the order of their fences, so those that may arrive now are the first ones. */
static uint64_t count_free_to_go(reordering_network *net)
{
    uint64_t fences = piece_at(net, net->first)->fences;
    uint64_t number = net->first;
    while (number < net->end && piece_at(net, number)->fences == fences)
        number++;
    return number - net->first;
}

bool reordering_network_step(reordering_network *net)
{
    if (net->first == net->end || random_below(&net->random, 2) == 0) {
        if (end_some_flush(net))
            return true;
    }
    if (net->first == net->end)
        return false;
    uint64_t chosen = net->first + random_below(&net->random, count_free_to_go(net));
    put_piece piece = *piece_at(net, chosen);
    *piece_at(net, chosen) = *piece_at(net, net->first);
    net->reordered += chosen != net->first;
    net->first++;
    memcpy(net->memory + piece.offset, piece.bytes, piece.size);
    tell_flushes(net, piece.serial);
    end_piece(piece.put);
    return true;
}

void reordering_network_fail(reordering_network *net)
{
    for (; net->first < net->end; net->first++)
        end_piece(piece_at(net, net->first)->put);
    while (net->flush_count > 0)
        end_flush(net, 0, true);
}

void reordering_network_init(reordering_network *net, uint8_t *memory, size_t memory_bytes,
                             uint64_t seed)
{
    *net =
        (reordering_network){.seam = {.put = put, .fence = fence, .flush = flush, .user = net},
                             .memory = memory,
                             .memory_bytes = memory_bytes,
                             .random = seed * 2 + 1};
    net->pieces = calloc(PIECES_MAX, sizeof *net->pieces);
    assert_non_null(net->pieces);
}

/* Also messages still under way, which then never arrives. */
void reordering_network_fini(reordering_network *net)
{
    for (; net->first < net->end; net->first++)
        end_piece(piece_at(net, net->first)->put);
    free(net->pieces);
}
