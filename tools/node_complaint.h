/* The error message of tc-node when it cannot continue, on standard error. */
#ifndef NODE_COMPLAINT_H
#define NODE_COMPLAINT_H

/* Prints "tc-node: TEXT" and returns 1, the exit status. */
int node_complain(const char *text);

#endif
