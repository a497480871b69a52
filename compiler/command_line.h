/* The parsed command line of tc-clang. */
#ifndef TCI_COMMAND_LINE_H
#define TCI_COMMAND_LINE_H

#include "archive.h"
#include "slice_choice.h"
#include "target_table.h"
#include "text_list.h"

#include <stdbool.h>

typedef enum tci_command_action {
    TCI_COMMAND_COMPILE = 0,
    TCI_COMMAND_SHOW, /* -###: print the commands without running them */
    TCI_COMMAND_HELP,
    TCI_COMMAND_VERSION,
    TCI_COMMAND_COMPLETION
} tci_command_action;

typedef struct tci_command {
    tci_command_action action;
    const char *shell; /* of --completion: an element of argv, or its end */
    tci_text_list sources;
    tci_text_list clang_options; /* passed on as they are, in order */
    tci_text_list libraries;     /* of -l, without it */
    tci_text_list folders;       /* of -L, without it */
    tci_text_list used;          /* of --uses: libraries that travel */
    tci_text_list compared;      /* types of --check-abi */
    tci_text_list rule_options;  /* -MD, -MMD, -MP, -MT and -MQ, for clang */
    const char *rule_file;       /* argument of -MF, an element of argv; NULL: no file */
    bool wants_rules;            /* -MD or -MMD was given */
    bool names_rule_target;      /* -MT or -MQ was */
    const tci_target *targets[TCI_TARGETS_MAX];
    size_t target_count;
    const char *output; /* argument of -o, or own_output; NULL: only --check-abi */
    char own_output[TCI_ARCHIVE_NAME_MAX + sizeof ".tca"];
    char name[TCI_ARCHIVE_NAME_MAX];
    tci_slice_choice slices;
    char opt_level;  /* '0' '1' '2' '3' 's' 'z' */
    bool is_library; /* --library */
    bool allow_asm;
    bool keep_debug;         /* -g was given */
    const char *signing_key; /* of --sign: an element of argv; NULL: no key */
    bool plain;              /* packed without a dictionary */
    bool verbose;
    const char *stubs; /* of --stubs: an element of argv; NULL: a compilation */
} tci_command;

/* Reads argv and checks it as a whole. TC_E_INVALID, TC_E_NO_MEMORY. The command is for
 * tci_command_fini also after a failure. */
TC_MUST_CHECK tc_status tci_command_parse(int argc, char **argv, tci_command *command_out,
                                          tc_error *err);
void tci_command_fini(tci_command *command);

/* Returns whether clang takes the source for C++, by its suffix. */
bool tci_command_is_cxx(const char *source);

extern const char tci_command_help[];

#endif
