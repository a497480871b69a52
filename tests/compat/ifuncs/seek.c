/* Goes on here as long as the words are here, then sends itself to the owner of the next one,
 * or its result to the client. */
#include "seek.h"

size_t seek_payload_bound(void *source_args, size_t size)
{
    (void)source_args;
    return size;
}

int seek_payload_init(void *source_args, size_t size, void *payload, size_t *payload_size)
{
    (void)payload_size;
    *(seek_args *)payload = *(const seek_args *)source_args;
    return size != sizeof(seek_args);
}

static void send_to(seek_place *place, unsigned peer, ucp_ifunc_msg_t msg)
{
    if (UCS_STATUS_IS_ERR(
            ucp_ifunc_send_nbix(place->eps[peer], msg, place->slots[peer], place->rkeys[peer])))
        place->failed++;
    place->flush(place, peer);
}

void seek_main(void *payload, size_t payload_size, void *target_args)
{
    seek_place *place = target_args;
    seek_args args = *(seek_args *)payload;
    void *out;
    (void)payload_size;
    while (args.depth > 0 && args.at / SEEK_SHARD_WORDS == place->shard) {
        args.at = place->words[args.at % SEEK_SHARD_WORDS];
        args.depth--;
    }
    ucp_ifunc_msg_t msg = args.depth > 0 ? place->seek : place->found;
    if (ucp_ifunc_msg_get_payload_ptr(&msg, &out, NULL) != UCS_OK) {
        place->failed++;
        return;
    }
    if (args.depth > 0)
        *(seek_args *)out = args;
    else
        *(uint64_t *)out = args.at;
    send_to(place, args.depth > 0 ? 1 + (unsigned)(args.at / SEEK_SHARD_WORDS) : 0, msg);
}
