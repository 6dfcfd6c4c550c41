#pragma once
#include <microhttpd.h>

// libmicrohttpd's calls that matter most are variadic, and Swift imports no variadic function.

/// Starts a daemon on a socket that already listens; the daemon closes it when it stops. NULL on failure.
static inline struct MHD_Daemon *gatewayd_mhd_start(
    int listening_socket, unsigned int connection_limit, unsigned int timeout_seconds, size_t connection_memory,
    size_t stack_bytes, MHD_AccessHandlerCallback handler, void *context, MHD_RequestCompletedCallback completed,
    MHD_NotifyConnectionCallback noticed) {
  return MHD_start_daemon(
      MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_POLL | MHD_USE_ITC, 0, NULL, NULL,
      handler, context, MHD_OPTION_LISTEN_SOCKET, listening_socket, MHD_OPTION_CONNECTION_LIMIT, connection_limit,
      MHD_OPTION_CONNECTION_TIMEOUT, timeout_seconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT, connection_memory,
      MHD_OPTION_THREAD_STACK_SIZE, stack_bytes, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_NOTIFY_COMPLETED,
      completed, NULL, MHD_OPTION_NOTIFY_CONNECTION, noticed, context, MHD_OPTION_END);
}

/// What the connection was given when it began.
static inline void *gatewayd_mhd_socket_context(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? info->socket_context : NULL;
}

/// Seconds without a byte after which this one connection ends.
static inline void gatewayd_mhd_set_timeout(struct MHD_Connection *connection, unsigned int seconds) {
  MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, seconds);
}

/// The connection's socket, or -1.
static inline int gatewayd_mhd_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? (int)info->connect_fd : -1;
}
