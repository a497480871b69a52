#include "object_request.h"

#include "base/error_text.h"
#include "object_pointer.h"

#include <inttypes.h>
#include <string.h>

_Static_assert(sizeof(tco_request) == 88, "the layout of requests is the same everywhere");

static tc_status check_piece(const tco_request *request, size_t bytes,
                             const tco_request_limits *limits, tc_error *err)
{
    if (memchr(request->class_name, 0, sizeof request->class_name) == NULL ||
        request->class_name[0] == 0)
        return tci_error_set(err, TC_E_INVALID, "a class without a name or its terminator");
    if (request->total > limits->state_max)
        return tci_error_set(err, TC_E_TOO_LARGE,
                             "a state of %" PRIu64 " bytes, state_max of rank is %" PRIu64,
                             request->total, limits->state_max);
    if (request->moves == 0)
        return tci_error_set(err, TC_E_INVALID, "move 0, expected 1 or more");
    if (request->offset > request->total || bytes > request->total - request->offset ||
        bytes > TCO_PIECE_BYTES || (bytes == 0 && request->total > 0))
        return tci_error_set(err, TC_E_INVALID,
                             "%zu bytes at %" PRIu64 " of a state of %" PRIu64, bytes,
                             request->offset, request->total);
    return TC_OK;
}

tc_status tco_request_check(const void *payload, size_t size, const tco_request_limits *limits,
                            tco_request *request_out, size_t *bytes_out, tc_error *err)
{
    tco_request request;
    if (size < sizeof request)
        return tci_error_set(err, TC_E_INVALID, "a request of %zu bytes, expected %zu", size,
                             sizeof request);
    memcpy(&request, payload, sizeof request);
    const size_t bytes = size - sizeof request;
    if (request.version != TCO_REQUEST_VERSION)
        return tci_error_set(err, TC_E_VERSION, "a request of version %u, expected %u",
                             request.version, TCO_REQUEST_VERSION);
    if (request.kind == 0 || request.kind > TCO_REQUEST_LAST)
        return tci_error_set(err, TC_E_INVALID, "a request of kind %u, expected 1 to %u",
                             request.kind, (unsigned)TCO_REQUEST_LAST);
    tc_status status = tco_pointer_check(request.object, limits->ranks, err);
    if (status != TC_OK)
        return status;
    if (request.rank >= limits->ranks)
        return tci_error_set(err, TC_E_INVALID, "rank %u, expected one below %u", request.rank,
                             limits->ranks);
    if (request.kind == TCO_PIECE)
        status = check_piece(&request, bytes, limits, err);
    else if (bytes > 0)
        status = tci_error_set(err, TC_E_INVALID, "%zu bytes behind a request of kind %u",
                               bytes, request.kind);
    if (status != TC_OK)
        return status;
    *request_out = request;
    *bytes_out = bytes;
    return TC_OK;
}
