#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace waybill {

/// The memory that one hash takes while it is computed or compared (libsodium's "interactive" Argon2id, RFC
/// 9106: 64 MiB, two passes; about 50 ms of one core).
inline constexpr std::size_t password_hash_bytes = 64UL * 1024 * 1024;

/// Argon2id with a random salt, as a text that includes its parameters ("$argon2id$v=19$m=…"). Blocks. Throws
/// std::bad_alloc.
std::string hash_password(std::string_view password);

/// True if `hash` is a hash of `password`. Takes equally long for right and wrong passwords. Blocks.
bool password_matches(std::string_view password, const std::string& hash);

}  // namespace waybill
