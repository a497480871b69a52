#include "fake_carrier.h"

#include "base/error_text.h"
#include "modules/ucx/ucx_port.h"
#include "modules/ucx/ucx_share.h"
#include "test.h"

tc_status fake_connect_status;
unsigned fake_links;

/* --- outboxes ---------------------------------------------------------------------------- */

void fake_outbox_keep(fake_outbox *outbox, tci_am kind, uint16_t connection, const void *bytes,
                      size_t size)
{
    assert_in_range(outbox->count, 0, FAKE_POSTS_MAX - 1);
    fake_post *post = &outbox->posts[outbox->count++];
    *post = (fake_post){kind, connection, size, malloc(size > 0 ? size : 1)};
    assert_non_null(post->bytes);
    memcpy(post->bytes, bytes, size);
}

const fake_post *fake_outbox_take(fake_outbox *outbox)
{
    return outbox->taken < outbox->count ? &outbox->posts[outbox->taken++] : NULL;
}

unsigned fake_outbox_count(const fake_outbox *outbox, tci_am kind)
{
    unsigned n = 0;
    for (unsigned i = 0; i < outbox->count; i++)
        n += outbox->posts[i].kind == kind;
    return n;
}

void fake_outbox_empty(fake_outbox *outbox)
{
    for (unsigned i = 0; i < outbox->count; i++)
        free(outbox->posts[i].bytes);
    outbox->count = outbox->taken = 0;
}

/* --- workers ----------------------------------------------------------------------------- */

tc_status tci_worker_create(const tci_worker_params *params, tci_worker **worker_out,
                            tc_error *err)
{
    (void)err;
    tci_worker *worker = calloc(1, sizeof *worker);
    assert_non_null(worker);
    worker->network = params->network ? TCI_WORKER_NETWORK_ADDED : TCI_WORKER_NETWORK_NONE;
    worker->puts = params->puts;
    *worker_out = worker;
    return TC_OK;
}
tci_worker_network_state tci_worker_network(const tci_worker *worker)
{
    return worker->network;
}

bool tci_worker_shares_memory(const tci_worker *worker)
{
    (void)worker;
    return true;
}

tc_status tci_worker_add_network(tci_worker *local, bool used, tci_worker **worker_out,
                                 tc_error *err)
{
    const tci_worker_params params = {.network = true, .puts = local->puts};
    if (fake_connect_status != TC_OK)
        return tci_error_set(err, fake_connect_status, "no network there");
    TC_TRY(tci_worker_create(&params, worker_out, err));
    if (used)
        (*worker_out)->beside = local;
    else
        free(local);
    return TC_OK;
}

static unsigned progress(tci_worker *worker)
{
    (void)worker;
    return 0;
}

tci_worker_progressing tci_worker_progress_of(const tci_worker *worker)
{
    (void)worker;
    return progress;
}

const void *tci_worker_address(const tci_worker *worker, size_t *size_out)
{
    const char *address = worker->network == TCI_WORKER_NETWORK_ADDED ? "network" : "local";
    *size_out = strlen(address);
    return address;
}

void tci_worker_destroy(tci_worker *worker)
{
    free(worker->beside);
    free(worker);
}

/* --- links ------------------------------------------------------------------------------- */

tci_link *fake_link_create(void)
{
    tci_link *link = calloc(1, sizeof *link);
    assert_non_null(link);
    fake_links++;
    return link;
}

static tc_status open_link(tci_worker *worker, const tci_hello *theirs, bool same_host,
                           tci_link **link_out, tc_error *err)
{
    (void)worker, (void)theirs, (void)same_host;
    if (fake_connect_status != TC_OK)
        return tci_error_set(err, fake_connect_status, "no link there");
    *link_out = fake_link_create();
    return TC_OK;
}

bool tci_link_carries(const tci_link *link, unsigned uses)
{
    (void)link;
    return (uses & ~(unsigned)TCI_LINK_MESSAGES) == 0;
}

const char *tci_link_lacks(const tci_link *link)
{
    (void)link;
    return "this link carries messages alone";
}

size_t tci_link_part_bytes(const tci_link *link)
{
    (void)link;
    return 64000;
}

bool tci_link_turn(tci_link *link)
{
    link->turns++;
    return true;
}

bool tci_link_has_bytes(const tci_link *link)
{
    (void)link;
    return false;
}

void tci_link_watch_space(tci_link *link, bool sleeps)
{
    (void)link, (void)sleeps;
}

tc_status tci_link_ready(tci_link *link, tc_error *err)
{
    if (link->ready != TC_OK && link->ready != TC_E_AGAIN)
        return tci_error_set(err, link->ready, "the link broke");
    return link->ready;
}

void fake_link_let_go(tci_link *link)
{
    link->holds = false;
    for (unsigned i = 0; i < link->held_count; i++)
        link->held[i]->done(link->held[i]);
    link->held_count = 0;
}

void tci_link_close(tci_link *link, uint64_t timeout_ns)
{
    (void)timeout_ns;
    fake_link_let_go(link);
    fake_outbox_empty(&link->sent);
    free(link);
    fake_links--;
}

void tci_link_flush_begin(tci_link *link)
{
    link->flushes++;
}

bool tci_link_flush_ended(tci_link *link)
{
    (void)link;
    return true;
}

tc_status tci_link_error(const tci_link *link, tc_error *err)
{
    if (link->error.status != TC_OK && err != NULL)
        *err = link->error;
    return link->error.status;
}

void tci_link_put_aside(tci_link *link)
{
    (void)link;
}

void tci_link_set_peer(tci_link *link, uint16_t connection, uint64_t token)
{
    link->connection = connection;
    link->token = token;
}

tc_status tci_link_post(tci_link *link, tci_am kind, const void *bytes, size_t size,
                        tc_error *err)
{
    if (link->posts != TC_OK)
        return tci_error_set(err, link->posts, "the link takes nothing");
    fake_outbox_keep(&link->sent, kind, link->connection, bytes, size);
    return TC_OK;
}

tc_status tci_link_send(tci_link *link, tci_am kind, uint16_t place, tci_link_op *op,
                        const void *bytes, size_t size, bool *under_way_out)
{
    (void)place;
    *under_way_out = false;
    TC_TRY(tci_link_post(link, kind, bytes, size, NULL));
    if (!link->holds)
        return TC_OK;
    assert_in_range(link->held_count, 0, FAKE_HELD_MAX - 1);
    link->held[link->held_count++] = op;
    *under_way_out = true;
    return TC_OK;
}

tc_status tci_link_send_payload(tci_link *link, uint16_t number, tci_payload_header *header,
                                tci_link_op *op, const void *bytes, size_t size,
                                bool *under_way_out)
{
    (void)op, (void)number, (void)header;
    fake_outbox_keep(&link->sent, TCI_AM_PAYLOAD, link->connection, bytes, size);
    *under_way_out = false;
    return link->posts;
}

/* --- regions ----------------------------------------------------------------------------- */

struct tci_region {
    tci_region *next;
    uint8_t *base;
    size_t bytes;
};

static tci_region *regions;

tc_status tci_region_create(size_t bytes, tci_region_use use, bool twice,
                            tci_region **region_out, tc_error *err)
{
    (void)use, (void)twice, (void)err;
    tci_region *region = malloc(sizeof *region);
    size_t whole_pages = (bytes + 4095) & ~(size_t)4095;
    assert_non_null(region);
    *region = (tci_region){
        .next = regions, .base = aligned_alloc(4096, whole_pages), .bytes = whole_pages};
    assert_non_null(region->base);
    memset(region->base, 0, whole_pages);
    regions = *region_out = region;
    return TC_OK;
}

void tci_region_destroy(tci_region *region)
{
    tci_region **link = &regions;
    while (*link != region)
        link = &(*link)->next;
    *link = region->next;
    free(region->base);
    free(region);
}

uint8_t *tci_region_base(const tci_region *region)
{
    return region->base;
}

uint8_t *tci_region_view(const tci_region *region)
{
    return region->base;
}

const void *tci_region_rkey(const tci_region *region, size_t *size_out)
{
    *size_out = 1; /* so that the hello has the ring's address: open_fake searches it */
    return region->base;
}

uint32_t tci_region_segment(tci_region *region)
{
    (void)region;
    return TCI_SEGMENT_NONE;
}

/* --- deliveries -------------------------------------------------------------------------- */

static const tci_delivery_ops mapped_ops, carried_ops, unseen_ops;

/* The address and the size are the peer's, so they are searched among existing rings. */
static uint8_t *find_region(uint64_t address, uint32_t ring_bytes)
{
    for (const tci_region *region = regions; region != NULL; region = region->next) {
        if ((uintptr_t)region->base == address &&
            tci_ring_region_bytes(ring_bytes) <= region->bytes)
            return region->base;
    }
    return NULL;
}

static tc_status open_fake(const tci_delivery_ops *ops, const tci_delivery_peer *peer,
                           tci_delivery **delivery_out, tc_error *err)
{
    uint8_t *region = find_region(peer->ring_address, peer->ring_bytes);
    fake_delivery *d = region != NULL ? calloc(1, sizeof *d) : NULL;
    if (d == NULL)
        return tci_error_set(err, TC_E_UNSUPPORTED, "no ring is there");
    d->base = (tci_delivery){.ops = ops, .ring = region + TCI_RING_DATA_OFFSET};
    d->base.consumed = &d->consumed;
    d->consumed = tci_ring_start(peer->ring_nonce);
    if (ops->arrival.ring_is_mapped) {
        d->base.consumed =
            (const tci_ring_word *)(const void *)(region + TCI_RING_CONSUMED_OFFSET);
        d->base.doorbell =
            (const tci_ring_word *)(const void *)(region + TCI_RING_DOORBELL_OFFSET);
    }
    *delivery_out = &d->base;
    return TC_OK;
}

static tc_status open_mapped(const tci_delivery_peer *peer, tci_delivery **out, tc_error *err)
{
    return open_fake(&mapped_ops, peer, out, err);
}

static tc_status open_carried(const tci_delivery_peer *peer, tci_delivery **out, tc_error *err)
{
    return open_fake(&carried_ops, peer, out, err);
}

static tc_status open_unseen(const tci_delivery_peer *peer, tci_delivery **out, tc_error *err)
{
    return open_fake(&unseen_ops, peer, out, err);
}

static fake_delivery *fake_of(tci_delivery *delivery)
{
    return (fake_delivery *)(void *)delivery;
}

static void close_fake(tci_delivery *delivery)
{
    free(fake_of(delivery));
}

static void push(tci_delivery *delivery, uint64_t position, uint64_t bytes)
{
    fake_of(delivery)->pushes += position + bytes > 0;
}

static bool turn(tci_delivery *delivery)
{
    fake_delivery *d = fake_of(delivery);
    d->on_their_way *= !d->leaves_by_turn;
    d->turns++;
    return !d->keeps;
}

static uint64_t under_way(const tci_delivery *delivery, uint64_t *made_out)
{
    *made_out = ((const fake_delivery *)(const void *)delivery)->made;
    return ((const fake_delivery *)(const void *)delivery)->on_their_way;
}

static void take_credit(tci_delivery *delivery, uint64_t consumed, uint64_t share)
{
    fake_of(delivery)->share = share;
    fake_of(delivery)->consumed = consumed;
    fake_of(delivery)->credits++;
}

static const tci_delivery_ops mapped_ops = {.name = "mapped",
                                            .wire_id = FAKE_MAPPED,
                                            .arrival = {.ring_is_mapped = true},
                                            .region_use = TCI_REGION_MAPPED,
                                            .open = open_mapped,
                                            .close = close_fake};

static const tci_delivery_ops carried_ops = {
    .name = "carried",
    .wire_id = FAKE_CARRIED,
    .frame_overhead_bytes = 4,
    .arrival = {.frames_by_message = true, .queue_is_shared = true},
    .region_use = TCI_REGION_MAPPED,
    .open = open_carried,
    .close = close_fake,
    .push = push,
    .turn = turn,
    .under_way = under_way,
    .credit = take_credit};

static const tci_delivery_ops unseen_ops = {.name = "unseen",
                                            .wire_id = FAKE_UNSEEN,
                                            .region_use = TCI_REGION_MAPPED,
                                            .open = open_unseen,
                                            .close = close_fake,
                                            .push = push,
                                            .turn = turn,
                                            .under_way = under_way,
                                            .credit = take_credit};

const tci_delivery_ops *const tci_delivery_table[] = {&mapped_ops, NULL};
static const tci_delivery_ops *const more_deliveries[] = {&carried_ops, &unseen_ops, NULL};

static tc_status create_region(tci_worker *worker, size_t bytes, tci_region_use use, bool twice,
                               tci_region **region_out, tc_error *err)
{
    (void)worker;
    return tci_region_create(bytes, use, twice, region_out, err);
}

const tci_network_ops fake_network_table = {
    .deliveries = more_deliveries,
    .start = tci_ucx_port_start,
    .stop = tci_ucx_port_stop,
    .open = tci_ucx_port_open,
    .describe = tci_ucx_port_describe,
    .yields = fake_yields,
    .link = open_link,
    .region = create_region,
    .share = tci_ucx_share_of,
};
