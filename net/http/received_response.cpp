#include "net/http/received_response.hpp"

#include <algorithm>

#include "base/ascii.hpp"

namespace waybill::net {
namespace {

constexpr std::size_t max_header_bytes = 64UL * 1024;

}  // namespace

void ReceivedResponse::begin(std::size_t read_limit, std::size_t keep_limit) {
  response_ = {};
  read_limit_ = read_limit;
  kept_ = std::min(keep_limit, read_limit);
  header_bytes_ = 0;
  body_bytes_ = 0;
  head_is_over_ = false;
  headers_are_too_large_ = false;
  body_is_cut_ = false;
}

bool ReceivedResponse::count_header(std::size_t bytes) {
  header_bytes_ += bytes;
  headers_are_too_large_ = header_bytes_ > max_header_bytes;
  return !headers_are_too_large_;
}

void ReceivedResponse::keep_header(std::string name, std::string_view value) {
  if (response_.headers.capacity() == 0) response_.headers.reserve(8);
  response_.headers.emplace_back(std::move(name), trimmed(value));
}

bool ReceivedResponse::add_line(std::string_view line) {
  if (!count_header(line.size())) return false;
  if (line.starts_with("HTTP/")) {  // the final answer after a 1xx
    response_.headers.clear();
    return true;
  }
  const std::size_t colon = line.find(':');
  // Trailers (RFC 9110 section 6.5) follow the body and are not headers.
  if (colon == std::string_view::npos || body_bytes_ > 0) return true;
  keep_header(ascii_lower(line.substr(0, colon)), line.substr(colon + 1));
  return true;
}

bool ReceivedResponse::begin_head() {
  constexpr std::size_t status_line = 12;  // in HTTP/1.1, without a reason
  response_.headers.clear();
  head_is_over_ = false;
  return count_header(status_line);
}

bool ReceivedResponse::add_header(std::string_view name, std::string_view value) {
  constexpr std::size_t separators = 4;  // a colon, a blank and the end of the line in HTTP/1.1
  if (!count_header(name.size() + value.size() + separators)) return false;
  if (!head_is_over_) keep_header(std::string(name), value);
  return true;
}

bool ReceivedResponse::add_body(std::string_view piece) {
  if (response_.body.size() < kept_) response_.body += piece.substr(0, kept_ - response_.body.size());
  body_bytes_ += piece.size();
  body_is_cut_ = body_bytes_ > read_limit_;
  return !body_is_cut_;
}

}  // namespace waybill::net
