#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "net/http/http2_session.hpp"

namespace {

using waybill::net::Http1Target;
using waybill::net::Http2Session;

constexpr std::size_t read_limit = 64;

}  // namespace

// The first byte says in which pieces the rest arrives as bytes of the server. Two requests are open.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto target = std::make_shared<Http1Target>(
      Http1Target{.authority = "a:443", .host = "a", .name = "a", .target = "/", .is_secure = true});
  Http2Session session("fuzz");
  Http2Session::Exchange exchanges[2];
  for (auto& exchange : exchanges) {
    exchange.target = target;
    exchange.request.body = "{}";
    exchange.request.read_limit = exchange.request.keep_limit = read_limit;
    if (session.send(exchange) != Http2Session::Begun::yes) std::abort();
  }
  std::string out;
  session.write(out, SIZE_MAX);
  std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::size_t ended = 0;
  bool is_sound = true;
  while (!bytes.empty() && is_sound) {
    const auto piece = bytes.substr(0, 1 + *data);
    bytes.remove_prefix(piece.size());
    is_sound = session.take(piece);
    out.clear();
    session.write(out, SIZE_MAX);
    for (const auto& end : session.take_ended()) {
      ++ended;
      const bool is_answer = end.end == Http2Session::End::answered || end.end == Http2Session::End::cut;
      if (is_answer && (end.exchange->status < 200 || end.exchange->status > 999)) std::abort();
      if (end.exchange->received.take().body.size() > read_limit) std::abort();
    }
  }
  if (ended + session.open_exchanges() != 2) std::abort();
  return 0;
}
