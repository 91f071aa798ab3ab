#pragma once

#include <string>
#include <string_view>

namespace waybill {

/// A new token: "wb_" and 256 random bits in base64url.
std::string make_token();

/// The SHA-256 of a token, which is all that is kept of it, as PostgreSQL reads a bytea.
std::string token_hash(std::string_view token);

}  // namespace waybill
