#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace waybill {

/// A UUID (RFC 9562), 16 bytes in network order. Trivially copyable; the default value is the nil UUID.
struct Guid {
  std::array<std::uint8_t, 16> bytes{};

  auto operator<=>(const Guid&) const = default;

  bool is_nil() const { return *this == Guid{}; }

  /// Lower-case canonical form, 36 characters.
  std::string to_string() const;

  /// Writes the 36 characters of the canonical form to `out` (no terminator).
  void write_to(char* out) const;

  /// Reads the 8-4-4-4-12 form in either case. nullopt for any other text.
  static std::optional<Guid> parse(std::string_view text);

  /// Version 4 from the system's cryptographic generator.
  static Guid random();

  /// Version 5 (RFC 9562 section 5.5): SHA-1 of namespace and name.
  static Guid from_name(const Guid& name_space, std::string_view name);

  /// Version 8 (RFC 9562 section 5.8) laid out like version 7: 48 bits of Unix milliseconds, then 74 bits of
  /// SHA-1 over `a` and `b`. Equal inputs give equal values; values sort by time.
  static Guid timed_hash(std::int64_t unix_ms, const Guid& a, std::uint64_t b);

  /// Version 7 (RFC 9562 section 5.7) with random bits from the system's generator.
  static Guid timed_random(std::int64_t unix_ms);

  /// The Unix milliseconds in the first 48 bits; meaningful for the two timed forms only.
  std::int64_t unix_ms() const;
};

/// The predefined namespace for URLs (RFC 9562 section 6.6).
inline constexpr Guid namespace_url{
    {0x6b, 0xa7, 0xb8, 0x11, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8}};

}  // namespace waybill

template <>
struct std::hash<waybill::Guid> {
  std::size_t operator()(const waybill::Guid& guid) const noexcept;
};
