#pragma once

#include <memory>
#include <string>

#include <openssl/types.h>

namespace waybill::net {

/// The CA certificates for outgoing TLS: the system's and those of a file, read once and shared by all
/// connections (libcurl would read the system's whole bundle for each). Stores of the same file share them as
/// long as one of them exists, because reading the bundle takes 15 ms. Immutable; any thread.
class TrustStore {
 public:
  /// `ca_file` (PEM) may be empty. Throws std::runtime_error, which names the file, if it cannot be read. A
  /// file that has changed is read again.
  explicit TrustStore(const std::string& ca_file);

  /// Makes `context` verify against this store.
  void apply_to(SSL_CTX* context) const;

 private:
  std::shared_ptr<X509_STORE> store_;
};

}  // namespace waybill::net
