/* The remote functions of a header, between the reader and the writers. All names and
 * texts are of the header's author; the reader has checked them. */
#ifndef TCI_STUB_MODEL_H
#define TCI_STUB_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TCI_STUB_TEXT_MAX = 512, /* with the terminator */
    TCI_STUB_NAME_MAX = 256,
    TCI_STUB_ARGUMENTS_MAX = 64,
    TCI_STUB_DEPTH_MAX = 8,
    TCI_STUB_BOOLS_MAX = 32,
    TCI_STUB_SMALL = 1024 /* bytes of a message or an answer that lies on the stack */
};

#define TCI_STUB_SIZE_MAX ((uint64_t)INT32_MAX) /* of a fixed type */

/* Bytes of an element that are 0 or 1. */
typedef struct tci_stub_bools {
    uint64_t at, length;
} tci_stub_bools;

/* An element: a number, a bool, an enum or a struct. */
typedef struct tci_stub_type {
    char text[TCI_STUB_TEXT_MAX];   /* as a prototype has it; "" is void */
    char c_name[TCI_STUB_NAME_MAX]; /* as C has it: "struct limits" */
    uint64_t size;
    uint64_t alignment;
    tci_stub_bools bools[TCI_STUB_BOOLS_MAX];
    unsigned bool_count;
} tci_stub_type;

typedef enum tci_stub_way { TCI_STUB_IN = 0, TCI_STUB_INOUT, TCI_STUB_OUT } tci_stub_way;

typedef enum tci_stub_form {
    TCI_STUB_VALUE = 0,
    TCI_STUB_POINTER, /* to one element */
    TCI_STUB_FIXED,   /* an array of a fixed number of elements */
    TCI_STUB_ARRAY,   /* its number of elements is another argument */
    TCI_STUB_WORDS,   /* a text */
    TCI_STUB_COUNT    /* the number of elements of arrays: no value of a message */
} tci_stub_form;

typedef struct tci_stub_argument {
    char name[TCI_STUB_NAME_MAX];
    tci_stub_type type; /* of one element; of a text: one byte */
    tci_stub_form form;
    tci_stub_way way;
    uint64_t length; /* of TCI_STUB_FIXED: how many elements */
    unsigned count;  /* of TCI_STUB_ARRAY: the argument that has the number */
} tci_stub_argument;

typedef struct tci_stub_function {
    char name[TCI_STUB_NAME_MAX];
    char prototype[TCI_STUB_TEXT_MAX];
    tci_stub_type result;
    tci_stub_argument arguments[TCI_STUB_ARGUMENTS_MAX];
    unsigned argument_count;
    unsigned line;
} tci_stub_function;

typedef struct tci_stub_header {
    const char *path;              /* as the command line has it */
    const char *base;              /* its last part */
    char stem[TCI_STUB_NAME_MAX];  /* the same without its suffix */
    char guard[TCI_STUB_NAME_MAX]; /* the stem with '_' for characters that no name has */
    tci_stub_function **functions;
    unsigned function_count;
    struct tci_stub_struct *structs; /* stub_struct.h: each behind those that it has */
    unsigned struct_count;
} tci_stub_header;

/* One value of a message or an answer. */
typedef struct tci_stub_value {
    const tci_stub_argument *argument; /* NULL: the function's result */
    const tci_stub_type *type;         /* of an element */
    bool varies;
    bool is_last;          /* varies, and has no number in the fixed part */
    bool is_number;        /* only the capacity of an array that is answered */
    uint64_t offset, size; /* in the fixed part; of one that varies: of its number */
} tci_stub_value;

typedef struct tci_stub_layout {
    tci_stub_value values[TCI_STUB_ARGUMENTS_MAX + 1];
    unsigned count;
    bool varies;
    bool has_gaps;       /* the fixed part has bytes that belong to no value */
    uint64_t fixed_size; /* where the elements begin; without a varying value: the size */
} tci_stub_layout;

void tci_stub_model_message(const tci_stub_function *function, tci_stub_layout *layout_out);
void tci_stub_model_answer(const tci_stub_function *function, tci_stub_layout *layout_out);

/* Appends to a text of TCI_STUB_TEXT_MAX bytes. Returns whether it fits. */
bool tci_stub_model_append(char *text, const char *more);

/* Writes the text of the whole prototype. Returns whether it fits. */
bool tci_stub_model_prototype(tci_stub_function *function);

/* Returns the first array of that count which is sent; NULL: the caller gives the count. */
const tci_stub_argument *tci_stub_model_counted(const tci_stub_function *function,
                                                unsigned count);

/* Returns whether an argument is a caller's, where arrays have their numbers of elements and
 * answers are returned. */
bool tci_stub_model_is_given(const tci_stub_function *function, unsigned number);

uint64_t tci_stub_model_align(uint64_t offset, uint64_t alignment);
bool tci_stub_model_is_bool(const tci_stub_type *type);

/* Returns whether a value has bytes to check for 0 or 1. A single bool has none: it is compared
 * with 0 when it is read. */
bool tci_stub_model_has_bools(const tci_stub_value *value);

#endif
