/* Constructors, methods and destructors of objects (<tc/object.h>): definitions of functions
 * that travel, and the calls that these may make. A class is a type of C; its name is that of
 * the type.
 *
 *   typedef struct counter { int64_t value; } counter;
 *   typedef struct counter_amount { tc_gptr object; int64_t amount; } counter_amount;
 *
 *   TC_OBJECT_CONSTRUCTOR(counter_new, counter)
 *   (counter *mine, const void *arguments, size_t size, tc_object_self *self)
 *   {
 *       if (size != sizeof mine->value)
 *           tc_object_fail(self, TC_E_INVALID, "a counter begins with 8 bytes");
 *       else
 *           memcpy(&mine->value, arguments, size);
 *   }
 *
 *   TC_OBJECT_METHOD(counter_add, counter, counter_amount)
 *   (counter *mine, const counter_amount *message, tc_object_self *self)
 *   {
 *       (void)self;
 *       mine->value += message->amount;
 *       tc_reply(&mine->value, sizeof mine->value);
 *   }
 *
 * Before the body runs, the runtime has found the object at this rank, or has forwarded the
 * message, and has compared class, size of the state, and size of the message. Whatever does
 * not fit is answered with a status and a text, and the body does not run.
 *
 * Kinds. A plain method (TC_OBJECT_METHOD) does not wait, so it runs alone. A threaded one may
 * wait (<tc/task.h>): others of the same object run meanwhile. An atomic one may wait, too, and
 * no other method of the object runs before it has ended. Those that come meanwhile wait in
 * their order; no method passes another. A method that calls its own object and waits for that
 * while it is atomic waits for itself: the call's deadline ends that.
 *
 * The state is aligned to 16 bytes, stays where it is while a method of the object runs or
 * waits, and must have no pointers if the object moves.
 *
 * A method ends by returning, by an exception of C++, or with its endpoint. tc_self_abandon
 * across a method's frame leaves the object as if the method still ran.
 *
 * Policies. These inline functions call tc_self_data, tc_self_fail, tc_reply and
 * tc_task_run. */
#ifndef TC_OBJECT_ENTRY_H
#define TC_OBJECT_ENTRY_H

#include <tc/entry.h>
#include <tc/object.h>
#include <tc/task.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tc_object_kind {
    TC_OBJECT_PLAIN = 1,
    TC_OBJECT_SHARED = 2,   /* TC_OBJECT_THREADED */
    TC_OBJECT_EXCLUSIVE = 3 /* TC_OBJECT_ATOMIC, constructors and destructors */
} tc_object_kind;

/* A running method. Its fields are the runtime's; the functions below read them. */
typedef struct tc_object_self {
    const struct tc_object_node *node;
    void *record; /* NULL: no object is held */
    void *state;
    uint64_t state_bytes;
    const void *message;
    uint64_t message_bytes;
    tc_gptr object;
    uint32_t kind;  /* a tc_object_kind */
    uint32_t flags; /* TC_OBJECT_ bits */
} tc_object_self;

#define TC_OBJECT_FAILED 1u     /* tc_object_fail was called */
#define TC_OBJECT_NEW 2u        /* a constructor that has not ended yet */
#define TC_OBJECT_TO_DESTROY 4u /* a destructor that has ended */

/* The requirements of a method. */
typedef struct tc_object_method {
    const char *class_name;
    uint64_t state_bytes;   /* the object's state has at least so many */
    uint64_t message_bytes; /* the message has at least so many */
    uint32_t kind;
    uint32_t unused;
} tc_object_method;

typedef enum tc_object_entrance {
    TC_OBJECT_ENTERED = 0,  /* the body runs, and the node's end follows */
    TC_OBJECT_OCCUPIED = 1, /* again, as a task */
    TC_OBJECT_ELSEWHERE = 2 /* the message was forwarded, or has failed */
} tc_object_entrance;

/* The runtime of a rank, published under TC_OBJECT_NODE. The inline functions below use it. */
#define TC_OBJECT_NODE "tc_objects"
#define TC_OBJECT_ABI 1u

typedef struct tc_object_node {
    uint32_t abi; /* TC_OBJECT_ABI */
    uint32_t rank;
    tc_object_entrance (*begin)(const struct tc_object_node *node,
                                const tc_object_method *method, const void *payload,
                                size_t size, int may_wait, tc_object_self *self_out);
    void (*end)(tc_object_self *self);
    tc_status (*make)(const struct tc_object_node *node, const char *class_name, uint64_t bytes,
                      tc_object_self *self_out);
    void *(*resize)(tc_object_self *self, uint64_t bytes);
    tc_status (*request)(const tc_object_self *self, uint32_t rank);
    tc_status (*find)(const struct tc_object_node *node, const tc_gptr *object, tc_ep **ep_out);
} tc_object_node;

/* --- inside methods ----------------------------------------------------------------------- */

/* The object's pointer. */
static inline tc_gptr tc_object_pointer(const tc_object_self *self)
{
    return self->object;
}

/* Bytes of the state, and of the whole message. */
static inline uint64_t tc_object_state_size(const tc_object_self *self)
{
    return self->state_bytes;
}

static inline size_t tc_object_message_size(const tc_object_self *self)
{
    return (size_t)self->message_bytes;
}

/* Ends the call with a failure, as tc_self_fail does. The object of a constructor that has
 * called this is freed when it returns; a destructor that has called it destroys nothing. */
static inline void tc_object_fail(tc_object_self *self, tc_status status, const char *text)
{
    self->flags |= TC_OBJECT_FAILED;
    tc_self_fail(status, text);
}

/* Changes the size of the state. The first bytes stay, new ones are 0.
 *
 *   bytes  0 is allowed
 *
 * Returns the state, which may lie elsewhere; NULL: other methods of the object wait in it, an
 * allocation failed, or it is above the rank's state_max. The state is as before then. */
static inline void *tc_object_resize(tc_object_self *self, uint64_t bytes)
{
    return self->node->resize(self, bytes);
}

/* Asks for the object to move to a rank when this method and those that wait for it have ended.
 * Nothing reports how that ended: an object that could not move stays.
 *
 *   TC_OK         it is asked for, or the object is there
 *   as tc_group_send */
TC_MUST_CHECK static inline tc_status tc_object_move_after(const tc_object_self *self,
                                                           uint32_t rank)
{
    return self->node->request(self, rank);
}

/* Asks for the object to be destroyed, without a destructor, when this method and those that
 * wait for it have ended.
 *
 *   as tc_object_move_after */
TC_MUST_CHECK static inline tc_status tc_object_destroy_after(const tc_object_self *self)
{
    return self->node->request(self, TC_RANK_NONE);
}

/* Finds the endpoint for messages to another object, as tc_object_ep does: for tc_send, and in
 * a method that may wait, for tc_call.
 *
 *   as tc_object_ep */
TC_MUST_CHECK static inline tc_status tc_object_ep_of(const tc_object_self *self,
                                                      const tc_gptr *object, tc_ep **ep_out)
{
    return self->node->find(self->node, object, ep_out);
}

/* --- definitions -------------------------------------------------------------------------- */

/* Begins the definition of a method; its parameters and body follow:
 *
 *   TC_OBJECT_METHOD(NAME, CLASS, MESSAGE)
 *   (CLASS *mine, const MESSAGE *message, tc_object_self *self) { ... }
 *
 * MESSAGE is a struct that begins with a tc_gptr, or tc_gptr itself. */
#define TC_OBJECT_METHOD(name, class_type, message_type)                                       \
    TC_OBJECT_DEFINE(name, class_type, message_type, TC_OBJECT_PLAIN, 0u)

/* A method that may wait, and while it waits others of the object run. */
#define TC_OBJECT_THREADED(name, class_type, message_type)                                     \
    TC_OBJECT_DEFINE(name, class_type, message_type, TC_OBJECT_SHARED, 0u)

/* A method that may wait, and until it ends no other of the object runs. */
#define TC_OBJECT_ATOMIC(name, class_type, message_type)                                       \
    TC_OBJECT_DEFINE(name, class_type, message_type, TC_OBJECT_EXCLUSIVE, 0u)

/* An atomic method, behind which the object is gone. It should leave the answer to the runtime,
 * which is empty: one of its own may reach the caller before the object is gone. */
#define TC_OBJECT_DESTRUCTOR(name, class_type)                                                 \
    TC_OBJECT_DEFINE(name, class_type, tc_gptr, TC_OBJECT_EXCLUSIVE, TC_OBJECT_TO_DESTROY)

/* A function that makes an object; it may wait. Its parameters and body follow:
 *
 *   TC_OBJECT_CONSTRUCTOR(NAME, CLASS)
 *   (CLASS *mine, const void *arguments, size_t size, tc_object_self *self) { ... }
 *
 * The state has the size of CLASS at first, zeroed. The runtime answers with the pointer when
 * the body has returned, so the body must not answer. */
#define TC_OBJECT_CONSTRUCTOR(name, class_type)                                                \
    TC_OBJECT_CLASS_FITS(class_type);                                                          \
    static void name##_method(class_type *state, const void *arguments, size_t size,           \
                              tc_object_self *self);                                           \
    static void name##_body(tc_object_self *self)                                              \
    {                                                                                          \
        name##_method((class_type *)self->state, self->message, (size_t)self->message_bytes,   \
                      self);                                                                   \
    }                                                                                          \
    TC_THREADED(name)(void *payload, size_t payload_size, void *target_args)                   \
    {                                                                                          \
        (void)target_args;                                                                     \
        tc_object_construct(#class_type, sizeof(class_type), name##_body, payload,             \
                            payload_size);                                                     \
    }                                                                                          \
    static void name##_method

/* --- used by these macros ----------------------------------------------------------------- */

#ifdef __cplusplus
#define TC_OBJECT_CLASS_FITS(class_type)                                                       \
    static_assert(sizeof #class_type <= TC_OBJECT_CLASS_MAX, "the name of a class is too "     \
                                                             "long")
#else
#define TC_OBJECT_CLASS_FITS(class_type)                                                       \
    _Static_assert(sizeof #class_type <= TC_OBJECT_CLASS_MAX, "the name of a class is too "    \
                                                              "long")
#endif

#define TC_OBJECT_DEFINE(name, class_type, message_type, kind_of_it, flags_at_end)             \
    TC_OBJECT_CLASS_FITS(class_type);                                                          \
    static void name##_method(class_type *state, const message_type *message,                  \
                              tc_object_self *self);                                           \
    static void name##_body(tc_object_self *self)                                              \
    {                                                                                          \
        name##_method((class_type *)self->state, (const message_type *)self->message, self);   \
    }                                                                                          \
    TC_THREADED_LINKAGE void name##_task(void *payload, size_t payload_size,                   \
                                         void *target_args);                                   \
    TC_THREADED_MAIN void name##_main(void *payload, size_t payload_size, void *target_args);  \
    static const tc_object_method name##_needs = {#class_type, sizeof(class_type),             \
                                                  sizeof(message_type), kind_of_it, 0u};       \
    void name##_task(void *payload, size_t payload_size, void *target_args)                    \
    {                                                                                          \
        (void)target_args;                                                                     \
        (void)tc_object_run(&name##_needs, name##_body, flags_at_end, payload, payload_size,   \
                            1);                                                                \
    }                                                                                          \
    void name##_main(void *payload, size_t payload_size, void *target_args)                    \
    {                                                                                          \
        if (name##_needs.kind != TC_OBJECT_PLAIN ||                                            \
            tc_object_run(&name##_needs, name##_body, flags_at_end, payload, payload_size,     \
                          0) == TC_OBJECT_OCCUPIED)                                            \
            tc_task_run(name##_task, TC_THREADED_EXCEPTIONS, payload, payload_size,            \
                        target_args);                                                          \
    }                                                                                          \
    static void name##_method

/* Returns the runtime of the rank; NULL: it has none, and the message has failed. */
static inline const tc_object_node *tc_object_node_here(void)
{
    size_t size = 0;
    const tc_object_node *node = (const tc_object_node *)tc_self_data(TC_OBJECT_NODE, &size);
    if (node != NULL && size >= sizeof *node && node->abi == TC_OBJECT_ABI)
        return node;
    tc_self_fail(TC_E_UNSUPPORTED, node == NULL ? "the rank has no objects open"
                                                : "the rank has objects of another version");
    return NULL;
}

/* Runs at the end of a method's scope, however it ends. */
static inline void tc_object_leave(tc_object_self *self)
{
    if (self->record != NULL)
        self->node->end(self);
}

/* Runs a method's body, if its object is here; as a task it waits until it may run. */
static inline tc_object_entrance tc_object_run(const tc_object_method *method,
                                               void (*body)(tc_object_self *self),
                                               uint32_t flags_at_end, void *payload,
                                               size_t payload_size, int may_wait)
{
    const tc_object_node *node = tc_object_node_here();
    __attribute__((cleanup(tc_object_leave))) tc_object_self self;
    self.record = NULL;
    if (node == NULL)
        return TC_OBJECT_ELSEWHERE;
    tc_object_entrance entrance =
        node->begin(node, method, payload, payload_size, may_wait, &self);
    if (entrance != TC_OBJECT_ENTERED)
        return entrance;
    body(&self);
    if ((self.flags & TC_OBJECT_FAILED) == 0)
        self.flags |= flags_at_end;
    return TC_OBJECT_ENTERED;
}

/* Runs a constructor's body, and answers. */
static inline void tc_object_construct(const char *class_name, uint64_t bytes,
                                       void (*body)(tc_object_self *self), void *payload,
                                       size_t payload_size)
{
    const tc_object_node *node = tc_object_node_here();
    __attribute__((cleanup(tc_object_leave))) tc_object_self self;
    self.record = NULL;
    if (node == NULL || node->make(node, class_name, bytes, &self) != TC_OK)
        return;
    self.message = payload;
    self.message_bytes = payload_size;
    body(&self);
    if ((self.flags & TC_OBJECT_FAILED) == 0 &&
        tc_reply(&self.object, sizeof self.object) == TC_OK)
        self.flags &= ~TC_OBJECT_NEW;
}

#ifdef __cplusplus
}
#endif
#endif
