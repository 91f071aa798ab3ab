#include "net/http/response_parser.hpp"

#include <algorithm>

#include "base/ascii.hpp"
#include "base/number.hpp"

namespace waybill::net {
namespace {

constexpr std::size_t max_line_bytes = 64UL * 1024;
constexpr std::size_t max_trailer_bytes = 64UL * 1024;
constexpr std::size_t max_chunk_digits = 15;

/// Calls `take` for each entry of a list such as "close, upgrade" (RFC 9110 section 5.6.1).
template <typename Take>
void for_each_entry(std::string_view list, Take take) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    take(trimmed(list.substr(0, comma)));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
}

}  // namespace

void ResponseParser::begin(ReceivedResponse& received, bool answers_head) {
  received_ = &received;
  answers_head_ = answers_head;
  state_ = State::incomplete;
  part_ = Part::status_line;
  line_.clear();
  status_ = 0;
  keeps_connection_ = false;
  trailer_bytes_ = 0;
}

ResponseParser::State ResponseParser::take(std::string_view bytes) {
  while (!bytes.empty() && state_ == State::incomplete) {
    if (part_ == Part::body || part_ == Part::until_close || part_ == Part::chunk) {
      take_body(bytes);
      continue;
    }
    std::string_view line;
    if (!take_line(bytes, line)) break;
    on_line(line);
    line_.clear();
  }
  // Bytes that belong to no request: whatever they are, they must not become the answer to the next one.
  if (state_ == State::complete && !bytes.empty()) keeps_connection_ = false;
  return state_;
}

ResponseParser::State ResponseParser::end() {
  if (part_ == Part::until_close) {
    finish(State::complete);
    keeps_connection_ = false;
  } else {
    fail(received_->has_begun() ? "The connection was closed in the middle of the answer."
                                : "The connection was closed without an answer.");
  }
  return state_;
}

/// Returns false if the line is not complete. A line is valid until `line_` changes or `bytes` end.
bool ResponseParser::take_line(std::string_view& bytes, std::string_view& line) {
  const std::size_t end = bytes.find('\n');
  if (line_.size() + std::min(end, bytes.size()) > max_line_bytes) {
    fail(headers_too_large);
    return false;
  }
  if (end == std::string_view::npos) {
    line_ += bytes;
    bytes = {};
    return false;
  }
  if (line_.empty()) {
    line = bytes.substr(0, end);
  } else {
    line_ += bytes.substr(0, end);
    line = line_;
  }
  bytes.remove_prefix(end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return true;
}

void ResponseParser::take_body(std::string_view& bytes) {
  const bool is_bounded = part_ != Part::until_close;
  const std::size_t size = is_bounded ? std::min<std::uint64_t>(left_, bytes.size()) : bytes.size();
  const std::string_view piece = bytes.substr(0, size);
  bytes.remove_prefix(size);
  if (!received_->add_body(piece)) return finish(State::cut);
  if (!is_bounded) return;
  left_ -= size;
  if (left_ > 0) return;
  if (part_ == Part::chunk) {
    part_ = Part::chunk_end;
  } else {
    finish(State::complete);
  }
}

void ResponseParser::on_line(std::string_view line) {
  switch (part_) {
    case Part::status_line:
      return on_status_line(line);
    case Part::headers:
      return line.empty() ? on_end_of_headers() : on_header(line);
    case Part::chunk_size:
      return on_chunk_size(line);
    case Part::chunk_end:
      if (!line.empty()) return fail("A chunk of the answer is longer than its size says.");
      part_ = Part::chunk_size;
      return;
    case Part::trailers:
      return line.empty() ? finish(State::complete) : on_trailer(line);
    default:
      return;
  }
}

/// HTTP-version SP status-code [SP reason-phrase]
void ResponseParser::on_status_line(std::string_view line) {
  constexpr std::string_view version = "HTTP/1.";
  const bool is_status_line = line.size() >= 12 && line.starts_with(version) && is_digit(line[7]) &&
                              line[8] == ' ' && all_digits(line.substr(9, 3)) &&
                              (line.size() == 12 || line[12] == ' ');
  const int status = is_status_line ? parse_number<int>(line.substr(9, 3)).value_or(0) : 0;
  if (status < 100) return fail("The answer is not HTTP/1.");
  status_ = status;
  keeps_connection_ = line[7] != '0';
  has_length_ = has_coding_ = is_chunked_ = false;
  left_ = 0;
  if (!received_->add_line(line)) return fail(headers_too_large);
  part_ = Part::headers;
}

void ResponseParser::on_header(std::string_view line) {
  if (!received_->add_line(line)) return fail(headers_too_large);
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (equal_ignoring_case(name, "content-length")) {
    on_length(value);
  } else if (equal_ignoring_case(name, "connection")) {
    on_connection(value);
  } else if (equal_ignoring_case(name, "transfer-encoding")) {
    has_coding_ = true;
    // Only the last coding can be `chunked` (RFC 9112 section 6.1).
    for_each_entry(value,
                   [this](std::string_view coding) { is_chunked_ = equal_ignoring_case(coding, "chunked"); });
  }
}

void ResponseParser::on_length(std::string_view value) {
  const auto length = all_digits(value) ? parse_number<std::uint64_t>(value) : std::nullopt;
  if (!length || (has_length_ && *length != left_)) return fail("The answer has no valid Content-Length.");
  has_length_ = true;
  left_ = *length;
}

void ResponseParser::on_connection(std::string_view value) {
  for_each_entry(value, [this](std::string_view option) {
    if (equal_ignoring_case(option, "close")) keeps_connection_ = false;
    if (equal_ignoring_case(option, "keep-alive")) keeps_connection_ = true;
  });
}

/// The length of the body (RFC 9112 section 6.3).
void ResponseParser::on_end_of_headers() {
  const bool has_body = !answers_head_ && status_ != 204 && status_ != 304;
  const bool is_empty = has_length_ && !has_coding_ && left_ == 0;
  if (status_ == 101) return fail("The answer switches to another protocol.");
  if (status_ < 200) {
    part_ = Part::status_line;
  } else if (!has_body || is_empty) {
    finish(State::complete);
  } else if (is_chunked_) {
    if (has_length_) keeps_connection_ = false;
    part_ = Part::chunk_size;
  } else if (has_coding_ || !has_length_) {
    part_ = Part::until_close;
  } else {
    part_ = Part::body;
  }
}

/// chunk-size [chunk-ext]
void ResponseParser::on_chunk_size(std::string_view line) {
  std::size_t digits = 0;
  left_ = 0;
  while (digits < line.size() && hex_value(line[digits]) >= 0 && digits <= max_chunk_digits)
    left_ = left_ * 16 + static_cast<std::uint64_t>(hex_value(line[digits++]));
  const std::string_view rest = trimmed(line.substr(digits));
  if (digits == 0 || digits > max_chunk_digits || !(rest.empty() || rest.starts_with(';')))
    return fail("A chunk of the answer has no valid size.");
  part_ = left_ == 0 ? Part::trailers : Part::chunk;
}

void ResponseParser::on_trailer(std::string_view line) {
  trailer_bytes_ += line.size();
  if (trailer_bytes_ > max_trailer_bytes) fail("The trailers of the answer exceed 64 KiB.");
}

void ResponseParser::finish(State state) {
  state_ = state;
  part_ = Part::over;
  if (state != State::complete) keeps_connection_ = false;
}

void ResponseParser::fail(const char* problem) {
  problem_ = problem;
  finish(State::malformed);
}

}  // namespace waybill::net
