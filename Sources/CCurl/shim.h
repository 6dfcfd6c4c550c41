#pragma once
#include <curl/curl.h>

// curl_easy_setopt and curl_easy_getinfo are variadic, and Swift imports no variadic function.

static inline CURLcode gatewayd_curl_set_long(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode gatewayd_curl_set_text(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode gatewayd_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode gatewayd_curl_set_sink(
    CURL *handle, size_t (*sink)(char *, size_t, size_t, void *), void *context) {
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, sink);
  return curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
}

static inline long gatewayd_curl_get_long(CURL *handle, CURLINFO info) {
  long value = 0;
  curl_easy_getinfo(handle, info, &value);
  return value;
}
