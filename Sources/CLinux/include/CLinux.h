#pragma once
/// What Swift cannot see of Linux through Glibc: calls behind _GNU_SOURCE, variadics and macros.
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>

// The socket headers stay out of here: Swift would take Glibc's types for this module's.

/// accept4(2) with SOCK_NONBLOCK and SOCK_CLOEXEC. `peer` is a sockaddr_storage; `length` is in and out.
int linux_accept(int listener, void *peer, uint32_t *length);
/// socket(2) for a stream, nonblocking and close-on-exec.
int linux_stream_socket(int family);
/// The uid at the other end of a Unix socket (SO_PEERCRED).
int linux_peer_uid(int descriptor, uint32_t *uid);
/// Sets O_NONBLOCK and FD_CLOEXEC on a descriptor that somebody else made.
int linux_make_nonblocking(int descriptor);
/// Names the calling thread; the kernel keeps 15 characters.
void linux_name_thread(const char *name);
/// Gives freed heap pages back to the kernel; many closed connections leave a fragmented heap behind.
void linux_trim_heap(void);
/// Bytes that the heap's blocks take, their headers included (mallinfo2(3)).
uint64_t linux_heap_bytes(void);
/// Blocks SIGPIPE for the calling thread, so that a write to a closed socket is EPIPE and no signal.
void linux_block_sigpipe(void);
