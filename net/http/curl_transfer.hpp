#pragma once

#include <array>
#include <chrono>
#include <string>
#include <utility>

#include <curl/curl.h>

#include "net/destination/address_check.hpp"
#include "net/http/curl_handle.hpp"
#include "net/http/curl_headers.hpp"
#include "net/http/http_client.hpp"
#include "net/http/received_response.hpp"
#include "net/http/resending.hpp"
#include "net/http/trust_store.hpp"

namespace waybill::net {

/// One request and its answer on a reusable libcurl handle. Used on the client's thread only.
class CurlTransfer {
 public:
  /// Its methods are called for each socket that the handle opens or closes, before any other use of it.
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
    bool only_connects = false;  // the transfers open connections, and send nothing
  };

  explicit CurlTransfer(const Shared& shared);
  CurlTransfer(const CurlTransfer&) = delete;
  CurlTransfer& operator=(const CurlTransfer&) = delete;

  CURL* easy() const { return handle_.get(); }

  /// True if the address of each new connection is checked. Guarded and unguarded transfers must not share
  /// connections.
  bool guarded() const { return addresses_.is_guarded(); }

  /// True if the transfer opens a connection and sends nothing.
  bool only_connects() const { return shared_.only_connects; }
  /// Keeps the connection's socket when libcurl ends the transfer. Call it before the handle is removed.
  void keep_socket();
  /// The socket that was kept, which is the caller's from now on; -1 if there is none.
  int take_socket() { return std::exchange(kept_socket_, -1); }

  /// Prepares the handle to be added. Returns false if the request cannot be sent; `refused` gives the
  /// answer.
  bool prepare(HttpRequest request, HttpClient::Done done);

  /// True if the other side closed the reused connection at the moment of the request. The transfer must then
  /// be added again, once, and opens a new connection.
  bool must_resend(CURLcode code);

  /// The answer of a transfer that libcurl ended with `code`.
  HttpResponse finish(CURLcode code);
  HttpResponse refused();
  HttpResponse cancelled();

  HttpClient::Done take_done() { return std::move(done_); }

  bool active = false;  // added to a multi handle

 private:
  HttpResponse failure(HttpFailure failure, std::string error);
  HttpFailure classify(CURLcode code) const;
  void set_times(HttpResponse& response) const;
  curl_socket_t on_open_socket(const curl_sockaddr& address);
  int on_request();

  static std::size_t header_callback(char* data, std::size_t size, std::size_t count, void* received);
  static std::size_t write_callback(char* data, std::size_t size, std::size_t count, void* received);
  static curl_socket_t open_socket_callback(void* self, curlsocktype purpose, curl_sockaddr* address);
  static int close_socket_callback(void* observer, curl_socket_t socket);
  static int close_unless_kept_callback(void* self, curl_socket_t socket);
  static int request_callback(void* self, char* ip, char* local_ip, int port, int local_port);
  static CURLcode ssl_context_callback(CURL* easy, void* context, void* trust);

  const Shared& shared_;
  std::array<char, CURL_ERROR_SIZE> error_text_{};
  HttpRequest request_;
  HttpClient::Done done_;
  CurlHeaders headers_;
  ReceivedResponse received_;
  Resending resending_;
  AddressCheck addresses_;
  Time started_at_;
  std::chrono::steady_clock::time_point started_;
  int kept_socket_ = -1;
  CurlHandle handle_;  // refers to other members, so it is destroyed before them
};

}  // namespace waybill::net
