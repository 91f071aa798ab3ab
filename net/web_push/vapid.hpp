#pragma once

#include <string>
#include <string_view>

namespace waybill::net {

/// A key pair on P-256 that signs push messages (RFC 8292 section 2), both parts in base64url.
struct VapidKeys {
  std::string public_key;   // the uncompressed point, 65 bytes (SEC 1 section 2.3.3)
  std::string private_key;  // the scalar, 32 bytes
};

/// A new key pair. Throws std::runtime_error.
VapidKeys make_vapid_keys();

/// True if `text` is base64url of an uncompressed point on P-256: a key to encrypt messages for (RFC 8291
/// section 3.1).
bool is_push_key(std::string_view text);

/// True if `text` is base64url of 16 bytes: a subscription's authentication secret (RFC 8291 section 3.2).
bool is_push_secret(std::string_view text);

}  // namespace waybill::net
