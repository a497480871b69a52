/* tc-node, a target: listens, and runs the functions of its peers until it is asked to stop. */
#include "node_arguments.h"
#include "node_broker.h"
#include "node_service.h"
#include "tool_key.h"
#include "tool_options.h"

#include <stddef.h>

int main(int argc, char **argv)
{
    node_arguments args;
    int wrong = node_arguments_parse(argc, argv, &args);
    if (wrong != TOOL_GO_ON)
        return wrong;
    if (args.make_key != NULL)
        return tool_key_make("tc-node", args.make_key) ? 0 : 1;
    node_catch_signals(&args);
    if (args.isolate && args.worker_of == 0)
        return node_broker_run(&args, argv);
    return node_serve(&args);
}
