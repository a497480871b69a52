/* A request to tc-node --http: nothing behind the head is read, a head that is not whole yet
 * has no status, and bytes behind a whole one change nothing. */
#include "../../tools/node_http_request.h"
#include "fuzzer.h"

#include <string.h>

static void check_status(int status)
{
    MUST(status == 0 || status == 200 || status == 400 || status == 405 || status == 431 ||
         status == 505);
    MUST(status == 0 || *node_http_request_phrase(status) != '\0');
}

/* Reads a copy of exactly these bytes, so that an access behind them is found. */
static int read_copy(const uint8_t *data, size_t size, node_http_request *request)
{
    char *bytes = malloc(size + 1);
    MUST(bytes != NULL);
    if (size > 0)
        memcpy(bytes + 1, data, size);
    const int status = node_http_request_read(bytes + 1, size, request);
    free(bytes);
    check_status(status);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    node_http_request whole = {0}, part = {0};
    const int status = read_copy(data, size, &whole);
    MUST(status != 0 || size < NODE_HTTP_REQUEST_MAX);
    MUST(status != 431 || size >= NODE_HTTP_REQUEST_MAX);
    for (size_t cut = 0; cut < size && size <= 512; cut++) {
        const int before = read_copy(data, cut, &part);
        if (before == 0)
            continue;
        MUST(before == status);
        MUST(status != 200 || (part.path == whole.path && part.is_head == whole.is_head));
    }
    return 0;
}
