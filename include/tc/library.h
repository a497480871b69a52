/* Libraries that travel: code and data that functions share at a node which was built without
 * them.
 *
 * A library is an archive like a function's, made of the same sources by `tc-clang --library`.
 * It has no NAME_main. It exports the functions and variables that its sources define without
 * `static`. It may define two entries of its own:
 *
 *   int  NAME_init(void);   // runs once at a node, before anybody can bind to it; 0: ready
 *   void NAME_fini(void);   // runs once, when nobody is bound to it any more
 *
 * A function declares that it uses a library by a line `tc:NAME` of its .deps list (`tc-clang
 * --uses=NAME`), and so does a library that uses another one. Its undefined symbols are looked
 * for in the functions of <tc/entry.h>, then in the libraries of its list that travel, then in
 * the process, then in the list's other libraries. A function that needs a library that is not
 * at the node is refused with TC_E_ABSENT: it may be sent again when the library is there. A
 * function that states another prototype of a symbol than its library does (TC_SYMBOL of
 * <tc/entry.h>) is refused with TC_E_VERSION.
 *
 * A library is at a node once, for all peers and functions: its variables live from its arrival
 * until it has been withdrawn or replaced and is not used any more, or until the node's context
 * ends. The peer that pushed it may disconnect.
 *
 * A library of another content under the same name takes over from the one that is there. Its
 * variables start from their initial values: the values of the older one's variables are lost
 * with it, unless the newer one's NAME_init copies them, which finds the older one's variables
 * by tc_library_older. A push gives the sender no sign that it has replaced something. Then the
 * functions that use the name are bound again, between two messages: a message runs wholly with
 * the older one or wholly with the newer one, and no message that was sent after the push had
 * succeeded runs with the older one. Variables of those functions keep their values, with the
 * exceptions for compiled code in docs/what-an-ifunc-may-do.md. Addresses of a library's
 * symbols must not be kept from message to message. Libraries that use the name stay with the
 * older one, which lives on for them, until they are pushed again themselves.
 *
 * A node selects the libraries that it takes as it selects functions, by keys and signatures,
 * lists, quotas and the option symbols (where a library's name is "tc:NAME"); and by the option
 * take_libraries. A name belongs to the identity that pushed it (tc_self_identity): no other
 * identity may replace or withdraw it.
 *
 * Handles belong to the thread of their context. */
#ifndef TC_LIBRARY_H
#define TC_LIBRARY_H

#include <tc/abi.h>
#include <tc/ifunc.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tc_library tc_library;

#define TC_LIBRARY_NAME_MAX 64 /* bytes of a name, with terminator */

/* Opens a library's archive by its name, as tc_ifunc_open does a function's: NAME.tca,
 * NAME.deps and NAME.tca.minisig of a folder of the option ifunc_path. The same content gives
 * the same handle, reference-counted.
 *
 *   TC_OK         the library can be pushed and installed
 *   TC_E_INVALID  also: the archive is a function's
 *   as tc_ifunc_open */
TC_MUST_CHECK TC_API tc_status tc_library_open(tc_context *ctx, const char *name,
                                               tc_library **library_out, tc_error *err);

/* Opens a library from any source, as tc_ifunc_open_code does a function.
 *
 *   TC_OK         the library can be pushed and installed
 *   TC_E_INVALID  also: the archive is a function's, as an archive of slices is
 *   as tc_ifunc_open_code */
TC_MUST_CHECK static inline tc_status tc_library_open_code(tc_context *ctx, const tc_code *code,
                                                           tc_library **library_out,
                                                           tc_error *err)
{
    return tc_library_open_code_sized(ctx, code, sizeof *code, sizeof *code->slices,
                                      library_out, err);
}

/* Opens an archive that is part of the program (`tc-ar embed`).
 *
 *   as tc_library_open_code */
TC_MUST_CHECK static inline tc_status tc_library_open_embedded(tc_context *ctx,
                                                               const tc_embedded *embedded,
                                                               tc_library **library_out,
                                                               tc_error *err)
{
    tc_code code = tc_code_embedded(embedded);
    return tc_library_open_code(ctx, &code, library_out, err);
}

/* Gives one reference back. A library that was pushed or installed stays where it is. NULL is
 * allowed. */
TC_API void tc_library_close(tc_library *library);

/* The library's name and content id. The name is valid while the library is open. */
TC_API const char *tc_library_name(const tc_library *library);
TC_API void tc_library_id(const tc_library *library, uint8_t id_out[TC_IFUNC_ID_BYTES]);

/* Sends a library to a peer and blocks, progressing the context, until it is in force there or
 * is refused: its code is there, its NAME_init has returned 0, and the functions that use its
 * name are bound to it. Pushing a library that is in force already does nothing. A content that
 * was replaced may be pushed again: it is loaded afresh once the code that is being linked to
 * it has been linked, and where compilers have processes of their own, waits for none of them.
 * A push that fails leaves the library that was in force as it was. A push that is cut short by
 * its deadline may still succeed there.
 *
 *   timeout_ns       0: the option call_timeout
 *
 *   TC_OK            messages that are sent from now on find it
 *   TC_E_UNRESOLVED  it needs symbols that are not defined there; the text names it and them
 *   TC_E_VERSION     it states another prototype of a symbol than the library that it uses
 *                    (TC_SYMBOL of <tc/entry.h>); the text has both
 *   TC_E_ABSENT      it uses a library that is not there; the text names both
 *   TC_E_NO_LIBRARY  a library of its .deps list that does not travel does not load there
 *   TC_E_INVALID     it would use itself by way of others; the text has the cycle
 *   TC_E_NO_SLICE    it has no code for the peer's architecture
 *   TC_E_IN_USE      this very content was replaced, and libraries there use it still
 *   TC_E_REFUSED     the peer takes no libraries, or not this one; the name is another
 *                    identity's; or its NAME_init returned another number than 0
 *   TC_E_TIMEOUT     no answer came in time: its NAME_init may be running still
 *   TC_E_BUSY        called from inside an ifunc
 *   TC_E_PEER_LOST   the peer was lost
 *   as tc_loader_resolve  its code does not load there
 *   as tc_send       it was not sent */
TC_MUST_CHECK TC_API tc_status tc_library_push(tc_ep *ep, tc_library *library,
                                               uint64_t timeout_ns, tc_error *err);

/* Withdraws a library from a peer and blocks as tc_library_push. Functions that use it are
 * refused from then on with TC_E_ABSENT, and run again when the name is pushed again. Its
 * NAME_fini has run when this returns, unless the library is still in use.
 *
 *   TC_OK            it is not in force any more
 *   TC_E_NOT_FOUND   it was not in force there: another content has the name, or none
 *   TC_E_IN_USE      libraries there use it; the text names one
 *   TC_E_REFUSED     the name is another identity's
 *   as tc_library_push */
TC_MUST_CHECK TC_API tc_status tc_library_withdraw(tc_ep *ep, tc_library *library,
                                                   uint64_t timeout_ns, tc_error *err);

/* Puts a library in force in this context itself, as if a peer had pushed it; the option
 * take_libraries and the owner of the name are not checked.
 *
 *   TC_OK      functions that run here find it
 *   TC_E_BUSY  called from inside an ifunc
 *   as tc_library_push  except those that concern a peer */
TC_MUST_CHECK TC_API tc_status tc_library_install(tc_context *ctx, tc_library *library,
                                                  tc_error *err);

/* Withdraws the library of that name from this context, also if a peer pushed it.
 *
 *   TC_OK           it is not in force any more
 *   TC_E_NOT_FOUND  no library of this name is in force
 *   TC_E_IN_USE     libraries use it; the text names one
 *   TC_E_BUSY       called from inside an ifunc */
TC_MUST_CHECK TC_API tc_status tc_library_remove(tc_context *ctx, const char *name,
                                                 tc_error *err);

/* A library that is in force. */
typedef struct tc_library_info {
    char name[TC_LIBRARY_NAME_MAX];
    uint8_t id[TC_IFUNC_ID_BYTES]; /* content id */
    char owner[256];       /* the identity that pushed it; "": none proved, or installed */
    uint64_t symbols;      /* that it exports, its entries not counted */
    uint64_t memory_bytes; /* of code and data */
    uint64_t functions;    /* that are bound to it now */
    uint64_t libraries;    /* that are bound to it now */
    uint64_t order;        /* sequence number among libraries put in force here, from 1 on */
} tc_library_info;

/* Writes the libraries in force in this context, in the order of arrival. Allowed inside an
 * ifunc.
 *
 *   infos  receives at most `count`; NULL if count is 0
 *
 * Returns how many there are, which may be more than `count`. */
static inline size_t tc_library_list(tc_context *ctx, tc_library_info *infos, size_t count)
{
    return tc_library_list_sized(ctx, infos, count, sizeof *infos);
}

/* The address of a symbol of a library that is in force in this context, or NULL. The name is
 * enough where the library states a prototype. The address is valid until that library is
 * replaced or withdrawn: until this thread progresses the context again. Allowed inside an
 * ifunc. */
TC_API void *tc_library_symbol(tc_context *ctx, const char *library, const char *symbol);

/* Inside NAME_init: the address of a symbol of the library that this one takes over from, or
 * NULL; NULL also when there is none, and outside of NAME_init. The older one is whole, runs no
 * function meanwhile, and its NAME_fini runs when no function or library is bound to it any
 * more: data taken over from it has to be left so that its NAME_fini does not free it. If
 * NAME_init then returns another number than 0, the older one stays in force. */
TC_API void *tc_library_older(const char *symbol);

#ifdef __cplusplus
}
#endif
#endif
