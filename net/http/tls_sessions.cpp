#include "net/http/tls_sessions.hpp"

#include <arpa/inet.h>
#include <array>
#include <new>

#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

namespace waybill::net {
namespace {

constexpr std::array<unsigned char, 12> protocols{2, 'h', '2', 8, 'h', 't', 't', 'p', '/', '1', '.', '1'};

bool is_address(const std::string& name) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return inet_pton(AF_INET, name.c_str(), bytes.data()) == 1 ||
         inet_pton(AF_INET6, name.c_str(), bytes.data()) == 1;
}

void require(bool succeeded) {
  if (!succeeded) throw std::bad_alloc();
}

}  // namespace

void SslFree::operator()(SSL* ssl) const { SSL_free(ssl); }
void SslFree::operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
void SslFree::operator()(SSL_SESSION* session) const { SSL_SESSION_free(session); }

TlsSessions::TlsSessions(const TrustStore& trust) : context_(SSL_CTX_new(TLS_client_method())) {
  require(context_ != nullptr);
  SSL_CTX* const context = context_.get();
  trust.apply_to(context);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  require(SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
          SSL_CTX_set_alpn_protos(context, protocols.data(), protocols.size()) == 0);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_read_ahead(context, 1);  // one system call for a record instead of two
}

Ssl TlsSessions::open(int socket, const std::string& name, const std::string& key, Moment now) {
  Ssl ssl(SSL_new(context_.get()));
  require(ssl != nullptr && SSL_set_fd(ssl.get(), socket) == 1);
  // The names of a certificate have no final dot, unlike an absolute name.
  const std::string checked = name.ends_with('.') ? name.substr(0, name.size() - 1) : name;
  if (is_address(checked)) {
    require(X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl.get()), checked.c_str()) == 1);
  } else {
    SSL_set_hostflags(ssl.get(), X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    require(SSL_set1_host(ssl.get(), checked.c_str()) == 1 &&
            SSL_set_tlsext_host_name(ssl.get(), checked.c_str()) == 1);
  }
  SSL_set_connect_state(ssl.get());
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return ssl;
  if (now - found->second->verified_at > max_age) {
    forget(key);
  } else {
    SSL_set_session(ssl.get(), found->second->session.get());
    kept_.splice(kept_.end(), kept_, found->second);
  }
  return ssl;
}

void TlsSessions::keep(const std::string& key, SSL* connection, Moment now) {
  std::unique_ptr<SSL_SESSION, SslFree> session(SSL_get1_session(connection));
  if (session == nullptr || SSL_SESSION_is_resumable(session.get()) == 0) return;
  const auto found = by_key_.find(key);
  if (found != by_key_.end()) {
    // A resumed session is as old as the one that verified the certificate.
    if (SSL_session_reused(connection) == 0) found->second->verified_at = now;
    found->second->session = std::move(session);
    kept_.splice(kept_.end(), kept_, found->second);
    return;
  }
  if (SSL_session_reused(connection) != 0) return;  // its origin is forgotten, and its age unknown
  if (kept_.size() >= max_kept) forget(std::string(kept_.front().key));
  kept_.push_back({.key = key, .session = std::move(session), .verified_at = now});
  by_key_.emplace(key, std::prev(kept_.end()));
}

void TlsSessions::forget(const std::string& key) {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return;
  kept_.erase(found->second);
  by_key_.erase(found);
}

}  // namespace waybill::net
