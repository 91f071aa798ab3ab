#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>

#include "base/error.hpp"
#include "base/guid.hpp"

namespace waybill::api {

namespace asio = boost::asio;

/// The parts of a request's head that the API uses. Fields that were not sent are empty. The views are valid
/// until `Responder::respond` returns.
struct Request {
  std::string_view method;
  std::string_view target;  // never empty; valid UTF-8
  std::string_view authorization;
  std::string_view content_type;
  std::string_view content_encoding;
  std::string_view idempotency_key;
  std::string_view commit_position;
  std::string_view origin;
  std::string_view request_id;
  std::string_view forwarded_for;  // the last X-Forwarded-For
  std::string_view peer;           // the client's network address, without the port
  std::string_view head;           // the request line and all fields, as received
};

/// The value of a field of a request's head without the white space around it; the first if there are
/// several, nullopt if there is none.
std::optional<std::string_view> find_field(std::string_view head, std::string_view lower_case_name);

/// Thrown by `RequestBody::read` if the client has closed the connection.
class Disconnected : public std::exception {
 public:
  const char* what() const noexcept override { return "the client closed the connection"; }
};

/// The body of a request. No part of it is read, and no 100 (Continue) sent, before `read` is called.
class RequestBody {
 public:
  virtual ~RequestBody() = default;
  /// False when the request has none or an empty one.
  virtual bool present() const = 0;
  /// Takes the size that a body will have, as far as known, and the part that has arrived. Called before the
  /// reading if there is a Content-Length, and after each part. An exception ends the reading.
  using Sized = std::function<void(std::size_t expected, std::size_t arrived)>;

  /// Reads all of it. Throws Failure: PAYLOAD_TOO_LARGE beyond `limit` bytes, VALIDATION_ERROR for malformed
  /// chunks; and what `sized` throws. Call once.
  /// The sizes, extensions and trailers of chunks have `limit` bytes of their own.
  virtual asio::awaitable<std::string> read(std::size_t limit, const Sized& sized) = 0;
  /// True if `read` had to wait for the client.
  virtual bool was_awaited() const = 0;
};

/// A response; the server adds Date, Content-Length and Connection. The body is `before`, `body` and
/// `after`, so that an envelope costs no copy, and a file of the program none at all.
struct Response {
  int status = 200;
  std::string_view content_type = "application/json";
  std::string_view before;  // lives as long as the process
  std::string body;
  std::string after;
  std::string headers;              // complete lines with their CRLF
  Guid business = {};               // the client's; nil for one without
  std::shared_ptr<void> held = {};  // counts `body`; released once the client has taken the response

  std::size_t body_size() const { return before.size() + body.size() + after.size(); }
  void add_header(std::string_view name, std::string_view value);
  void add_header(std::string_view name, std::int64_t value);
  /// Adds names to the field Vary. There is one, because some clients read only the first of several.
  void add_vary(std::string_view names);
};

/// The client of a connection's last request.
struct Client {
  std::string_view peer;           // as in Request
  std::string_view forwarded_for;  // as in Request; empty once the request is gone
  Guid business;                   // nil for a client without one
};

/// Answers requests. One for each io thread, called on that thread only, for many requests at a time.
class Responder {
 public:
  virtual ~Responder() = default;
  /// Fills `response`, also after an error. Throws Disconnected only. An exception closes the connection.
  virtual asio::awaitable<void> respond(const Request& request, RequestBody& body, Response& response) = 0;
  /// Fills the response to input that is not an HTTP request, or to a connection over the limit.
  virtual void refuse(const Failure& failure, Response& response) = 0;
  /// Counts bytes that wait in memory until the client takes them, for as long as the result lives. Null if
  /// the client may not keep so many; the connection is then closed. Without an implementation, nothing
  /// counts.
  virtual std::shared_ptr<void> hold(const Client& client, std::size_t bytes);
};

/// The parts of a response that depend on its connection.
struct ResponseFrame {
  std::string_view date;  // the Date header's value
  bool keep_alive = true;
  bool http_1_0 = false;
  bool head_only = false;  // the answer to HEAD: the length of the body without the body
};

/// Appends the status line and the headers in the format of HTTP/1.1 (RFC 9112) to `out`.
void append_head(std::string& out, const Response& response, const ResponseFrame& frame);
/// Appends the head, and the body unless the frame leaves it out.
void append_response(std::string& out, const Response& response, const ResponseFrame& frame);

/// IMF-fixdate (RFC 9110 section 5.6.7) of Unix seconds.
std::string http_date(std::int64_t unix_seconds);

}  // namespace waybill::api
