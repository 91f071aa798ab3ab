#pragma once

#include <string>

#include <curl/curl.h>

#include "net/http/http_client.hpp"

namespace waybill::net {

/// A libcurl handle that sends one request after another. Sets only the options that differ from those of the
/// previous request. One thread.
class CurlHandle {
 public:
  /// Throws std::bad_alloc.
  CurlHandle();
  /// Calls the callbacks of the handle for the last time.
  ~CurlHandle();
  CurlHandle(const CurlHandle&) = delete;
  CurlHandle& operator=(const CurlHandle&) = delete;

  CURL* get() const { return easy_; }

  /// Sets the options of a request. `headers` and the body of `request` are not copied and must exist until
  /// the transfer ends. Returns false if libcurl refuses the URL; the handle must then not be used for this
  /// request.
  bool set_request(const HttpRequest& request, curl_slist* headers);

  /// Makes the request open a new connection.
  void use_fresh_connection() { curl_easy_setopt(easy_, CURLOPT_FRESH_CONNECT, 1L); }

  /// True if the request was sent on a connection of an earlier one.
  bool uses_kept_connection() const;

 private:
  bool set_url(const std::string& url);
  void set_method(const HttpRequest& request);

  CURL* easy_;
  // The options that the handle has now.
  std::string url_;
  std::string method_;
  bool posts_ = false;
  Duration connect_timeout_{};
  Duration total_timeout_{};
};

}  // namespace waybill::net
