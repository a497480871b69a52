/* The options as the runtime reads them: plain fields, checked once when they were set. */
#ifndef TCI_OPTION_TABLE_H
#define TCI_OPTION_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <tc/options.h>

#define TCI_OPTION_TEXT_MAX 1024

typedef enum tci_delivery_choice {
    TCI_DELIVERY_AUTO = 0,
    TCI_DELIVERY_DIRECT = 1,
    TCI_DELIVERY_AM = 2,
    TCI_DELIVERY_PUT = 3,
    TCI_DELIVERY_STREAM = 4
} tci_delivery_choice;

typedef enum tci_network_choice {
    TCI_NETWORK_AUTO = 0,
    TCI_NETWORK_NO = 1,
    TCI_NETWORK_YES = 2
} tci_network_choice;

typedef enum tci_protect_choice {
    TCI_PROTECT_SEAL = 0,
    TCI_PROTECT_AUTH = 1,
    TCI_PROTECT_OFF = 2
} tci_protect_choice;

typedef enum tci_wait_choice {
    TCI_WAIT_ADAPTIVE = 0,
    TCI_WAIT_SPIN = 1,
    TCI_WAIT_BLOCK = 2,
    TCI_WAIT_PAUSE = 3,
    TCI_WAIT_LINE = 4,
    TCI_WAIT_YIELD = 5
} tci_wait_choice;

typedef enum tci_form_choice {
    TCI_CHOICE_AUTO = 0,
    TCI_CHOICE_IMAGE = 1,
    TCI_CHOICE_BITCODE = 2
} tci_form_choice;

typedef enum tci_tier_choice {
    TCI_TIER_AUTO = 0,
    TCI_TIER_FAST = 1,
    TCI_TIER_BEST = 2
} tci_tier_choice;

typedef enum tci_compiler_choice {
    TCI_COMPILER_PROCESS = 0,
    TCI_COMPILER_THREAD = 1,
    TCI_COMPILER_AUTO = 2
} tci_compiler_choice;

typedef enum tci_wall_choice {
    TCI_CHOICE_WALL_AUTO = 0,
    TCI_CHOICE_WALL_YES = 1,
    TCI_CHOICE_WALL_NO = 2
} tci_wall_choice;

typedef enum tci_payload_choice {
    TCI_PAYLOAD_WRITABLE = 0,
    TCI_PAYLOAD_READONLY = 1
} tci_payload_choice;

typedef enum tci_compiled_choice {
    TCI_COMPILED_ORC = 0,
    TCI_COMPILED_IMAGE = 1
} tci_compiled_choice;

typedef enum tci_missing_choice {
    TCI_MISSING_REFUSE = 0,
    TCI_MISSING_WARN = 1
} tci_missing_choice;

typedef enum tci_signature_choice {
    TCI_SIGNATURE_NO = 0,
    TCI_SIGNATURE_YES = 1, /* of code that peers send */
    TCI_SIGNATURE_ALL = 2  /* of code that this program opens, too */
} tci_signature_choice;

typedef enum tci_check_choice {
    TCI_CHECK_AUTO = 0,
    TCI_CHECK_NO = 1,
    TCI_CHECK_YES = 2
} tci_check_choice;

/* One field for each row of the table in option_table.c, which also holds each option's
 * meaning. */
struct tc_options {
    uint64_t delivery; /* tci_delivery_choice */
    uint64_t ring_bytes;
    uint64_t ring_memory_max;
    uint64_t send_queue_bytes;
    uint64_t code_bytes_max;
    uint64_t code_push;
    uint64_t dictionaries;
    uint64_t payload; /* tci_payload_choice */
    uint64_t payload_bytes_max;
    uint64_t staging_bytes;
    uint64_t functions_max;
    uint64_t connect_timeout;
    uint64_t close_timeout;
    uint64_t call_timeout;
    uint64_t call_time_max; /* 0: any */
    uint64_t hop_limit;
    uint64_t spin;
    uint64_t wait; /* tci_wait_choice */
    uint64_t sleep_max;
    uint64_t listen_any;
    char key_file[TCI_OPTION_TEXT_MAX];
    char tls_ca[TCI_OPTION_TEXT_MAX];
    char tls_cert[TCI_OPTION_TEXT_MAX];
    char tls_key[TCI_OPTION_TEXT_MAX];
    uint64_t local_users; /* 0: own, 1: any */
    uint64_t protect;     /* tci_protect_choice */
    uint64_t network;     /* tci_network_choice */
    uint64_t form;        /* tci_form_choice */
    uint64_t debug_code;
    uint64_t perf_map;
    uint64_t tier; /* tci_tier_choice */
    uint64_t tier_calls;
    uint64_t tier_time;
    uint64_t compile_threads;
    uint64_t code_memory_max;
    uint64_t compiler;      /* tci_compiler_choice */
    uint64_t compiler_wall; /* tci_wall_choice */
    uint64_t compiled;      /* tci_compiled_choice */
    uint64_t compile_time_max;
    uint64_t compile_memory_max;
    uint64_t quota_connections;
    uint64_t quota_functions;
    uint64_t quota_code_bytes;
    uint64_t quota_compile_time;
    uint64_t quota_queue_bytes;
    uint64_t quota_message_rate;
    char group_hosts[TCI_OPTION_TEXT_MAX];
    char group_rank[TCI_OPTION_TEXT_MAX];
    char group_secret[TCI_OPTION_TEXT_MAX];
    char group_address[TCI_OPTION_TEXT_MAX];
    char ifunc_path[TCI_OPTION_TEXT_MAX];
    char engine_path[TCI_OPTION_TEXT_MAX];
    char audit[TCI_OPTION_TEXT_MAX];
    char symbols[TCI_OPTION_TEXT_MAX];

    char trust[TCI_OPTION_TEXT_MAX];
    uint64_t require_signature; /* tci_signature_choice */
    char code_allow[TCI_OPTION_TEXT_MAX];
    char code_revoked[TCI_OPTION_TEXT_MAX];
    char cache_dir[TCI_OPTION_TEXT_MAX];
    uint64_t cache_max;
    uint64_t take_libraries;
    uint64_t missing_library; /* tci_missing_choice */
    uint64_t check_threads;   /* tci_check_choice */
};

#endif
