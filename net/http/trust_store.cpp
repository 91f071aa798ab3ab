#include "net/http/trust_store.hpp"

#include <fstream>
#include <iterator>
#include <new>
#include <stdexcept>
#include <utility>

#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include "base/thread/mutex.hpp"

namespace waybill::net {
namespace {

std::shared_ptr<X509_STORE> read_store(const std::string& ca_file) {
  std::shared_ptr<X509_STORE> store(X509_STORE_new(), X509_STORE_free);
  if (store == nullptr) throw std::bad_alloc();
  // A trusted intermediate certificate ends the chain, as in libcurl.
  X509_STORE_set_flags(store.get(), X509_V_FLAG_TRUSTED_FIRST | X509_V_FLAG_PARTIAL_CHAIN);
  X509_STORE_set_default_paths(store.get());
  if (!ca_file.empty() && X509_STORE_load_file(store.get(), ca_file.c_str()) != 1)
    throw std::runtime_error("cannot read the CA certificates of " + ca_file);
  return store;
}

/// The store that was read last: all clients of a process have the same file.
class LastStore {
 public:
  std::shared_ptr<X509_STORE> of(const std::string& ca_file) {
    std::string text;
    if (!ca_file.empty()) {
      std::ifstream file(ca_file);
      text.assign(std::istreambuf_iterator<char>(file), {});
    }
    const Lock lock(mutex_);
    auto store = ca_file == ca_file_ && text == text_ ? store_.lock() : nullptr;
    if (store) return store;
    store = read_store(ca_file);
    ca_file_ = ca_file;
    text_ = std::move(text);
    store_ = store;
    return store;
  }

 private:
  Mutex mutex_;
  std::string ca_file_ GUARDED_BY(mutex_);
  std::string text_ GUARDED_BY(mutex_);
  std::weak_ptr<X509_STORE> store_ GUARDED_BY(mutex_);
};

std::shared_ptr<X509_STORE> shared_store(const std::string& ca_file) {
  static LastStore last;
  return last.of(ca_file);
}

}  // namespace

TrustStore::TrustStore(const std::string& ca_file) : store_(shared_store(ca_file)) {}

void TrustStore::apply_to(SSL_CTX* context) const { SSL_CTX_set1_cert_store(context, store_.get()); }

}  // namespace waybill::net
