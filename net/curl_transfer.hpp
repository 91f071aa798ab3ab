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

/// One request and its answer on a libcurl handle that is used again and again: only options that differ from
/// the request before are set. Belongs to the client's thread.
class CurlTransfer {
 public:
  /// Told of each socket the handle opens or closes, before anything else is done with it.
  class SocketObserver {
   public:
    virtual void socket_opened(curl_socket_t socket) = 0;
    virtual void socket_closed(curl_socket_t socket) = 0;

   protected:
    ~SocketObserver() = default;
  };

  /// What all transfers of a client share; must outlive them and their connections.
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

  /// Whether the address of each new connection is checked. Guarded and unguarded transfers must not share
  /// connections.
  bool guarded() const { return request_.guarded && !shared_.allow_private; }

  /// Makes the handle ready to be added. False: the request cannot be sent as it stands, `refused` tells why.
  bool prepare(HttpRequest request, HttpClient::Done done);

  /// Whether it fell to a reused connection that the other side closed at that moment, so that it is to be
  /// added again, once, for a connection of its own. libcurl by itself would send the request on one kept
  /// connection after the other.
  bool lost_race(CURLcode code);

  /// The answer after libcurl ended with `code`.
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

  // The header list libcurl reads, in memory of our own: nodes into one text.
  std::string header_text_;
  std::vector<std::size_t> header_starts_;
  std::vector<curl_slist> header_nodes_;

  // What the handle is set to.
  std::string url_;
  std::string method_;
  bool posts_ = false;
  Duration connect_timeout_{};
  Duration total_timeout_{};

  std::size_t header_bytes_ = 0;
  std::size_t body_bytes_ = 0;
  int sent_ = 0;            // how often the request began to be sent
  bool held_back_ = false;  // from another kept connection
  bool body_cut_ = false;
  bool headers_too_large_ = false;
  bool address_refused_ = false;
  bool address_tried_ = false;
};

}  // namespace waybill::net
