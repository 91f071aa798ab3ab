#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

#include "net/http/http_client.hpp"

namespace waybill::net {

/// The error of an answer whose headers exceed their limit.
inline constexpr const char* headers_too_large = "The headers of the answer exceed 64 KiB.";

/// Collects the answer to one request, as lines (HTTP/1.1) or as fields (HTTP/2), and limits its headers (64
/// KiB) and its body. Used for one request after another. Pure. One thread.
class ReceivedResponse {
 public:
  /// Forgets the previous answer. At most `keep_limit` bytes of the body are kept, and the body is cut after
  /// `read_limit` bytes.
  void begin(std::size_t read_limit, std::size_t keep_limit);

  /// Takes a header line, a status line or the line of a trailer. Returns false if the headers exceed their
  /// limit; the transfer must then end.
  bool add_line(std::string_view line);

  /// Begins the fields of an answer; those of an interim one (1xx) are dropped. Returns false if the headers
  /// exceed their limit, to which each head counts; the transfer must then end.
  bool begin_head();
  /// Takes a field, whose name is in lower case. Returns false if the headers exceed their limit; the
  /// transfer must then end.
  bool add_header(std::string_view name, std::string_view value);
  /// The fields that follow are trailers.
  void end_head() { head_is_over_ = true; }

  /// Takes a piece of the body. Returns false if the body exceeds its limit; the transfer must then end.
  bool add_body(std::string_view piece);

  bool has_begun() const { return header_bytes_ > 0; }
  bool headers_are_too_large() const { return headers_are_too_large_; }
  bool body_is_cut() const { return body_is_cut_; }

  /// The headers and the body. Call it once.
  HttpResponse take() { return std::move(response_); }

 private:
  bool count_header(std::size_t bytes);
  void keep_header(std::string name, std::string_view value);

  HttpResponse response_;  // only its headers and body
  std::size_t read_limit_ = 0;
  std::size_t kept_ = 0;  // the most bytes of the body in response_
  std::size_t header_bytes_ = 0;
  std::size_t body_bytes_ = 0;
  bool head_is_over_ = false;
  bool headers_are_too_large_ = false;
  bool body_is_cut_ = false;
};

}  // namespace waybill::net
