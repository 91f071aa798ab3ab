#pragma once

#include <array>
#include <cstring>

#include "domain/places/gazetteer.hpp"

// The layout of the gazetteer's table, for the source files of Gazetteer alone. tools/gazetteer/generate.py
// describes it.

namespace waybill::domain {

namespace section {
enum Number : std::size_t {
  folds,
  countries,
  country_keys,
  region_keys,
  places,
  words,
  first_words,
  buckets,
  names,
  texts,
  count
};
}  // namespace section

/// Six bytes of the section of names.
struct NameEntry {
  std::array<char, 6> bytes;

  static constexpr int place_bits = 18;
  static constexpr std::uint64_t hash_bits = 29;

  std::uint64_t value() const {
    std::uint64_t number = 0;
    std::memcpy(&number, bytes.data(), bytes.size());
    return number;
  }
  std::uint32_t place() const { return value() & ((1U << place_bits) - 1); }
  bool is_main() const { return (value() >> place_bits & 1U) != 0; }
  std::uint64_t hash() const { return value() >> (place_bits + 1); }
};
static_assert(sizeof(NameEntry) == 6);

template <typename Row>
std::span<const Row> Gazetteer::rows(std::size_t number) const {
  Section found{};
  std::memcpy(&found, table_.data() + 4 + 8 * number, sizeof found);
  // The generator aligns every section for its rows.
  return {reinterpret_cast<const Row*>(table_.data() + found.offset), found.count};
}

}  // namespace waybill::domain
