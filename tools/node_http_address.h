/* The address of tc-node --http, and the socket that listens there. */
#ifndef NODE_HTTP_ADDRESS_H
#define NODE_HTTP_ADDRESS_H

#define NODE_HTTP_ADDRESS_MAX 80u /* bytes of "[...]:PORT", with terminator */

/* Listens at `address`: HOST:PORT with a numeric host, or PORT or :PORT for 127.0.0.1. Returns
 * the socket, which does not block, and writes its address; or -1 after printing the reason.
 *
 *   inherited  a socket, which is returned if it listens at that address, and closed otherwise;
 *              -1: none */
int node_http_address_listen(const char *address, int inherited,
                             char at_out[NODE_HTTP_ADDRESS_MAX]);

#endif
