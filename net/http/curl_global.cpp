#include "net/http/curl_global.hpp"

#include <csignal>
#include <stdexcept>

#include <curl/curl.h>

namespace waybill::net {

void initialise_curl() {
  static const CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (code != CURLE_OK) throw std::runtime_error(curl_easy_strerror(code));
}

void block_sigpipe() {
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
}

}  // namespace waybill::net
