#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <openssl/types.h>

#include "base/thread/mutex.hpp"

namespace waybill::tests {

/// An HTTP/1.1 server on a free port of 127.0.0.1 whose handler sets the response, including invalid ones.
/// One thread for each connection; the destructor joins all of them at any time.
class RawServer {
 public:
  struct Request {
    std::string method;
    std::string target;
    std::map<std::string, std::string> headers;  // names in lower case
    std::string body;
    int connection = 0;  // counted from 1
  };
  struct Reply {
    enum class Then {
      keep,
      close,
      reset,
      hang,
      trickle
    };  // trickle: a byte every 10 ms until the client closes
    std::string bytes;
    Then then = Then::keep;
  };
  using Handler = std::function<Reply(const Request&)>;

  /// A self-signed certificate and its key, in memory.
  class Certificate {
   public:
    explicit Certificate(const char* names = "IP:127.0.0.1,DNS:localhost");
    ~Certificate();
    Certificate(const Certificate&) = delete;
    Certificate& operator=(const Certificate&) = delete;
    std::string pem() const;
    std::string key_pem() const;

   private:
    friend class RawServer;
    EVP_PKEY* key_;
    X509* certificate_;
  };

  /// Speaks TLS with the given certificate. Chooses the protocol `alpn` of those that a client offers, if it
  /// is given.
  explicit RawServer(Handler handler, const Certificate* certificate = nullptr, std::string alpn = {});
  ~RawServer();
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;

  int port() const { return port_; }
  std::string url(std::string_view path = "/", std::string_view host = "127.0.0.1") const;
  int connections() const { return connections_; }
  /// The number of connections that resumed the TLS session of an earlier one.
  int resumed() const { return resumed_; }

  /// A complete response with its Content-Length.
  static Reply answer(int status, std::string_view body = "", std::string_view more_headers = "");

 private:
  class Connection;
  static int choose_protocol(SSL* tls, const unsigned char** chosen, unsigned char* size,
                             const unsigned char* offered, unsigned offered_size, void* server);
  void accept_all();

  Handler handler_;
  const std::string alpn_;
  SSL_CTX* tls_ = nullptr;
  int listener_;
  int port_ = 0;
  std::atomic<int> connections_ = 0;
  std::atomic<int> resumed_ = 0;
  Mutex mutex_;
  std::vector<int> sockets_ GUARDED_BY(mutex_);
  std::vector<std::thread> connected_;  // used by the accepting thread only
  std::thread accepting_;
};

}  // namespace waybill::tests
