#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "net/http/response_parser.hpp"

namespace {

using waybill::net::HttpResponse;
using waybill::net::ReceivedResponse;
using waybill::net::ResponseParser;
using State = ResponseParser::State;

constexpr std::size_t read_limit = 64;

struct Result {
  State state = State::incomplete;
  int status = 0;
  bool keeps_connection = false;
  HttpResponse response;
};

Result parse(std::string_view bytes, std::size_t piece, bool answers_head) {
  ReceivedResponse received;
  received.begin(read_limit, read_limit);
  ResponseParser parser;
  parser.begin(received, answers_head);
  Result result;
  while (!bytes.empty() && result.state == State::incomplete) {
    const auto part = bytes.substr(0, piece);
    bytes.remove_prefix(part.size());
    result.state = parser.take(part);
  }
  if (result.state == State::incomplete) result.state = parser.end();
  result.status = parser.status();
  result.keeps_connection = parser.keeps_connection() && bytes.empty();
  result.response = received.take();
  return result;
}

}  // namespace

// The first byte says in which pieces the rest arrives. The answer must not depend on it, and keeps its
// limits.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const bool answers_head = (*data & 1U) != 0;
  const std::size_t piece = 1 + *data / 2U;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Result whole = parse(bytes, SIZE_MAX, answers_head);
  const Result pieces = parse(bytes, piece, answers_head);
  if (whole.state == State::incomplete || whole.state != pieces.state) std::abort();
  if (whole.response.body.size() > read_limit) std::abort();
  if (whole.state == State::malformed) return 0;
  if (whole.status < 200 || whole.status > 999 || whole.status != pieces.status) std::abort();
  if (whole.response.body != pieces.response.body || whole.response.headers != pieces.response.headers)
    std::abort();
  if (whole.state != State::complete && whole.keeps_connection) std::abort();
  return 0;
}
