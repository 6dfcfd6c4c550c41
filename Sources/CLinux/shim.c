#define _GNU_SOURCE
#include "CLinux.h"

#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>

int linux_accept(int listener, void *peer, uint32_t *length) {
  return accept4(listener, peer, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int linux_stream_socket(int family) { return socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); }

int linux_peer_uid(int descriptor, uint32_t *uid) {
  struct ucred credentials;
  socklen_t length = sizeof credentials;
  int result = getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length);
  if (result == 0) *uid = credentials.uid;
  return result;
}

int linux_make_nonblocking(int descriptor) {
  int flags = fcntl(descriptor, F_GETFL);
  if (flags < 0 || fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) < 0) return -1;
  return fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

void linux_name_thread(const char *name) {
  char kept[16];
  snprintf(kept, sizeof kept, "%s", name);
  pthread_setname_np(pthread_self(), kept);
}

void linux_trim_heap(void) { malloc_trim(0); }

uint64_t linux_heap_bytes(void) {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

void linux_block_sigpipe(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
}
