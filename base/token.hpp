#pragma once

#include <string>
#include <string_view>

namespace waybill {

/// A new token: "wb_" and 256 random bits in base64url.
std::string make_token();

/// The SHA-256 of a token as text of a PostgreSQL bytea; the token itself is not stored.
std::string token_hash(std::string_view token);

}  // namespace waybill
