#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <boost/beast/http/basic_parser.hpp>

#include "api/http/message.hpp"

namespace waybill::api {

/// The end of a request's head, found before the parser runs, so that the head is parsed once and as a whole.
struct HeadScan {
  enum class State { incomplete, complete, malformed };
  State state = State::incomplete;
  std::size_t size = 0;  // size of the head with its empty line, if complete
};

/// Scans the lines of `received`: each must end in CRLF (a bare CR or LF is malformed) and none may be folded
/// (RFC 9112 sections 2.2 and 5.2). `from` is the position at which an earlier scan of the same bytes
/// stopped, and is updated.
HeadScan scan_head(std::string_view received, std::size_t& from);

/// One request. Beast parses the syntax; this class keeps the fields that the API needs and refuses ambiguous
/// requests (RFC 9112 sections 3.2 and 6.1): repeated Host, Content-Length, Authorization…; any
/// Transfer-Encoding but a single "chunked"; both that and a length. Trailers are dropped.
class RequestParser : public boost::beast::http::basic_parser<true> {
 public:
  using ErrorCode = boost::beast::error_code;

  RequestParser();

  const Request& request() const { return request_; }
  bool is_http_1_0() const { return version_ == 10; }
  bool expects_continue() const { return expects_continue_; }
  bool is_head() const { return request_.method == "HEAD"; }

  /// From now on the bytes of the body are appended to `body`, at most `limit`; nullptr drops them.
  void keep_body(std::string* body, std::size_t limit);
  bool body_is_too_large() const { return too_large_; }
  /// The bytes of the body that were parsed, kept or dropped.
  std::size_t body_bytes() const { return body_bytes_; }

 private:
  using string_view = boost::beast::string_view;
  using field = boost::beast::http::field;
  using verb = boost::beast::http::verb;

  void on_request_impl(verb method, string_view method_text, string_view target, int version,
                       ErrorCode& error) override;
  void on_response_impl(int status, string_view reason, int version, ErrorCode& error) override;
  void on_field_impl(field name, string_view text, string_view value, ErrorCode& error) override;
  void on_header_impl(ErrorCode& error) override;
  void on_body_init_impl(const boost::optional<std::uint64_t>& length, ErrorCode& error) override;
  std::size_t on_body_impl(string_view bytes, ErrorCode& error) override;
  void on_chunk_header_impl(std::uint64_t size, string_view extensions, ErrorCode& error) override;
  std::size_t on_chunk_body_impl(std::uint64_t remain, string_view bytes, ErrorCode& error) override;
  void on_finish_impl(ErrorCode& error) override;

  std::string_view* place_of(field name, string_view text);

  Request request_;
  std::string_view host_, content_length_, transfer_encoding_;
  std::string* body_ = nullptr;
  std::size_t limit_ = 0;
  std::size_t body_bytes_ = 0;
  int version_ = 11;
  bool head_done_ = false;
  bool expects_continue_ = false;
  bool too_large_ = false;
};

}  // namespace waybill::api
