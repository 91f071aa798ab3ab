#include "base/token.hpp"

#include "base/crypto.hpp"

namespace waybill {

std::string make_token() { return "wb_" + base64url(random_bytes(32)); }

std::array<std::uint8_t, 32> token_hash(std::string_view token) { return sha256(token); }

}  // namespace waybill
