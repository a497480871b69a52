/* Listing 1.3 of "UCX Programming Interface for Remote Function Injection and Invocation"
 * (Pena, Lu, Shamis, Poole, 2021), as printed; paq8px.h beside it has the parts that the paper
 * leaves to the reader. Listing 1.4 registers it as "paq8pv", so the build names its functions
 * so. */
/* clang-format off */
#include <paq8px.h>

size_t paq8px_payload_get_max_size(void *source_args,
                                   size_t source_args_size) {
    return est_output_size(source_args, source_args_size);
}

int paq8px_payload_init(void *payload,
                       size_t payload_size,
                       void *source_args,
                       size_t source_args_size) {
    encode(payload, payload_size,
           source_args, source_args_size);
    return 0;
}

void paq8px_main(void *payload,
                 size_t payload_size,
                 void *target_args) {
    db_handler dbh = target_args;
    decode_insert(dbh, payload, payload_size);
}
