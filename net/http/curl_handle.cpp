#include "net/http/curl_handle.hpp"

#include <algorithm>
#include <chrono>
#include <new>

namespace waybill::net {
namespace {

long to_ms(Duration duration) {
  return std::max<long>(1, std::chrono::duration_cast<std::chrono::milliseconds>(duration).count());
}

}  // namespace

CurlHandle::CurlHandle() : easy_(curl_easy_init()) {
  if (easy_ == nullptr) throw std::bad_alloc();
}

CurlHandle::~CurlHandle() { curl_easy_cleanup(easy_); }

bool CurlHandle::set_request(const HttpRequest& request, curl_slist* headers) {
  if (!set_url(request.url)) return false;
  set_method(request);
  curl_easy_setopt(easy_, CURLOPT_FRESH_CONNECT, request.fresh_connection ? 1L : 0L);
  curl_easy_setopt(easy_, CURLOPT_HTTPHEADER, headers);
  if (connect_timeout_ != request.connect_timeout) {
    connect_timeout_ = request.connect_timeout;
    curl_easy_setopt(easy_, CURLOPT_CONNECTTIMEOUT_MS, to_ms(connect_timeout_));
  }
  if (total_timeout_ != request.total_timeout) {
    total_timeout_ = request.total_timeout;
    curl_easy_setopt(easy_, CURLOPT_TIMEOUT_MS, to_ms(total_timeout_));
  }
  return true;
}

bool CurlHandle::set_url(const std::string& url) {
  if (url_ == url) return true;
  url_ = url;
  if (curl_easy_setopt(easy_, CURLOPT_URL, url_.c_str()) != CURLE_OK) return false;
  // The requests of a burst to a new HTTP/2 server wait for the first connection instead of opening one
  // each.
  curl_easy_setopt(easy_, CURLOPT_PIPEWAIT, url_.starts_with("https:") ? 1L : 0L);
  return true;
}

void CurlHandle::set_method(const HttpRequest& request) {
  const std::string& method = request.method;
  const bool posts = method == "POST" || !request.body.empty();
  if (method_ != method || posts_ != posts) {
    const bool heads = !posts && method == "HEAD";
    curl_easy_setopt(easy_, CURLOPT_NOBODY, heads ? 1L : 0L);
    if (!posts && !heads) curl_easy_setopt(easy_, CURLOPT_HTTPGET, 1L);
    const bool implied = heads || method == (posts ? "POST" : "GET");
    curl_easy_setopt(easy_, CURLOPT_CUSTOMREQUEST, implied ? nullptr : method.c_str());
    method_ = method;
    posts_ = posts;
  }
  if (posts) {
    curl_easy_setopt(easy_, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    curl_easy_setopt(easy_, CURLOPT_POSTFIELDS, request.body.data());  // not copied
  }
}

bool CurlHandle::uses_kept_connection() const {
  long new_connections = 0;
  curl_easy_getinfo(easy_, CURLINFO_NUM_CONNECTS, &new_connections);
  return new_connections == 0;
}

}  // namespace waybill::net
