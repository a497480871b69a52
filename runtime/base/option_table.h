/* The options as the runtime reads them: plain fields, checked once when they were set. */
#ifndef TCI_OPTION_TABLE_H
#define TCI_OPTION_TABLE_H

#include "option_list.h"

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
    TCI_COMPILED_IMAGE = 1,
    TCI_COMPILED_AUTO = 2
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

typedef enum tci_usage_choice {
    TCI_USAGE_OFF = 0,
    TCI_USAGE_COUNTS = 1,
    TCI_USAGE_TIMES = 2
} tci_usage_choice;

#define TCI_NUMBER_FIELD(name, ...) uint64_t name;
#define TCI_TEXT_FIELD(name, ...) const char *name;

/* A field for each row of option_list.h. Texts are its own, never NULL, and shorter than
 * TCI_OPTION_TEXT_MAX. */
struct tc_options {
    TCI_OPTION_LIST(TCI_NUMBER_FIELD, TCI_NUMBER_FIELD, TCI_NUMBER_FIELD, TCI_NUMBER_FIELD,
                    TCI_NUMBER_FIELD, TCI_NUMBER_FIELD, TCI_TEXT_FIELD)
};

/* Copies options, for tci_option_table_free_texts. TC_E_NO_MEMORY; then there is no copy. */
TC_MUST_CHECK tc_status tci_option_table_copy(struct tc_options *to,
                                              const struct tc_options *from, tc_error *err);

/* Frees the texts. Allowed for zeroed options, too. */
void tci_option_table_free_texts(struct tc_options *opts);

#endif
