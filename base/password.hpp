#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace waybill {

/// What one hash takes while it is made or compared (libsodium's "interactive" Argon2id, RFC 9106: 64 MiB,
/// two passes; some 50 ms of one core).
inline constexpr std::size_t password_hash_bytes = 64UL * 1024 * 1024;

/// Argon2id with a random salt, as a text that holds its parameters ("$argon2id$v=19$m=…"). Blocks. Throws
/// std::bad_alloc.
std::string hash_password(std::string_view password);

/// Whether `hash` is of `password`. Takes as long for a wrong one as for the right one. Blocks.
bool password_matches(std::string_view password, const std::string& hash);

}  // namespace waybill
