#include "api/http/connection.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <tuple>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/buffer_traits.hpp>
#include <boost/beast/core/buffers_suffix.hpp>

namespace waybill::api {
namespace {

constexpr auto awaiting = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t write_ahead = 65'536;    // bytes of answers to pipelined requests, written together
constexpr std::size_t copied_body = 16'384;    // a body of this size or more is written from where it lies
constexpr std::size_t kept_capacity = 16'384;  // capacity of the output buffer between requests
constexpr std::size_t uncounted = 4'096;       // fewer bytes that wait for the client do not count
// Bytes of an answer that the kernel takes before they can be sent. Without a limit, it takes megabytes from
// each connection whose client read fast once.
constexpr int unsent_bytes = 65'536;
constexpr std::size_t dropped_body = 65'536;  // a longer unread body ends the connection
constexpr std::size_t lingering_bytes = 16'777'216;
// The time that a new connection has to send its first request while the server stops. A load balancer that
// connects for a request sends it at once; without this time, the connection would close under it.
constexpr std::chrono::milliseconds first_request_grace{250};
constexpr std::string_view continue_line = "HTTP/1.1 100 Continue\r\n\r\n";

/// True if much of the text's memory is unused.
bool is_wasteful(const std::string& text) { return text.capacity() - text.size() > text.size() / 4; }

Failure malformed_request() {
  return {ErrorCode::validation_error, "The request is not well-formed HTTP/1.1."};
}

Failure body_too_large(std::size_t limit) {
  return {ErrorCode::payload_too_large, "The body may have at most " + std::to_string(limit) + " bytes."};
}

Failure framing_too_large(std::size_t limit) {
  return {ErrorCode::payload_too_large, "The sizes and extensions of a body's chunks may have at most " +
                                            std::to_string(limit) + " bytes."};
}

/// The pending bytes and the body after them.
std::array<asio::const_buffer, 4> parts_of(const std::string& out, const Response& response) {
  return {asio::buffer(out), asio::buffer(response.before), asio::buffer(response.body),
          asio::buffer(response.after)};
}

}  // namespace

std::string address_text(const asio::ip::address& address) {
  const bool is_mapped = address.is_v6() && address.to_v6().is_v4_mapped();
  return is_mapped ? asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).to_string()
                   : address.to_string();
}

class Connection::Body : public RequestBody {
 public:
  explicit Body(Connection& connection) : connection_(connection) {}
  bool present() const override { return present_; }
  asio::awaitable<std::string> read(std::size_t limit, const Sized& sized) override {
    return connection_.read_body(limit, sized);
  }
  bool was_awaited() const override { return connection_.body_awaited_; }

 private:
  Connection& connection_;
  bool present_ = !connection_.input_.body_is_complete();
};

Connection::Connection(Socket socket, Host& host, const HttpLimits& limits)
    : socket_(std::move(socket)), host_(host), limits_(limits), input_(limits.head_bytes) {
  boost::system::error_code ignored;
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  ::setsockopt(socket_.native_handle(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent_bytes, sizeof unsent_bytes);
  socket_.non_blocking(true, ignored);
  peer_ = address_text(socket_.remote_endpoint(ignored).address());
}

void Connection::close_if_late(Steady::time_point now) {
  if (now >= deadline_) close();
}

void Connection::finish() {
  if (!awaits_request_) return;
  if (first_request_)
    deadline_ = std::min(deadline_, Steady::now() + first_request_grace);
  else
    close();
}

void Connection::close() {
  boost::system::error_code ignored;
  socket_.close(ignored);
}

asio::awaitable<void> Connection::serve() {
  while (co_await read_head() == Next::request) {
    if (!input_.parse_head()) {
      co_await refuse(malformed_request());
      co_return;
    }
    if (!co_await handle()) co_return;
  }
}

/// Reads until the input begins with a whole head. Writes pending answers before it waits for the client.
asio::awaitable<Connection::Next> Connection::read_head() {
  auto ends_at = Steady::now() + (first_request_ ? limits_.head_timeout : limits_.idle_timeout);
  bool begun = first_request_;
  for (;;) {
    const auto head = input_.find_head();
    if (head == RequestInput::Head::refused) {
      co_await refuse(malformed_request());
      co_return Next::closed;
    }
    if (head == RequestInput::Head::complete) co_return Next::request;
    if (!out_.empty() && !co_await flush()) co_return Next::closed;
    set_awaits_request(input_.empty());
    if (awaits_request_ && host_.stopping()) {
      if (!first_request_) co_return Next::closed;
      ends_at = std::min(ends_at, Steady::now() + first_request_grace);
    }
    if (!awaits_request_ && !begun) {
      begun = true;
      ends_at = Steady::now() + limits_.head_timeout;
    }
    if (!co_await read_more(input_.head_buffer(), RequestInput::head_read_size, ends_at))
      co_return Next::closed;
    set_awaits_request(false);
  }
}

void Connection::set_awaits_request(bool awaits) {
  if (awaits_request_ == awaits) return;
  awaits_request_ = awaits;
  awaits ? host_.begins_to_wait(*this) : host_.begins_to_work(*this);
}

/// False if the connection has to end.
asio::awaitable<bool> Connection::handle() {
  Response response;
  Body body(*this);
  RequestParser& parser = input_.parser();
  Request request = parser.request();
  request.peer = peer_;
  request.head = input_.head();
  client_ = {.peer = peer_, .forwarded_for = request.forwarded_for, .business = {}};
  bool broken = false;
  try {
    co_await host_.responder().respond(request, body, response);
  } catch (...) {
    broken = true;  // the client closed the connection, or the responder failed
  }
  if (broken || !socket_.is_open()) co_return false;
  const bool reusable = parser.keep_alive() && !host_.stopping() && rest_of_body_is_short();
  client_.business = response.business;
  const ResponseFrame frame{.date = host_.date(),
                            .keep_alive = reusable,
                            .http_1_0 = parser.is_http_1_0(),
                            .head_only = parser.is_head()};
  if (!frame.head_only && response.body_size() >= copied_body) {
    append_head(out_, response, frame);
    if (!co_await flush(&response)) co_return false;
  } else {
    append_response(out_, response, frame);
  }
  response.held.reset();
  std::string().swap(response.body);  // a slow client needs one copy; an assignment would keep the memory
  if (!reusable) {
    if (co_await flush()) co_await linger();
    co_return false;
  }
  if (!input_.body_is_complete()) {
    if (!co_await flush()) co_return false;
    parser.keep_body(nullptr, 0);
    if (!co_await feed_body({}) || !input_.body_is_complete()) co_return false;
  }
  // The answers to requests that have arrived together are written together.
  if ((out_.size() >= write_ahead || !input_.has_next()) && !co_await flush()) co_return false;
  end_request();
  co_return true;
}

asio::awaitable<std::string> Connection::read_body(std::size_t limit, const RequestBody::Sized& sized) {
  std::string body;
  if (input_.body_is_complete()) co_return body;
  RequestParser& parser = input_.parser();
  body_failed_ = true;
  const auto length = parser.content_length();
  if (length && *length > limit) throw body_too_large(limit);
  const std::function<void(std::size_t)> received = [&](std::size_t framing) {
    if (framing > limit) throw framing_too_large(limit);
    sized(length.value_or(body.size()), body.size());
  };
  if (length) {
    received(0);
    body.reserve(*length);
  }
  parser.keep_body(&body, limit);
  if (parser.expects_continue() && !parser.is_http_1_0() && !input_.has_more_than_head()) {
    out_.append(continue_line);
    if (!co_await flush()) throw Disconnected();
  }
  if (!co_await feed_body(received)) throw Disconnected();
  if (parser.body_is_too_large()) throw body_too_large(limit);
  if (!input_.body_is_complete()) throw malformed_request();
  body_failed_ = false;
  co_return body;
}

/// Reads and parses until the body ends or is malformed, and calls `received`, if it is set, after each part
/// with the bytes so far that are not of the body itself. Only its own bytes give it more time. False if the
/// client left or was too slow.
asio::awaitable<bool> Connection::feed_body(const std::function<void(std::size_t framing)>& received) {
  const auto began_at = Steady::now();
  const RequestParser& parser = input_.parser();
  auto& buffer = input_.body_buffer();
  std::size_t arrived = input_.size_after_head();
  bool unfinished = input_.parse_received_body();
  while (unfinished) {
    body_awaited_ = true;
    const auto ends_at =
        began_at + limits_.body_timeout + std::chrono::seconds(parser.body_bytes() / limits_.body_rate);
    const std::size_t unparsed = buffer.size();
    if (!co_await read_more(buffer, RequestInput::body_read_size, ends_at)) co_return false;
    arrived += buffer.size() - unparsed;
    unfinished = input_.parse_more_body();
    if (received) received(arrived - buffer.size() - parser.body_bytes());
  }
  co_return true;
}

/// True if the connection can be kept although the body was not read to its end.
bool Connection::rest_of_body_is_short() const {
  if (input_.body_is_complete()) return true;
  const auto left = input_.parser().content_length_remaining();
  return !body_failed_ && !input_.parser().expects_continue() && left && *left <= dropped_body;
}

void Connection::end_request() {
  input_.go_on();
  body_failed_ = body_awaited_ = false;
  first_request_ = false;
  client_.forwarded_for = {};
}

asio::awaitable<void> Connection::refuse(Failure failure) {
  Response response;
  host_.responder().refuse(failure, response);
  append_response(out_, response, {.date = host_.date(), .keep_alive = false});
  if (co_await flush()) co_await linger();
}

/// False if the client closed its side, or the deadline passed.
asio::awaitable<bool> Connection::read_more(boost::beast::flat_buffer& buffer, std::size_t size,
                                            Steady::time_point ends_at) {
  deadline_ = ends_at;
  if (!awaits_request_) host_.begins_to_stall(*this);
  const auto [error, count] = co_await socket_.async_read_some(buffer.prepare(size), awaiting);
  deadline_ = Steady::time_point::max();
  buffer.commit(count);
  if (!awaits_request_) host_.begins_to_work(*this);
  co_return !error;
}

/// Writes `out_`, and the body of `large` after it. False if the client is gone, or has not taken the bytes
/// in time, or if they may not wait for it.
asio::awaitable<bool> Connection::flush(Response* large) {
  if (out_.empty()) co_return true;
  boost::system::error_code error;
  const auto written = large == nullptr ? socket_.write_some(asio::buffer(out_), error)
                                        : socket_.write_some(parts_of(out_, *large), error);
  bool is_written = !error;
  const std::size_t size = out_.size() + (large == nullptr ? 0 : large->body_size());
  if (error == asio::error::would_block || (!error && written < size))
    is_written = co_await write_rest(large, written);
  out_.clear();
  if (out_.capacity() > kept_capacity) out_.shrink_to_fit();
  co_return is_written;
}

/// Continues what `flush` has begun, whenever the client takes some of it.
asio::awaitable<bool> Connection::write_rest(Response* large, std::size_t written) {
  static const Response none;
  if (large != nullptr && is_wasteful(large->body)) large->body.shrink_to_fit();
  std::size_t waiting = out_.size();
  if (large != nullptr && !large->held) waiting += large->body.size() + large->after.size();
  const auto held = waiting < uncounted ? nullptr : host_.responder().hold(client_, waiting);
  if (waiting >= uncounted && !held) co_return false;
  boost::beast::buffers_suffix rest(parts_of(out_, large == nullptr ? none : *large));
  rest.consume(written);
  deadline_ = Steady::now() + limits_.write_timeout;
  boost::system::error_code error;
  while (!error && boost::beast::buffer_bytes(rest) > 0) {
    host_.begins_to_stall(*this);
    std::size_t count = 0;
    std::tie(error, count) = co_await socket_.async_write_some(rest, awaiting);
    rest.consume(count);
  }
  host_.begins_to_work(*this);
  deadline_ = Steady::time_point::max();
  co_return !error;
}

/// Reads and drops input before closing. Otherwise the connection is reset, and the client may not receive
/// its answer (RFC 9112 section 9.6).
asio::awaitable<void> Connection::linger() {
  boost::system::error_code error;
  socket_.shutdown(Socket::shutdown_send, error);
  const auto ends_at = Steady::now() + limits_.linger_timeout;
  for (std::size_t dropped = 0; !error && dropped < lingering_bytes; dropped += input_.head_buffer().size()) {
    input_.drop();
    if (!co_await read_more(input_.head_buffer(), RequestInput::head_read_size, ends_at)) co_return;
  }
}

}  // namespace waybill::api
