#include "api/http/request_parser.hpp"

#include <cstring>

#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>

#include "base/utf8.hpp"

namespace waybill::api {
namespace {

namespace http = boost::beast::http;

std::string_view std_view(boost::beast::string_view text) { return {text.data(), text.size()}; }

// Its data() is not null, unlike that of a field that was not sent.
constexpr std::string_view given_but_empty("");  // NOLINT(readability-redundant-string-init)

}  // namespace

HeadScan scan_head(std::string_view received, std::size_t& from) {
  while (from < received.size()) {
    const auto* const line_feed =
        static_cast<const char*>(std::memchr(received.data() + from, '\n', received.size() - from));
    if (!line_feed) break;
    const auto at = static_cast<std::size_t>(line_feed - received.data());
    if (at == 0 || received[at - 1] != '\r') return {.state = HeadScan::State::malformed};
    if (at >= 3 && received[at - 2] == '\n') return {.state = HeadScan::State::complete, .size = at + 1};
    // The first character of the next line shows if it is folded.
    if (at + 1 == received.size()) break;
    if (received[at + 1] == ' ' || received[at + 1] == '\t') return {.state = HeadScan::State::malformed};
    from = at + 1;
  }
  return {};
}

RequestParser::RequestParser() {
  body_limit(boost::none);
  header_limit(UINT32_MAX);  // the connection limits the head before it is parsed
}

void RequestParser::keep_body(std::string* body, std::size_t limit) {
  body_ = body;
  limit_ = limit;
}

void RequestParser::on_request_impl(verb, string_view method_text, string_view target, int version,
                                    ErrorCode& error) {
  request_.method = std_view(method_text);
  request_.target = std_view(target);
  version_ = version;
  if (!is_utf8(request_.target)) error = http::error::bad_target;
}

void RequestParser::on_response_impl(int, string_view, int, ErrorCode& error) {
  error = http::error::bad_method;
}

std::string_view* RequestParser::place_of(field name, string_view text) {
  switch (name) {
    case field::host:
      return &host_;
    case field::content_length:
      return &content_length_;
    case field::transfer_encoding:
      return &transfer_encoding_;
    case field::authorization:
      return &request_.authorization;
    case field::content_type:
      return &request_.content_type;
    case field::content_encoding:
      return &request_.content_encoding;
    case field::origin:
      return &request_.origin;
    case field::unknown:
      if (boost::beast::iequals(text, "X-Request-Id")) return &request_.request_id;
      if (boost::beast::iequals(text, "Idempotency-Key")) return &request_.idempotency_key;
      if (boost::beast::iequals(text, "X-Commit-Position")) return &request_.commit_position;
      return nullptr;
    default:
      return nullptr;
  }
}

void RequestParser::on_field_impl(field name, string_view text, string_view value, ErrorCode& error) {
  if (head_done_) return;
  if (name == field::expect) {
    expects_continue_ = boost::beast::iequals(value, "100-continue");
    return;
  }
  if (name == field::unknown && boost::beast::iequals(text, "X-Forwarded-For")) {
    request_.forwarded_for = std_view(value);  // proxies may add lines; the last is from the nearest
    return;
  }
  auto* const place = place_of(name, text);
  if (!place) return;
  if (place->data() != nullptr) {
    error = http::error::bad_field;
    return;
  }
  *place = value.empty() ? given_but_empty : std_view(value);
}

void RequestParser::on_header_impl(ErrorCode& error) {
  head_done_ = true;
  const bool has_encoding = transfer_encoding_.data() != nullptr;
  const bool is_chunked = boost::beast::iequals(transfer_encoding_, "chunked");
  if (version_ >= 11 && host_.data() == nullptr) {
    error = http::error::bad_field;
  } else if (has_encoding && (!is_chunked || content_length_.data() != nullptr || version_ == 10)) {
    error = http::error::bad_transfer_encoding;
  } else if (request_.target.empty()) {
    error = http::error::bad_target;
  }
}

void RequestParser::on_body_init_impl(const boost::optional<std::uint64_t>&, ErrorCode&) {}

std::size_t RequestParser::on_body_impl(string_view bytes, ErrorCode& error) {
  if (body_) {
    if (bytes.size() > limit_ - body_->size()) {
      too_large_ = true;
      error = http::error::body_limit;
      return 0;
    }
    body_->append(bytes.data(), bytes.size());
  }
  body_bytes_ += bytes.size();
  return bytes.size();
}

void RequestParser::on_chunk_header_impl(std::uint64_t, string_view, ErrorCode&) {}

std::size_t RequestParser::on_chunk_body_impl(std::uint64_t, string_view bytes, ErrorCode& error) {
  return on_body_impl(bytes, error);
}

void RequestParser::on_finish_impl(ErrorCode&) {}

}  // namespace waybill::api
