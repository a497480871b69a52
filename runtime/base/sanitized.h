/* Whether a sanitizer watches the program. It has limits, memory and signals of its own. */
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

#endif
