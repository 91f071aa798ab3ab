#pragma once

#include <cstddef>
#include <string_view>

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/optional.hpp>

#include "api/http/request_parser.hpp"

namespace waybill::api {

/// The received bytes of one connection and the parser of its current request: find the head, parse it, parse
/// the body, continue with the next request. The head stays in place until then, as the views of its request
/// point into it; the part of the body that arrives after it goes through a buffer of its own. Sizes are
/// bytes. Does not read from the socket; one thread.
class RequestInput {
 public:
  // The room for one read into each of the buffers.
  static constexpr std::size_t head_read_size = 4'096;
  static constexpr std::size_t body_read_size = 32'768;
  // Between requests, an empty buffer with more room is given back.
  static constexpr std::size_t kept_capacity = 2 * head_read_size;

  enum class Head { incomplete, complete, refused };

  /// `most_head_bytes` is the limit of a request line with its headers.
  explicit RequestInput(std::size_t most_head_bytes);

  /// Takes the bytes that are received before the head is complete.
  boost::beast::flat_buffer& head_buffer() { return in_; }
  /// Takes those that are received while the body is parsed.
  boost::beast::flat_buffer& body_buffer() { return body_in_; }

  /// True if no byte of the next request has arrived.
  bool empty() const { return in_.size() == 0; }
  /// Looks for the end of the head, after empty lines. It is refused if it is malformed or beyond the limit.
  Head find_head();
  /// Parses the head that was found. False if it is malformed.
  bool parse_head();
  /// The head that was found.
  std::string_view head() const { return received().substr(0, head_size_); }
  /// The parser of the current request, from `parse_head` on.
  RequestParser& parser() { return *parser_; }
  const RequestParser& parser() const { return *parser_; }

  bool body_is_complete() const { return parser_->is_done(); }
  /// True if bytes have arrived after the head.
  bool has_more_than_head() const { return size_after_head() > 0; }
  /// The bytes that have arrived after the head.
  std::size_t size_after_head() const { return in_.size() - head_size_; }
  /// Parses the part of the body that has arrived with the head. True if more is needed: then fill
  /// `body_buffer` and call `parse_more_body`. False if the body is complete or malformed.
  bool parse_received_body();
  /// Parses the bytes of `body_buffer`; the result is that of `parse_received_body`.
  bool parse_more_body();

  /// True if bytes have arrived after the body, which is complete.
  bool has_next() const { return in_.size() > head_size_ + body_used_ || body_in_.size() > 0; }
  /// Drops the request; the bytes after its body are the beginning of the next one.
  void go_on();
  /// Drops all that `head_buffer` has; no request follows.
  void drop();

 private:
  std::string_view received() const;
  bool needs_more(const RequestParser::ErrorCode& error) const;

  const std::size_t most_head_bytes_;
  boost::beast::flat_buffer in_;
  boost::beast::flat_buffer body_in_;
  std::size_t scanned_ = 0;
  std::size_t head_size_ = 0;
  std::size_t body_used_ = 0;              // bytes of the body taken out of in_, after the head
  boost::optional<RequestParser> parser_;  // one for each request
};

}  // namespace waybill::api
