/* What tc-node says on standard error when it cannot go on. */
#ifndef NODE_COMPLAINT_H
#define NODE_COMPLAINT_H

/* Returns 1, the exit status. */
int node_complain(const char *text);

#endif
