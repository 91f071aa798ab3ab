#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "net/http/tls_sessions.hpp"

namespace waybill::net {

/// The bytes of a connection, as they are or through TLS. Never waits: what cannot be done at once is
/// `blocked`. Owns the socket. One thread, which must block SIGPIPE.
class Stream {
 public:
  enum class State {
    ready,
    blocked_reading,  // until the socket can be read
    blocked_writing,  // until the socket can be written
    ended,            // by the other side, after its last byte
    broken,           // `error` says why
  };
  struct Moved {
    State state = State::ready;
    std::size_t bytes = 0;
  };

  explicit Stream(int socket) : socket_(socket) {}
  /// Ends TLS and closes the socket.
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  int socket() const { return socket_; }

  /// Takes the TLS that `shake_hands` then begins.
  void use_tls(Ssl ssl) { ssl_ = std::move(ssl); }
  /// Continues the beginning of TLS. `broken` has an error about TLS.
  State shake_hands();
  /// True if the server chose HTTP/2.
  bool speaks_http2() const;
  /// The TLS of a connection whose session may be resumed later; null if there is none.
  SSL* sound_tls() const { return is_sound_ ? ssl_.get() : nullptr; }

  /// Sends some bytes of `head` and `body`, from the byte `from` of both.
  Moved send(std::string_view head, std::string_view body, std::size_t from);
  /// Receives at least one byte, or none.
  Moved receive(std::span<char> buffer);
  /// True if received bytes wait in this object, so the socket does not report them.
  bool has_unread() const;
  /// True if the connection is open and nothing of an answer has arrived.
  bool is_quiet();

  const std::string& error() const { return error_; }

 private:
  Moved send_plain(std::string_view head, std::string_view body, std::size_t from);
  Moved failed(int result, std::string_view what);

  const int socket_;
  Ssl ssl_;                // null without TLS
  bool is_sound_ = false;  // TLS has begun and is not broken
  std::string error_;
};

}  // namespace waybill::net
