/* Detects whether a sanitizer watches the program. Sanitizers have limits, memory and signals
 * of their own. */
#ifndef TCI_SANITIZED_H
#define TCI_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TCI_SANITIZED 1
#elif defined(__has_feature)
#define TCI_SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define TCI_SANITIZED 0
#endif

#if defined(__SANITIZE_THREAD__)
#define TCI_RACES_WATCHED 1
#elif defined(__has_feature)
#define TCI_RACES_WATCHED __has_feature(thread_sanitizer)
#else
#define TCI_RACES_WATCHED 0
#endif

/* TCI_RACE_BEFORE(a), then TCI_RACE_BEHIND(a) in another thread, declare an order that
 * ThreadSanitizer does not see by itself, such as that of a system call. TCI_RACES_ALLOWED and
 * _FORBIDDEN enclose reads that such an order allows, where it has no address. */
#if TCI_RACES_WATCHED
void __tsan_acquire(void *address);
void __tsan_release(void *address);
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
#define TCI_RACE_BEFORE(address) __tsan_release(address)
#define TCI_RACE_BEHIND(address) __tsan_acquire(address)
#define TCI_RACES_ALLOWED() AnnotateIgnoreReadsBegin(__FILE__, __LINE__)
#define TCI_RACES_FORBIDDEN() AnnotateIgnoreReadsEnd(__FILE__, __LINE__)
#else
#define TCI_RACE_BEFORE(address) ((void)(address))
#define TCI_RACE_BEHIND(address) ((void)(address))
#define TCI_RACES_ALLOWED() ((void)0)
#define TCI_RACES_FORBIDDEN() ((void)0)
#endif

#endif
