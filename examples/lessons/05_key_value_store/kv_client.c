#include "kv.h"
#include <stdio.h>

extern const tc_embedded kv_put_tca, kv_filter_tca;

int main(int argc, char **argv)
{
    tc_context *ctx = NULL;
    tc_ep *ep;
    tc_ifunc *put, *filter;
    tc_error err;
    kv_page page = {0, 0, {{"", ""}}};
    size_t size = sizeof page;
    int ok = tc_context_create(NULL, &ctx, &err) == TC_OK &&
             tc_ifunc_open_embedded(ctx, &kv_put_tca, &put, &err) == TC_OK &&
             tc_ifunc_open_embedded(ctx, &kv_filter_tca, &filter, &err) == TC_OK &&
             tc_ep_connect(ctx, argc > 1 ? argv[1] : "", 0, &ep, &err) == TC_OK;
    for (int i = 2; ok && i < argc; i++) {
        kv_entry entry = {"", ""};
        sscanf(argv[i], "%23[^=]=%23s", entry.key, entry.value);
        ok = tc_call(ep, put, &entry, sizeof entry, NULL, NULL, 0, &err) == TC_OK;
    }
    do {
        ok = ok && tc_call(ep, filter, &page, sizeof page, &page, &size, 0, &err) == TC_OK;
        for (size_t i = 0; ok && i < page.count && i < 4; i++)
            printf("%.24s %.24s\n", page.entries[i].key, page.entries[i].value);
    } while (ok && page.count == 4);
    if (!ok)
        fprintf(stderr, "kv_client: %s\n", err.text);
    tc_context_destroy(ctx);
    return !ok;
}
