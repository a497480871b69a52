/* The requests to thrower.cpp and picky.cpp, by the first letter. */
#ifndef THROWER_H
#define THROWER_H

#define THROWS_INSIDE 's'
#define THROWS_INT 'i'
#define THROWS_OUT_OF_RANGE 'o'
#define THROWS_OWN 'c'
#define THROWS_AGAIN 'r'
#define THROWS_UNNAMED 'u'
#define THROWS_NULL '0'
#define THROWS_AMBIGUOUS '2'
#define THROWS_AFTER_ANSWER 'a'
#define ALIVE '?' /* answers how many of its objects there are */

#define PICKY_SIZE 'z'
#define PICKY_INIT 'p'

#endif
