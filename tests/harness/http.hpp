#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "tests/harness/process.hpp"

namespace waybill::tests {

using Headers = std::vector<std::pair<std::string, std::string>>;

/// The value of a header, whose name is compared without case; "" if absent.
std::string header_value(const Headers& headers, std::string_view name);

/// An HTTP response; `status` is 0 if the connection ended or the deadline passed before it was complete.
struct Response {
  int status = 0;
  Headers headers;
  std::string text;
  json::value body;  // parsed from `text`; null if it is not JSON

  std::string header(std::string_view name) const { return header_value(headers, name); }
  /// `data` of the envelope; null if absent.
  const json::value& data() const;
  /// `error.code` of the envelope; "" if absent.
  std::string error_code() const;
  /// `error.details` of the envelope; {} if absent.
  json::object details() const;
};

/// The value at a dotted path, with numbers as array indexes ("items.0.price"); null if absent.
const json::value& at(const json::value& value, std::string_view path);
const json::value& at(const json::object& object, std::string_view path);
/// The text of a string at a dotted path; "" if absent.
std::string text_at(const json::value& value, std::string_view path);

/// A TCP connection with full control over the bytes sent. For one thread at a time.
class RawConnection {
 public:
  /// Throws std::runtime_error if the connection is refused.
  RawConnection(const std::string& host, int port);
  static bool can_connect(const std::string& host, int port);
  ~RawConnection();
  RawConnection(RawConnection&& other) noexcept;
  RawConnection& operator=(RawConnection&& other) noexcept;
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;

  /// False if the peer has closed or reset the connection.
  bool send(std::string_view bytes);
  /// Sends FIN; reading continues.
  void half_close();
  /// Closes with RST.
  void reset();
  /// Reads one complete response (Content-Length, chunked, or until close).
  Response read_response(Deadline deadline = default_deadline, bool head_only = false);
  /// Reads 100 (Continue), by which the server says that it waits for the body. False for anything else.
  bool read_continue(Deadline deadline = default_deadline);
  /// Reads all bytes until the peer closes or resets; nullopt if it has not at the deadline.
  std::optional<std::string> read_until_close(Deadline deadline = default_deadline);
  bool closed_by_peer(Deadline deadline = default_deadline) { return read_until_close(deadline).has_value(); }

 private:
  enum class More { data, closed, late };
  More fill(std::chrono::steady_clock::time_point until);
  std::optional<Response> read_head(std::chrono::steady_clock::time_point until);

  int socket_ = -1;
  std::string buffer_;
};

/// A blocking client of one server with one token. Keeps its connection alive, and reconnects if the server
/// closed it. For one thread at a time.
class Http {
 public:
  Http(std::string host, int port, std::string token = {});

  /// `body` may be any JSON value; null sends no body. Headers given here replace the default ones.
  Response request(std::string_view method, std::string_view path, const json::value& body = {},
                   const Headers& headers = {});
  /// Sends the body unchanged, with the caller's Content-Type (application/json by default).
  Response request_text(std::string_view method, std::string_view path, std::string_view body,
                        const Headers& headers = {});

  Response get(std::string_view path, const Headers& headers = {}) {
    return request("GET", path, {}, headers);
  }
  Response post(std::string_view path, const json::value& body = {}, const Headers& headers = {}) {
    return request("POST", path, body, headers);
  }
  Response put(std::string_view path, const json::value& body, const Headers& headers = {}) {
    return request("PUT", path, body, headers);
  }
  Response patch(std::string_view path, const json::value& body, const Headers& headers = {}) {
    return request("PATCH", path, body, headers);
  }
  Response del(std::string_view path, const Headers& headers = {}) {
    return request("DELETE", path, {}, headers);
  }

  /// A raw connection to the same server.
  RawConnection raw() const { return {host_, port_}; }
  /// Another client of the same server.
  Http with_token(std::string token) const { return {host_, port_, std::move(token)}; }
  const std::string& token() const { return token_; }
  const std::string& host() const { return host_; }
  int port() const { return port_; }

  void set_deadline(Deadline deadline) { deadline_ = deadline; }

 private:
  std::string host_;
  int port_;
  std::string token_;
  Deadline deadline_ = default_deadline;
  std::optional<RawConnection> connection_;
};

/// Encodes a string as the value of a query parameter.
std::string url_encode(std::string_view text);

}  // namespace waybill::tests
