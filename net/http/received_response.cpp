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
  headers_are_too_large_ = false;
  body_is_cut_ = false;
}

bool ReceivedResponse::add_line(std::string_view line) {
  header_bytes_ += line.size();
  headers_are_too_large_ = header_bytes_ > max_header_bytes;
  if (headers_are_too_large_) return false;
  if (line.starts_with("HTTP/")) {  // the final answer after a 1xx
    response_.headers.clear();
    return true;
  }
  const std::size_t colon = line.find(':');
  // Trailers (RFC 9110 section 6.5) follow the body and are not headers.
  if (colon == std::string_view::npos || body_bytes_ > 0) return true;
  if (response_.headers.capacity() == 0) response_.headers.reserve(8);
  response_.headers.emplace_back(ascii_lower(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
  return true;
}

bool ReceivedResponse::add_body(std::string_view piece) {
  if (response_.body.size() < kept_) response_.body += piece.substr(0, kept_ - response_.body.size());
  body_bytes_ += piece.size();
  body_is_cut_ = body_bytes_ > read_limit_;
  return !body_is_cut_;
}

}  // namespace waybill::net
