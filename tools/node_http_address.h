/* The address of tc-node --http, and the socket that listens there. */
#ifndef NODE_HTTP_ADDRESS_H
#define NODE_HTTP_ADDRESS_H

#define NODE_HTTP_ADDRESS_MAX 80u /* bytes of "[...]:PORT", with terminator */

/* Listens at `address`: HOST:PORT with a numeric host, or PORT or :PORT for 127.0.0.1. Returns
 * the socket, which does not block, and writes its address; or -1 after printing the reason. */
int node_http_address_listen(const char *address, char at_out[NODE_HTTP_ADDRESS_MAX]);

/* Returns the socket that listens; -1: none. */
int node_http_address_socket(void);
/* Has node_http_address_listen take this inherited descriptor, if it listens at the address
 * that is asked for; else it is closed. */
void node_http_address_inherit(int fd);

#endif
