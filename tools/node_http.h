/* Metrics and health over HTTP: tc-node --http.
 *
 * One thread serves all scrapers, so neither they nor the making of a page keep the node's loop
 * from running messages, and a function that does not return keeps no scraper waiting. It
 * answers GET and HEAD of /metrics and /healthz, one request a connection. At most
 * NODE_HTTP_PEERS_MAX connections are served at a time, others wait in the listener's queue;
 * each ends at a deadline, whatever its peer does. /healthz answers 503 while the loop has not
 * turned for NODE_HTTP_STALLED_S seconds, as a function keeps it, and from the signal that ends
 * the node on, unless that has a successor. */
#ifndef NODE_HTTP_H
#define NODE_HTTP_H

#include "node_counters.h"

#include <stdbool.h>

#define NODE_HTTP_PEERS_MAX 8
#define NODE_HTTP_STALLED_S 5

typedef struct node_http node_http;

/* Listens at `address`, HOST:PORT with a numeric host, or PORT or :PORT for 127.0.0.1, and
 * starts the thread. Returns false after printing the reason.
 *
 *   inherited  as in node_http_address_listen
 *   ctx        reports its usage, unless it is NULL
 *   http_out   NULL if address is NULL */
bool node_http_start(const char *address, int inherited, tc_context *ctx, node_http **http_out);
/* Ends the thread; the context may be destroyed then. NULL is allowed. */
void node_http_stop(node_http *http);

/* Returns the socket that listens, which stays its own; -1: `http` is NULL. */
int node_http_socket(const node_http *http);

/* The loop has turned. NULL is allowed, also below. */
void node_http_turn(node_http *http);
/* Reports these counters from now on. */
void node_http_tell(node_http *http, const node_counters *counters);

#endif
