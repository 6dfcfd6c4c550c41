#pragma once
/// What Swift cannot see of Linux through Glibc: calls behind _GNU_SOURCE, variadics and macros.
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/types.h>

/// accept4(2) with SOCK_NONBLOCK and SOCK_CLOEXEC; `length` is in and out.
int linux_accept(int listener, struct sockaddr_storage *peer, socklen_t *length);
/// socket(2) for a stream, nonblocking and close-on-exec.
int linux_stream_socket(int family);
/// The uid at the other end of a Unix socket (SO_PEERCRED).
int linux_peer_uid(int descriptor, uid_t *uid);
/// Sets O_NONBLOCK and FD_CLOEXEC on a descriptor that somebody else made.
int linux_make_nonblocking(int descriptor);
/// Names the calling thread; the kernel keeps 15 characters.
void linux_name_thread(const char *name);
/// Gives freed heap pages back to the kernel; many closed connections leave a fragmented heap behind.
void linux_trim_heap(void);
/// Blocks SIGPIPE for the calling thread, so that a write to a closed socket is EPIPE and no signal.
void linux_block_sigpipe(void);
