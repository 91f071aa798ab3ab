#include "api/gate/compression.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <utility>
#include <zlib.h>

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/number.hpp"

namespace waybill::api {
namespace {

std::string_view take(std::string_view& text, char end) {
  const auto at = text.find(end);
  const auto part = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return trimmed(part, " \t");
}

/// Returns the weight of a coding from its parameters; 1 without one, 0 if it is malformed.
double weight(std::string_view parameters) {
  while (!parameters.empty()) {
    auto value = take(parameters, ';');
    if (!equal_ignoring_case(take(value, '='), "q")) continue;
    const double parsed = parse_number<double>(value).value_or(0);
    return parsed >= 0 && parsed <= 1 ? parsed : 0;
  }
  return 1;
}

/// The state of zlib, which is larger than most bodies.
class Deflater {
 public:
  Deflater() {
    constexpr int window_of_gzip = 15 + 16, memory = 8;
    if (deflateInit2(&stream_, Z_BEST_SPEED, Z_DEFLATED, window_of_gzip, memory, Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::runtime_error("zlib has no memory");
  }
  ~Deflater() { deflateEnd(&stream_); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  std::string pack(std::span<const std::string_view> parts) {
    deflateReset(&stream_);
    std::string out;
    for (const auto part : parts) append(out, part, Z_NO_FLUSH);
    append(out, {}, Z_FINISH);
    return out;
  }

 private:
  void append(std::string& out, std::string_view part, int flush) {
    std::array<char, 16'384> buffer;  // NOLINT(*-member-init): zlib fills it
    // zlib does not change its input.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(part.data()));
    stream_.avail_in = static_cast<uInt>(part.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
      stream_.avail_out = buffer.size();
      deflate(&stream_, flush);
      out.append(buffer.data(), buffer.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }

  z_stream stream_{};
};

}  // namespace

bool may_be_compressed(const Endpoint& endpoint, const Response& response) {
  return endpoint.method == Method::get && !endpoint.changes && endpoint.permission != Permission::everyone &&
         response.content_type == "application/json";
}

bool wants_gzip(std::string_view accept_encoding, std::size_t size) {
  std::optional<double> of_gzip, of_identity, of_others;
  while (!accept_encoding.empty()) {
    auto part = take(accept_encoding, ',');
    const auto name = take(part, ';');
    auto& known = equal_ignoring_case(name, "gzip") || equal_ignoring_case(name, "x-gzip") ? of_gzip
                  : equal_ignoring_case(name, "identity")                                  ? of_identity
                                                                                           : of_others;
    if (&known != &of_others || name == "*") known = weight(part);
  }
  const double gzip_weight = of_gzip.value_or(of_others.value_or(0));
  // No coding is acceptable unless it is refused, but the least welcome if it is not named.
  const bool needs_coding = of_identity ? *of_identity == 0 : of_others == 0.0;
  return gzip_weight > 0 && gzip_weight >= of_identity.value_or(0) &&
         (needs_coding || size >= least_compressed);
}

std::string gzip(std::span<const std::string_view> parts) {
  thread_local Deflater deflater;
  return deflater.pack(parts);
}

asio::awaitable<bool> compress(Response& response, Background& background, Guid business) {
  const auto pack = [&response] {
    return gzip(std::array<std::string_view, 3>{response.before, response.body, response.after});
  };
  std::string packed;
  if (response.body_size() <= most_on_io_thread) {
    packed = pack();
  } else {
    if (background.is_busy()) co_return false;  // a reader does not wait for the documents of others
    try {
      packed = co_await background.run(business, pack);
    } catch (const Failure&) {
      co_return false;
    }
  }
  response.before = {};
  response.body = std::move(packed);
  response.after.clear();
  co_return true;
}

}  // namespace waybill::api
