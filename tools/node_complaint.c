#include "node_complaint.h"

#include <stdio.h>

int node_complain(const char *text)
{
    fprintf(stderr, "tc-node: %s\n", text);
    return 1;
}
