#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace waybill {

/// A new token: "wb_" and 256 random bits in base64url.
std::string make_token();

/// The SHA-256 of a token; the token itself is not stored.
std::array<std::uint8_t, 32> token_hash(std::string_view token);

}  // namespace waybill
