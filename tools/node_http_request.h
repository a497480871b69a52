/* The head of a request to tc-node --http: HTTP/1.0 and 1.1 (RFC 9112), GET and HEAD without a
 * body. The bytes are anybody's; they are checked here and nowhere else. */
#ifndef NODE_HTTP_REQUEST_H
#define NODE_HTTP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#define NODE_HTTP_REQUEST_MAX 8192u /* bytes of a request's head */

typedef enum node_http_path {
    NODE_HTTP_OTHER = 0,
    NODE_HTTP_METRICS, /* "/metrics" */
    NODE_HTTP_HEALTH   /* "/healthz" */
} node_http_path;

typedef struct node_http_request {
    node_http_path path;
    bool is_head; /* the answer has no body; also set with a status other than 200 */
} node_http_request;

/* Reads the head at the beginning of `bytes`.
 *
 *   0    it is not whole yet
 *   200  *request_out is set; a query behind the path is ignored
 *
 * Otherwise the status of the answer: 400 (malformed, or it has a body), 405 (another method),
 * 431 (longer than NODE_HTTP_REQUEST_MAX), 505 (another version). */
int node_http_request_read(const char *bytes, size_t size, node_http_request *request_out);

/* Returns the phrase of a status, "Not Found". */
const char *node_http_request_phrase(int status);

#endif
