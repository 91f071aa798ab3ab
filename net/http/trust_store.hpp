#pragma once

#include <memory>
#include <string>

#include <openssl/types.h>

namespace waybill::net {

/// The CA certificates for outgoing TLS: the system's and those of a file, read once and shared by all
/// connections (libcurl would read the system's whole bundle for each). Immutable; any thread.
class TrustStore {
 public:
  /// `ca_file` (PEM) may be empty. Throws std::runtime_error, which names the file, if it cannot be read.
  explicit TrustStore(const std::string& ca_file);
  ~TrustStore();
  TrustStore(const TrustStore&) = delete;
  TrustStore& operator=(const TrustStore&) = delete;

  /// Makes `context` verify against this store.
  void apply_to(SSL_CTX* context) const;

 private:
  X509_STORE* store_;
};

}  // namespace waybill::net
