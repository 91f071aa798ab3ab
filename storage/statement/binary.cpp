#include "storage/statement/binary.hpp"

#include <algorithm>

#include "storage/statement/type_oids.hpp"

namespace waybill::storage {
namespace {

constexpr std::size_t digit_size = 2;

std::uint16_t unsigned_at(std::string_view value, std::size_t index) {
  return binary_number<std::uint16_t>(value.substr(index * digit_size, digit_size));
}

void append_digit(std::string& out, std::uint16_t digit) {
  for (std::uint16_t unit = 1000; unit > 0; unit /= 10) out += static_cast<char>('0' + digit / unit % 10);
}

/// Begins an array in the format of array_recv: number of dimensions, null flag and element type; size and
/// first index of the one dimension. Each element with its size follows.
void begin_array(std::string& out, std::uint32_t type, std::size_t size) {
  append_binary(out, std::int32_t{size == 0 ? 0 : 1});
  append_binary(out, std::int32_t{0});  // PostgreSQL counts nulls itself
  append_binary(out, type);
  if (size == 0) return;
  append_binary(out, static_cast<std::int32_t>(size));
  append_binary(out, std::int32_t{1});
}

template <typename Values, typename Append>
BinaryValue array(std::uint32_t type, std::size_t element_size, const Values& values, Append append) {
  BinaryValue array;
  array.bytes.reserve(20 + values.size() * (4 + element_size));
  begin_array(array.bytes, type, values.size());
  for (const auto& value : values) {
    append_binary(array.bytes, static_cast<std::int32_t>(element_size));
    append(array.bytes, value);
  }
  return array;
}

void append_text(std::string& out, const std::string& value) {
  if (value.find('\0') != std::string::npos) throw std::invalid_argument("a NUL byte in a parameter");
  append_binary(out, static_cast<std::int32_t>(value.size()));
  out += value;
}

void append_text(std::string& out, const std::optional<std::string>& value) {
  value ? append_text(out, *value) : append_binary(out, std::int32_t{-1});
}

std::size_t size_of(const std::string& value) { return value.size(); }
std::size_t size_of(const std::optional<std::string>& value) { return value ? value->size() : 0; }

template <typename Text>
BinaryValue text_array(std::span<const Text> values) {
  std::size_t bytes = 20 + values.size() * 4;
  for (const Text& value : values) bytes += size_of(value);
  BinaryValue array;
  array.bytes.reserve(bytes);
  begin_array(array.bytes, type_oid::text, values.size());
  for (const Text& value : values) append_text(array.bytes, value);
  return array;
}

}  // namespace

BinaryValue binary_array(std::span<const Guid> values) {
  return array(type_oid::uuid, sizeof(Guid::bytes), values, [](std::string& out, const Guid& value) {
    out.append(reinterpret_cast<const char*>(value.bytes.data()), value.bytes.size());
  });
}

BinaryValue binary_array(std::span<const std::int64_t> values) {
  return array(type_oid::int8, sizeof(std::int64_t), values, append_binary<std::int64_t>);
}

BinaryValue binary_array(std::span<const std::int16_t> values) {
  return array(type_oid::int2, sizeof(std::int16_t), values, append_binary<std::int16_t>);
}

BinaryValue binary_array(std::span<const Time> values) {
  return array(type_oid::timestamptz, sizeof(std::int64_t), values, [](std::string& out, Time value) {
    append_binary(out, static_cast<std::int64_t>((value - binary_epoch).count()));
  });
}

BinaryValue binary_array(std::span<const std::string> values) { return text_array(values); }

BinaryValue binary_array(std::span<const std::optional<std::string>> values) { return text_array(values); }

Guid binary_guid(std::string_view value) {
  Guid guid;
  if (value.size() != guid.bytes.size()) throw std::invalid_argument("a uuid of the wrong size");
  std::ranges::copy(value, guid.bytes.begin());
  return guid;
}

std::optional<Time> find_binary_time(std::string_view value) {
  constexpr Time first = std::chrono::sys_days(std::chrono::year(1) / 1 / 1);
  constexpr Time end = std::chrono::sys_days(std::chrono::year(10'000) / 1 / 1);
  const std::chrono::microseconds since(binary_number<std::int64_t>(value));
  if (since < first - binary_epoch || since >= end - binary_epoch) return std::nullopt;
  return binary_epoch + since;
}

Time binary_time(std::string_view value) {
  const auto time = find_binary_time(value);
  if (!time) throw std::invalid_argument("a time outside the years 0001 to 9999");
  return *time;
}

// The format of numeric_send: four 16-bit numbers (number of digits, weight of the first digit, sign, number
// of decimals shown), then the digits.
std::string binary_numeric(std::string_view value) {
  constexpr std::size_t head = 4;
  constexpr std::uint16_t negative = 0x4000, nan = 0xC000, infinite = 0xD000, negative_infinite = 0xF000;
  if (value.size() < head * digit_size) throw std::invalid_argument("a numeric without its header");
  const std::size_t digits = unsigned_at(value, 0);
  const int weight = static_cast<std::int16_t>(unsigned_at(value, 1));
  const std::uint16_t sign = unsigned_at(value, 2);
  const int decimals = unsigned_at(value, 3);
  if (value.size() != (head + digits) * digit_size) throw std::invalid_argument("a truncated numeric");
  if (sign == nan) return "NaN";
  if (sign == infinite) return "Infinity";
  if (sign == negative_infinite) return "-Infinity";

  const auto digit = [&](int place) -> std::uint16_t {
    if (place < 0 || static_cast<std::size_t>(place) >= digits) return 0;
    return unsigned_at(value, head + static_cast<std::size_t>(place));
  };
  std::string out;
  for (int place = 0; place <= weight; ++place) append_digit(out, digit(place));
  out.erase(0, std::min(out.find_first_not_of('0'), out.size()));
  if (out.empty()) out = "0";
  if (sign == negative) out.insert(out.begin(), '-');
  if (decimals == 0) return out;
  out += '.';
  const std::size_t end = out.size() + static_cast<std::size_t>(decimals);
  for (int place = weight + 1; out.size() < end; ++place) append_digit(out, digit(place));
  out.resize(end);
  return out;
}

}  // namespace waybill::storage
