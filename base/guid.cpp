#include "base/guid.hpp"

#include <algorithm>
#include <cstring>

#include "base/crypto.hpp"

namespace waybill {
namespace {

constexpr std::size_t text_length = 36;
constexpr char digits[] = "0123456789abcdef";

// The position of each byte's two digits in the canonical form.
constexpr std::array<std::uint8_t, 16> byte_positions{0,  2,  4,  6,  9,  11, 14, 16,
                                                      19, 21, 24, 26, 28, 30, 32, 34};
constexpr std::array<std::uint8_t, 4> hyphen_positions{8, 13, 18, 23};

constexpr std::array<std::int8_t, 256> hex_values = [] {
  std::array<std::int8_t, 256> values{};
  values.fill(-1);
  std::int8_t value = 0;
  for (const char c : std::string_view("0123456789abcdef")) values[static_cast<unsigned char>(c)] = value++;
  value = 10;
  for (const char c : std::string_view("ABCDEF")) values[static_cast<unsigned char>(c)] = value++;
  return values;
}();

int hex_value(char c) { return hex_values[static_cast<unsigned char>(c)]; }

void set_version(Guid& guid, unsigned version) {
  guid.bytes[6] = static_cast<std::uint8_t>((guid.bytes[6] & 0x0fU) | (version << 4U));
  guid.bytes[8] = static_cast<std::uint8_t>((guid.bytes[8] & 0x3fU) | 0x80U);  // the variant of RFC 9562
}

void set_milliseconds(Guid& guid, std::int64_t unix_ms) {
  for (std::size_t i = 0; i < 6; ++i) {
    guid.bytes[i] = static_cast<std::uint8_t>(static_cast<std::uint64_t>(unix_ms) >> (40 - 8 * i));
  }
}

std::string_view as_text(const Guid& guid) {
  return {reinterpret_cast<const char*>(guid.bytes.data()), guid.bytes.size()};
}

}  // namespace

std::string Guid::to_string() const {
  std::string text(text_length, '\0');
  write_to(text.data());
  return text;
}

void Guid::write_to(char* out) const {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    out[byte_positions[i]] = digits[bytes[i] >> 4U];
    out[byte_positions[i] + 1U] = digits[bytes[i] & 0x0fU];
  }
  for (const std::size_t position : hyphen_positions) out[position] = '-';
}

std::optional<Guid> Guid::parse(std::string_view text) {
  if (text.size() != text_length) return std::nullopt;
  for (const std::size_t position : hyphen_positions) {
    if (text[position] != '-') return std::nullopt;
  }
  Guid guid;
  int bad = 0;  // negative after an invalid digit
  for (std::size_t i = 0; i < guid.bytes.size(); ++i) {
    const int high = hex_value(text[byte_positions[i]]);
    const int low = hex_value(text[byte_positions[i] + 1U]);
    bad |= high | low;
    guid.bytes[i] = static_cast<std::uint8_t>(static_cast<unsigned>(high) << 4U | static_cast<unsigned>(low));
  }
  if (bad < 0) return std::nullopt;
  return guid;
}

Guid Guid::random() {
  Guid guid;
  fill_random(guid.bytes);
  set_version(guid, 4);
  return guid;
}

Guid Guid::from_name(const Guid& name_space, std::string_view name) {
  std::string input(as_text(name_space));
  input += name;
  const auto digest = sha1(input);
  Guid guid;
  std::copy_n(digest.begin(), guid.bytes.size(), guid.bytes.begin());
  set_version(guid, 5);
  return guid;
}

Guid Guid::timed_hash(std::int64_t unix_ms, const Guid& a, std::uint64_t b) {
  std::array<char, 24> input{};
  std::memcpy(input.data(), a.bytes.data(), a.bytes.size());
  for (std::size_t i = 0; i < 8; ++i) input[16 + i] = static_cast<char>(b >> (56 - 8 * i));
  const auto digest = sha1({input.data(), input.size()});
  Guid guid;
  std::copy_n(digest.begin(), 10, guid.bytes.begin() + 6);
  set_milliseconds(guid, unix_ms);
  set_version(guid, 8);
  return guid;
}

Guid Guid::timed_random(std::int64_t unix_ms) {
  Guid guid = random();
  set_milliseconds(guid, unix_ms);
  set_version(guid, 7);
  return guid;
}

std::int64_t Guid::unix_ms() const {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 6; ++i) value = value << 8U | bytes[i];
  return static_cast<std::int64_t>(value);
}

}  // namespace waybill

std::size_t std::hash<waybill::Guid>::operator()(const waybill::Guid& guid) const noexcept {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  std::memcpy(&high, guid.bytes.data(), 8);
  std::memcpy(&low, guid.bytes.data() + 8, 8);
  return static_cast<std::size_t>(low ^ (high * 0x9e3779b97f4a7c15U));
}
