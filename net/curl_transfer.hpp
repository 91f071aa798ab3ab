#pragma once

#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <curl/curl.h>

#include "net/http_client.hpp"
#include "net/trust_store.hpp"

namespace waybill::net {

/// One request and its answer on a reusable libcurl handle: sets only the options that differ from the
/// previous request. Used on the client's thread only.
class CurlTransfer {
 public:
  /// Is called for each socket that the handle opens or closes, before any other use of it.
  class SocketObserver {
   public:
    virtual void socket_opened(curl_socket_t socket) = 0;
    virtual void socket_closed(curl_socket_t socket) = 0;

   protected:
    ~SocketObserver() = default;
  };

  /// Shared by all transfers of a client; must outlive them and their connections.
  struct Shared {
    std::string user_agent;
    bool allow_private = false;
    const TrustStore& trust;
    SocketObserver& sockets;
  };

  explicit CurlTransfer(const Shared& shared);
  ~CurlTransfer();
  CurlTransfer(const CurlTransfer&) = delete;
  CurlTransfer& operator=(const CurlTransfer&) = delete;

  CURL* easy() const { return easy_; }

  /// True if the address of each new connection is checked. Guarded and unguarded transfers must not share
  /// connections.
  bool guarded() const { return request_.guarded && !shared_.allow_private; }

  /// Prepares the handle to be added. Returns false if the request cannot be sent; `refused` gives the
  /// answer.
  bool prepare(HttpRequest request, HttpClient::Done done);

  /// True if the other side closed the reused connection at the moment of the request. The transfer must then
  /// be added again, once, and opens a new connection. (libcurl alone would try one kept connection after
  /// another.)
  bool lost_race(CURLcode code);

  /// The answer of a transfer that libcurl ended with `code`.
  HttpResponse finish(CURLcode code);
  HttpResponse refused();
  HttpResponse cancelled();

  HttpClient::Done take_done() { return std::move(done_); }

  bool active = false;  // added to a multi handle

 private:
  void set_method(const HttpRequest& request);
  bool build_headers(const HttpRequest& request);
  HttpResponse failure(HttpFailure failure, std::string error);
  HttpFailure classify(CURLcode code) const;
  std::size_t on_header(std::string_view line);
  std::size_t on_body(std::string_view piece);
  curl_socket_t on_open_socket(const curl_sockaddr& address);
  int on_request();
  bool uses_kept_connection() const;

  static std::size_t header_callback(char* data, std::size_t size, std::size_t count, void* self);
  static std::size_t write_callback(char* data, std::size_t size, std::size_t count, void* self);
  static curl_socket_t open_socket_callback(void* self, curlsocktype purpose, curl_sockaddr* address);
  static int close_socket_callback(void* observer, curl_socket_t socket);
  static int request_callback(void* self, char* ip, char* local_ip, int port, int local_port);
  static CURLcode ssl_context_callback(CURL* easy, void* context, void* trust);

  const Shared& shared_;
  CURL* easy_;
  std::array<char, CURL_ERROR_SIZE> error_text_{};

  HttpRequest request_;
  HttpClient::Done done_;
  HttpResponse response_;
  std::chrono::steady_clock::time_point started_;

  // The header list for libcurl: nodes that point into one text.
  std::string header_text_;
  std::vector<std::size_t> header_starts_;
  std::vector<curl_slist> header_nodes_;

  // The options that the handle has now.
  std::string url_;
  std::string method_;
  bool posts_ = false;
  Duration connect_timeout_{};
  Duration total_timeout_{};

  std::size_t header_bytes_ = 0;
  std::size_t body_bytes_ = 0;
  int sent_ = 0;            // number of times that sending began
  bool held_back_ = false;  // not sent on a second kept connection
  bool body_cut_ = false;
  bool headers_too_large_ = false;
  bool address_refused_ = false;
  bool address_tried_ = false;
};

}  // namespace waybill::net
