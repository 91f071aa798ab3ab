#include "base/fingerprint.hpp"

#include <sodium.h>

namespace waybill {

std::array<std::uint8_t, 16> fingerprint(std::span<const std::string_view> parts) {
  std::array<std::uint8_t, 16> hash{};
  static_assert(crypto_shorthash_siphashx24_BYTES == hash.size() &&
                crypto_shorthash_siphashx24_KEYBYTES == hash.size());
  // The hash of the parts so far is the key of the next one.
  for (const std::string_view part : parts) {
    const auto key = hash;
    crypto_shorthash_siphashx24(hash.data(), reinterpret_cast<const unsigned char*>(part.data()), part.size(),
                                key.data());
  }
  return hash;
}

}  // namespace waybill
