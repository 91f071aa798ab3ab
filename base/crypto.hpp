#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace waybill {

using Bytes = std::vector<std::uint8_t>;

/// Initialises libsodium once. Throws std::runtime_error if the system has no cryptographic generator.
void require_sodium();

/// Bytes from the system's cryptographic generator. Throws std::runtime_error if there is none.
Bytes random_bytes(std::size_t count);
void fill_random(std::span<std::uint8_t> out);

std::array<std::uint8_t, 32> sha256(std::string_view data);
std::array<std::uint8_t, 20> sha1(std::string_view data);
std::array<std::uint8_t, 32> hmac_sha256(std::span<const std::uint8_t> key, std::string_view data);

std::string hex(std::span<const std::uint8_t> data);
/// Reads digits of either case. nullopt if malformed.
std::optional<Bytes> unhex(std::string_view digits);

/// RFC 4648 section 4, with padding. Decoding accepts exactly that form.
std::string base64(std::span<const std::uint8_t> data);
std::optional<Bytes> base64_decode(std::string_view text);

/// RFC 4648 section 5, without padding.
std::string base64url(std::span<const std::uint8_t> data);
std::optional<Bytes> base64url_decode(std::string_view text);

/// Compares in a time that depends only on the lengths.
bool equal_constant_time(std::string_view a, std::string_view b);

}  // namespace waybill
