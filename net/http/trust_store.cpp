#include "net/http/trust_store.hpp"

#include <stdexcept>

#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

namespace waybill::net {

TrustStore::TrustStore(const std::string& ca_file) : store_(X509_STORE_new()) {
  if (store_ == nullptr) throw std::bad_alloc();
  // A trusted intermediate certificate ends the chain, as in libcurl.
  X509_STORE_set_flags(store_, X509_V_FLAG_TRUSTED_FIRST | X509_V_FLAG_PARTIAL_CHAIN);
  X509_STORE_set_default_paths(store_);
  if (!ca_file.empty() && X509_STORE_load_file(store_, ca_file.c_str()) != 1) {
    X509_STORE_free(store_);
    throw std::runtime_error("cannot read the CA certificates of " + ca_file);
  }
}

TrustStore::~TrustStore() { X509_STORE_free(store_); }

void TrustStore::apply_to(SSL_CTX* context) const { SSL_CTX_set1_cert_store(context, store_); }

}  // namespace waybill::net
