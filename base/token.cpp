#include "base/token.hpp"

#include "base/crypto.hpp"

namespace waybill {

std::string make_token() { return "wb_" + base64url(random_bytes(32)); }

std::string token_hash(std::string_view token) { return "\\x" + hex(sha256(token)); }

}  // namespace waybill
