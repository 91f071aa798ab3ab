#include "tests/net/raw_server.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <csignal>
#include <netinet/in.h>
#include <optional>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>

#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "base/number.hpp"

namespace waybill::tests {

RawServer::Certificate::Certificate(const char* names) : key_(EVP_EC_gen("P-256")), certificate_(X509_new()) {
  X509_set_version(certificate_, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate_), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate_), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate_), 3600);
  X509_NAME* const name = X509_get_subject_name(certificate_);
  const std::string common_name = "test server";
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(common_name.data()),
                             static_cast<int>(common_name.size()), -1, 0);
  X509_set_issuer_name(certificate_, name);
  X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, names);
  X509_add_ext(certificate_, extension, -1);
  X509_EXTENSION_free(extension);
  X509_set_pubkey(certificate_, key_);
  if (X509_sign(certificate_, key_, EVP_sha256()) == 0) throw std::runtime_error("cannot sign a certificate");
}

RawServer::Certificate::~Certificate() {
  X509_free(certificate_);
  EVP_PKEY_free(key_);
}

namespace {

std::string written(auto write) {
  BIO* const memory = BIO_new(BIO_s_mem());
  write(memory);
  char* data = nullptr;
  const long size = BIO_get_mem_data(memory, &data);
  std::string text(data, static_cast<std::size_t>(size));
  BIO_free(memory);
  return text;
}

}  // namespace

std::string RawServer::Certificate::pem() const {
  return written([this](BIO* out) { PEM_write_bio_X509(out, certificate_); });
}

std::string RawServer::Certificate::key_pem() const {
  return written(
      [this](BIO* out) { PEM_write_bio_PrivateKey(out, key_, nullptr, nullptr, 0, nullptr, nullptr); });
}

class RawServer::Connection {
 public:
  Connection(int socket, SSL_CTX* tls) : socket_(socket), tls_(tls == nullptr ? nullptr : SSL_new(tls)) {
    if (tls_ == nullptr) return;
    SSL_set_fd(tls_, socket_);
    ready_ = SSL_accept(tls_) == 1;
  }
  ~Connection() { SSL_free(tls_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool is_resumed() const { return tls_ != nullptr && SSL_session_reused(tls_) == 1; }

  void serve(const Handler& handler, int number) {
    while (ready_) {
      auto request = read_request();
      if (!request) return;
      request->connection = number;
      const Reply reply = handler(*request);
      if (!write_all(reply.bytes) || !finish(reply.then)) return;
    }
  }

 private:
  bool read_more() {
    std::array<char, 16384> piece{};
    const auto got = tls_ == nullptr ? recv(socket_, piece.data(), piece.size(), 0)
                                     : SSL_read(tls_, piece.data(), static_cast<int>(piece.size()));
    if (got <= 0) return false;
    buffer_.append(piece.data(), static_cast<std::size_t>(got));
    return true;
  }

  bool write_all(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto sent = tls_ == nullptr ? send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL)
                                        : SSL_write(tls_, bytes.data(), static_cast<int>(bytes.size()));
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  std::optional<Request> read_request() {
    std::size_t head_end = 0;
    while ((head_end = buffer_.find("\r\n\r\n")) == std::string::npos) {
      if (!read_more()) return std::nullopt;
    }
    Request request;
    const std::string head = buffer_.substr(0, head_end + 2);
    std::size_t at = head.find("\r\n");
    const std::string line = head.substr(0, at);
    request.method = line.substr(0, line.find(' '));
    request.target = line.substr(request.method.size() + 1, line.rfind(' ') - request.method.size() - 1);
    for (at += 2; at < head.size(); at = head.find("\r\n", at) + 2) {
      const std::size_t colon = head.find(':', at);
      std::string name = head.substr(at, colon - at);
      std::ranges::transform(name, name.begin(),
                             [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      const std::size_t value = head.find_first_not_of(' ', colon + 1);
      request.headers[name] = head.substr(value, head.find("\r\n", at) - value);
    }
    std::size_t length = 0;
    if (const auto found = request.headers.find("content-length"); found != request.headers.end()) {
      length = parse_number<std::size_t>(found->second).value_or(0);
    }
    while (buffer_.size() < head_end + 4 + length) {
      if (!read_more()) return std::nullopt;
    }
    request.body = buffer_.substr(head_end + 4, length);
    buffer_.erase(0, head_end + 4 + length);
    return request;
  }

  // False if the connection must be closed.
  bool finish(Reply::Then then) {
    switch (then) {
      case Reply::Then::keep:
        return true;
      case Reply::Then::close:
        return false;
      case Reply::Then::reset: {
        const linger at_once{.l_onoff = 1, .l_linger = 0};
        setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        return false;
      }
      case Reply::Then::hang:
        wait_for_end(-1);
        return false;
      case Reply::Then::trickle:
        while (!wait_for_end(10) && write_all("x")) {
        }
        return false;
    }
    return false;
  }

  // True if the client closed or the server stopped within the time.
  bool wait_for_end(int timeout_ms) const {
    pollfd end{.fd = socket_, .events = POLLRDHUP, .revents = 0};
    return poll(&end, 1, timeout_ms) > 0;
  }

  int socket_;
  SSL* tls_;
  bool ready_ = true;
  std::string buffer_;
};

RawServer::RawServer(Handler handler, const Certificate* certificate, std::string alpn)
    : handler_(std::move(handler)),
      alpn_(std::move(alpn)),
      listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  if (certificate != nullptr) {
    signal(SIGPIPE, SIG_IGN);  // NOLINT(cert-err33-c): OpenSSL writes without MSG_NOSIGNAL
    tls_ = SSL_CTX_new(TLS_server_method());
    SSL_CTX_use_certificate(tls_, certificate->certificate_);
    SSL_CTX_use_PrivateKey(tls_, certificate->key_);
    if (!alpn_.empty()) SSL_CTX_set_alpn_select_cb(tls_, &choose_protocol, this);
  }
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener_, generic, size) != 0 || listen(listener_, 256) != 0 ||
      getsockname(listener_, generic, &size) != 0) {
    throw std::runtime_error("cannot listen");
  }
  port_ = ntohs(address.sin_port);
  accepting_ = std::thread([this] { accept_all(); });
}

RawServer::~RawServer() {
  shutdown(listener_, SHUT_RDWR);
  accepting_.join();
  {
    const Lock lock(mutex_);
    for (const int socket : sockets_) shutdown(socket, SHUT_RDWR);
  }
  for (std::thread& thread : connected_) thread.join();
  close(listener_);
  SSL_CTX_free(tls_);
}

std::string RawServer::url(std::string_view path, std::string_view host) const {
  return std::string(tls_ == nullptr ? "http" : "https") + "://" + std::string(host) + ':' +
         std::to_string(port_) + std::string(path);
}

RawServer::Reply RawServer::answer(int status, std::string_view body, std::string_view more_headers) {
  return {"HTTP/1.1 " + std::to_string(status) + " Status\r\n" + std::string(more_headers) +
          "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body)};
}

int RawServer::choose_protocol(SSL* /*tls*/, const unsigned char** chosen, unsigned char* size,
                               const unsigned char* offered, unsigned offered_size, void* server) {
  const std::string& wanted = static_cast<const RawServer*>(server)->alpn_;
  for (unsigned at = 0; at < offered_size; at += offered[at] + 1U) {
    if (std::string_view(reinterpret_cast<const char*>(offered + at + 1), offered[at]) != wanted) continue;
    *chosen = offered + at + 1;
    *size = offered[at];
    return SSL_TLSEXT_ERR_OK;
  }
  return SSL_TLSEXT_ERR_NOACK;
}

void RawServer::accept_all() {
  while (true) {
    const int socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) return;
    const int number = ++connections_;
    {
      const Lock lock(mutex_);
      sockets_.push_back(socket);
    }
    connected_.emplace_back([this, socket, number] {
      {
        Connection connection(socket, tls_);
        resumed_ += connection.is_resumed() ? 1 : 0;
        connection.serve(handler_, number);
      }
      const Lock lock(mutex_);
      std::erase(sockets_, socket);
      close(socket);
    });
  }
}

}  // namespace waybill::tests
