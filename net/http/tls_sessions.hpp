#pragma once

#include <chrono>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>

#include <openssl/ssl.h>

#include "net/http/trust_store.hpp"

namespace waybill::net {

struct SslFree {
  void operator()(SSL* ssl) const;
  void operator()(SSL_CTX* context) const;
  void operator()(SSL_SESSION* session) const;
};
using Ssl = std::unique_ptr<SSL, SslFree>;

/// Prepares the TLS of outgoing connections: TLS 1.2 at least, no renegotiation, certificates of
/// `TrustStore`, the protocols h2 and HTTP/1.1 to choose from. Keeps the last session of each host, so that
/// its next connection needs no certificate. One thread.
class TlsSessions {
 public:
  using Moment = std::chrono::steady_clock::time_point;

  static constexpr std::size_t max_kept = 1024;
  /// The time after which a certificate is verified again, although a session could be resumed.
  static constexpr auto max_age = std::chrono::hours(1);

  /// `trust` must outlive the connections. Throws std::bad_alloc.
  explicit TlsSessions(const TrustStore& trust);

  /// Prepares a connection whose certificate must be for `name`, a host name or an IP address without
  /// brackets. Resumes the session that is kept under `key`. Throws std::bad_alloc.
  Ssl open(int socket, const std::string& name, const std::string& key, Moment now);

  /// Keeps the session of a sound connection that is about to be closed. Forgets the longest unused session
  /// if there are too many.
  void keep(const std::string& key, SSL* connection, Moment now);
  /// Makes the next connection verify the certificate.
  void forget(const std::string& key);

 private:
  struct Kept {
    std::string key;
    std::unique_ptr<SSL_SESSION, SslFree> session;
    Moment verified_at;
  };

  std::unique_ptr<SSL_CTX, SslFree> context_;
  std::list<Kept> kept_;  // the longest unused one first
  std::unordered_map<std::string, std::list<Kept>::iterator> by_key_;
};

}  // namespace waybill::net
