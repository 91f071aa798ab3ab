#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace waybill::api {

/// An IPv4 or IPv6 address, or a block of them in CIDR notation (RFC 4632 section 3.1, RFC 4291 section 2.3).
/// An IPv4 address and its v4-mapped IPv6 form are the same address.
class AddressBlock {
 public:
  /// Reads `10.0.0.1`, `10.0.0.0/8`, `fd00::1` or `fd00::/8`. Bits after the prefix are ignored. Returns
  /// nullopt for other text.
  static std::optional<AddressBlock> parse(std::string_view text);

  /// True if one of the blocks has the address; false for text that is not an address. Without blocks, the
  /// text is not read.
  static bool any_has(std::span<const AddressBlock> blocks, std::string_view address);

 private:
  using Bytes = std::array<std::uint8_t, 16>;  // IPv4 as v4-mapped IPv6

  AddressBlock(const Bytes& first, unsigned bits) : first_(first), bits_(bits) {}
  static std::optional<Bytes> bytes_of(std::string_view address);
  bool has(const Bytes& address) const;

  Bytes first_;
  unsigned bits_;  // of the prefix, up to 128
};

}  // namespace waybill::api
