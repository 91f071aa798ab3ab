#include "net/http/stream.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <sys/socket.h>
#include <sys/uio.h>
#include <system_error>
#include <unistd.h>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

namespace waybill::net {
namespace {

using State = Stream::State;

constexpr std::string_view broke = "The connection broke: ";
constexpr std::size_t record_bytes = SSL3_RT_MAX_PLAIN_LENGTH;

std::string text_of(int error) { return std::system_category().message(error); }

bool is_blocked(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

}  // namespace

Stream::~Stream() {
  // The other side learns that nothing is missing. Without room in the socket it does not.
  if (is_sound_) SSL_shutdown(ssl_.get());
  ssl_.reset();
  ERR_clear_error();
  ::close(socket_);
}

Stream::State Stream::shake_hands() {
  ERR_clear_error();
  const int result = SSL_connect(ssl_.get());
  is_sound_ = result == 1;
  if (is_sound_) return State::ready;
  const long verified = SSL_get_verify_result(ssl_.get());
  const State state = failed(result, "TLS failed: ").state;
  if (state == State::broken && verified != X509_V_OK)
    error_ = std::string("The certificate of the server is not accepted: ") +
             X509_verify_cert_error_string(verified) + '.';
  return state == State::ended ? State::broken : state;
}

bool Stream::speaks_http2() const {
  const unsigned char* name = nullptr;
  unsigned length = 0;
  SSL_get0_alpn_selected(ssl_.get(), &name, &length);
  return std::string_view(reinterpret_cast<const char*>(name), length) == "h2";
}

Stream::Moved Stream::send(std::string_view head, std::string_view body, std::size_t from) {
  if (ssl_ == nullptr) return send_plain(head, body, from);
  std::array<char, record_bytes> record;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled below
  std::string_view piece = from < head.size() ? head.substr(from) : body.substr(from - head.size());
  piece = piece.substr(0, record_bytes);
  if (from < head.size() && piece.size() < record_bytes && !body.empty()) {
    char* const end = std::ranges::copy(piece, record.begin()).out;
    const std::string_view rest = body.substr(0, record_bytes - piece.size());
    std::ranges::copy(rest, end);
    piece = {record.data(), piece.size() + rest.size()};
  }
  ERR_clear_error();
  const int sent = SSL_write(ssl_.get(), piece.data(), static_cast<int>(piece.size()));
  if (sent > 0) return {State::ready, static_cast<std::size_t>(sent)};
  return failed(sent, broke);
}

Stream::Moved Stream::send_plain(std::string_view head, std::string_view body, std::size_t from) {
  std::array<iovec, 2> vectors{};
  std::size_t count = 0;
  for (const std::string_view part : {head, body}) {
    const std::size_t skip = std::min(from, part.size());
    from -= skip;
    if (skip < part.size())
      vectors.at(count++) = {.iov_base = const_cast<char*>(part.data()) + skip,
                             .iov_len = part.size() - skip};
  }
  msghdr message{};
  message.msg_iov = vectors.data();
  message.msg_iovlen = count;
  const ssize_t sent = ::sendmsg(socket_, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent >= 0) return {State::ready, static_cast<std::size_t>(sent)};
  if (is_blocked(errno)) return {State::blocked_writing};
  error_ = std::string(broke) + text_of(errno);
  return {State::broken};
}

Stream::Moved Stream::receive(std::span<char> buffer) {
  if (ssl_ == nullptr) {
    const ssize_t got = ::recv(socket_, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got > 0) return {State::ready, static_cast<std::size_t>(got)};
    if (got == 0) return {State::ended};
    if (is_blocked(errno)) return {State::blocked_reading};
    error_ = std::string(broke) + text_of(errno);
    return {State::broken};
  }
  ERR_clear_error();
  const int got = SSL_read(ssl_.get(), buffer.data(), static_cast<int>(buffer.size()));
  if (got > 0) return {State::ready, static_cast<std::size_t>(got)};
  return failed(got, broke);
}

/// Reads the error of a call of OpenSSL. An end without a notice could be anybody's, so it breaks the
/// connection: an answer may be cut there.
Stream::Moved Stream::failed(int result, std::string_view what) {
  const int system_error = errno;
  switch (SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return {State::blocked_reading};
    case SSL_ERROR_WANT_WRITE:
      return {State::blocked_writing};
    case SSL_ERROR_ZERO_RETURN:
      error_ = std::string(what) + "the server closed it.";
      return {State::ended};
    default:
      break;
  }
  is_sound_ = false;
  const unsigned long code = ERR_get_error();
  const char* const reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  error_ = std::string(what) + (reason != nullptr   ? reason
                                : system_error != 0 ? text_of(system_error)
                                                    : "the server closed the connection");
  return {State::broken};
}

bool Stream::has_unread() const { return ssl_ != nullptr && SSL_has_pending(ssl_.get()) == 1; }

bool Stream::is_quiet() {
  char byte = 0;
  const ssize_t waiting = ::recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  const bool is_empty = waiting < 0 && is_blocked(errno);
  // The end of the socket is not shown to TLS, because it would void the session.
  if (ssl_ == nullptr || (waiting <= 0 && !has_unread())) return is_empty;
  // Session tickets and new keys do not belong to an answer.
  ERR_clear_error();
  const int got = SSL_peek(ssl_.get(), &byte, 1);
  return got <= 0 && failed(got, broke).state == State::blocked_reading;
}

}  // namespace waybill::net
