#ifndef ALLOCATIONS_H
#define ALLOCATIONS_H

/// Counts how often each thread of a program asks the heap for memory. A program that links this has its own malloc,
/// calloc, realloc and their like, which count and then call the C library's; also what the Swift runtime and the other
/// libraries ask for goes through them.

/// How often the calling thread has asked so far.
unsigned long allocations_of_this_thread(void);

/// How often the thread with that number (gettid(2)) has asked so far; 0 if it never has.
unsigned long allocations_of_thread(int thread);

#endif
