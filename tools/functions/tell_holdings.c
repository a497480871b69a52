/* The function that tc-info sends to a node: replies with the node's libraries and packages. */
#include "../node_holdings.h"

#include <stdlib.h>
#include <string.h>
#include <tc/entry.h>

static void describe(const tc_library_info *info, node_holdings_library *out)
{
    memcpy(out->name, info->name, sizeof out->name);
    memcpy(out->id, info->id, sizeof out->id);
    memcpy(out->owner, info->owner, sizeof out->owner);
    out->symbols = info->symbols;
    out->memory_bytes = info->memory_bytes;
    out->functions = info->functions;
    out->users = info->libraries;
}

static void reply(const tc_library_info *infos, size_t count, node_holdings_head *head,
                  const node_holdings_package *packages)
{
    node_holdings_library *library = (node_holdings_library *)(head + 1);
    head->libraries = count;
    for (size_t i = 0; i < count; i++)
        describe(&infos[i], library++);
    const size_t packages_size = head->packages * sizeof *packages;
    if (packages_size > 0)
        memcpy(library, packages, packages_size);
    (void)tc_reply(head, (size_t)((char *)library - (char *)head) + packages_size);
}

void tell_holdings_main(void *payload, size_t payload_size, void *target_args)
{
    tc_context *ctx = tc_ep_context(tc_self_endpoint());
    size_t packages_size = 0;
    const node_holdings_package *packages =
        tc_self_data(NODE_HOLDINGS_PACKAGES, &packages_size);
    const size_t count = tc_library_list(ctx, NULL, 0);
    (void)payload, (void)payload_size, (void)target_args;
    tc_library_info *infos = calloc(count + 1, sizeof *infos);
    node_holdings_head *head =
        calloc(1, sizeof *head + count * sizeof(node_holdings_library) + packages_size);
    if (infos != NULL && head != NULL) {
        head->packages = packages_size / sizeof *packages;
        (void)tc_library_list(ctx, infos, count);
        reply(infos, count, head, packages);
    } else {
        (void)tc_reply_error(TC_E_NO_MEMORY, "tell_holdings: out of memory");
    }
    free(infos);
    free(head);
}
