#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>

#include "api/endpoint/endpoint.hpp"
#include "api/http/message.hpp"
#include "api/threads/background.hpp"
#include "base/guid.hpp"

namespace waybill::api {

/// A shorter body gains less than its compression costs.
inline constexpr std::size_t least_compressed = 2'048;
/// A longer body takes more than 0.2 ms, so other threads compress it.
inline constexpr std::size_t most_on_io_thread = 65'536;

/// True for the JSON that a GET reads for a caller with a token. An answer without a token costs its client
/// nothing, so it costs no compression either. What a POST answers can be a new secret; the length of a
/// compressed answer tells something about its content (BREACH).
bool may_be_compressed(const Endpoint& endpoint, const Response& response);

/// True if a body of `size` bytes is sent with gzip to a client that sent this Accept-Encoding (RFC 9110
/// section 12.5.3): if gzip is acceptable, is not less welcome than no coding, and if the body is long or no
/// coding is refused (`identity;q=0`). A part that is malformed counts as refused.
bool wants_gzip(std::string_view accept_encoding, std::size_t size);

/// Returns the parts as one gzip member (RFC 1952), on the fast level of zlib. Each thread keeps 270 kB for
/// it. Throws std::runtime_error if zlib fails for lack of memory.
std::string gzip(std::span<const std::string_view> parts);

/// Compresses the body of `response`. False if it is long and the business has too many requests on the
/// threads of `background`; the body then stays as it is.
asio::awaitable<bool> compress(Response& response, Background& background, Guid business);

}  // namespace waybill::api
