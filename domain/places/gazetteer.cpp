#include "domain/places/gazetteer.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "base/ascii.hpp"
#include "base/embedded_file.hpp"
#include "domain/places/gazetteer_table.hpp"
#include "domain/places/place_text.hpp"

// The table; CMake names its file.
WAYBILL_EMBED(cities, WAYBILL_CITIES)

namespace waybill::domain {
namespace {

static_assert(std::endian::native == std::endian::little, "the table's numbers are little-endian");

constexpr double units_per_degree = 1e5;
constexpr double describable_km = 50;
constexpr double km_per_degree = 111;

// Hangul syllables are decomposed by arithmetic (Unicode, section 3.12).
constexpr std::uint32_t first_syllable = 0xAC00;
constexpr std::uint32_t last_syllable = 0xD7A3;

std::string decomposed_syllable(std::uint32_t code_point) {
  constexpr std::uint32_t vowels = 21;
  constexpr std::uint32_t tails = 28;
  const auto index = code_point - first_syllable;
  std::string jamo;
  const auto add = [&](std::uint32_t c) {
    jamo += {static_cast<char>(0xE0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 0x3F)),
             static_cast<char>(0x80 | (c & 0x3F))};
  };
  add(0x1100 + index / (vowels * tails));
  add(0x1161 + index / tails % vowels);
  if (index % tails != 0) add(0x11A7 + index % tails);
  return jamo;
}

/// Removes and returns the first code point of valid UTF-8.
std::uint32_t take_code_point(std::string_view& text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  std::uint32_t code_point = lead < 0x80 ? lead : lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length && i < text.size(); ++i) {
    code_point = (code_point << 6) | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  text.remove_prefix(std::min(length, text.size()));
  return code_point;
}

}  // namespace

const Gazetteer& Gazetteer::builtin() {
  static const Gazetteer gazetteer(WAYBILL_EMBEDDED(cities));
  return gazetteer;
}

Gazetteer::Gazetteer(std::span<const char> table) : table_(table) {
  const bool is_table = table.size() > 4 + 8 * section::count && std::string_view(table.data(), 4) == "WBG2";
  if (!is_table) throw std::runtime_error("the table of cities is damaged");
}

std::string_view Gazetteer::text(std::uint32_t offset) const {
  const auto pool = rows<char>(section::texts);
  return {pool.data() + offset + 1, static_cast<unsigned char>(pool[offset])};
}

std::string_view Gazetteer::country_code(std::size_t country) const {
  const auto codes = rows<std::array<char, 4>>(section::countries);
  return {codes[country].data(), 2};
}

Point Gazetteer::Place::point() const { return {latitude / units_per_degree, longitude / units_per_degree}; }

/// Estimates the radius, so that a point in a large city is not named after a small quarter.
double Gazetteer::Place::radius_km() const {
  constexpr double km_of_one_inhabitant = 0.005;
  return km_of_one_inhabitant * std::exp2(size / 16.0);  // the size is 8 log2 of the inhabitants
}

std::string Gazetteer::fold(std::string_view source) const {
  std::string out;
  bool wants_space = false;
  const auto add = [&](std::string_view part) {
    if (wants_space && !out.empty()) out += ' ';
    wants_space = false;
    out += part;
  };
  while (!source.empty()) {
    const auto before = source;
    const auto code_point = take_code_point(source);
    const auto c = static_cast<char>(code_point);
    if (code_point == '\'' || code_point == '`') continue;
    if (code_point < 0x80) {
      const char lower = ascii_lower(c);
      const bool is_kept = is_lower(lower) || is_digit(c);
      if (is_kept) add({&lower, 1});
      wants_space = wants_space || !is_kept;
      continue;
    }
    if (code_point >= first_syllable && code_point <= last_syllable) {
      add(decomposed_syllable(code_point));
      continue;
    }
    const auto table = rows<Fold>(section::folds);
    const auto found = std::ranges::lower_bound(table, code_point, {}, &Fold::code_point);
    if (found == table.end() || found->code_point != code_point) {
      add(before.substr(0, before.size() - source.size()));
      continue;
    }
    for (const char& byte : text(found->text)) {
      if (byte == ' ') {
        wants_space = true;
      } else {
        add({&byte, 1});
      }
    }
  }
  return out;
}

/// Returns the other form of a word of the section of words or of first words.
std::optional<std::string_view> Gazetteer::replacement(std::size_t number, std::string_view word) const {
  const auto table = rows<Key>(number);
  const auto found = std::ranges::lower_bound(table, word, {}, [&](const Key& k) { return text(k.text); });
  if (found == table.end() || text(found->text) != word) return std::nullopt;
  return text(found->target);
}

bool Gazetteer::is_connector(std::string_view word) const {
  const auto found = replacement(section::words, word);
  return found && found->empty();
}

/// Returns the words of a name in the form that their spellings have in common, without connectors between
/// words.
std::vector<std::string> Gazetteer::common_words(std::string_view folded) const {
  auto all = words_of(folded);
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto first = i == 0 && all.size() > 1 ? replacement(section::first_words, all[i]) : std::nullopt;
    const auto word = first ? first : replacement(section::words, all[i]);
    const bool is_inner = i > 0 && i + 1 < all.size();
    if (word && !word->empty()) {
      kept.emplace_back(*word);
    } else if (!word || !is_inner) {
      kept.push_back(std::move(all[i]));
    }
  }
  return kept;
}

std::optional<std::uint32_t> Gazetteer::find_country(std::string_view name) const {
  const auto key = fold(name);
  const auto keys = rows<Key>(section::country_keys);
  const auto found =
      std::ranges::lower_bound(keys, std::string_view(key), {}, [&](const Key& k) { return text(k.text); });
  if (key.empty() || found == keys.end() || text(found->text) != key) return std::nullopt;
  return found->target;
}

/// Returns the regions of that name, of a country if one is given.
std::vector<std::uint16_t> Gazetteer::find_regions(std::string_view name,
                                                   const std::optional<std::uint32_t>& country) const {
  std::vector<std::uint16_t> regions;
  const auto folded = fold(name);
  const auto keys = rows<RegionKey>(section::region_keys);
  const auto name_of = [&](const RegionKey& k) { return text(k.text); };
  for (auto at = std::ranges::lower_bound(keys, std::string_view(folded), {}, name_of);
       at != keys.end() && name_of(*at) == folded; ++at) {
    if (!country || *country == at->country) regions.push_back(at->region);
  }
  return regions;
}

std::optional<std::string_view> Gazetteer::country_code_of(std::string_view country) const {
  const auto found = find_country(country);
  if (!found) return std::nullopt;
  return country_code(*found);
}

std::string Gazetteer::describe(const Point& point) const {
  const auto all = rows<Place>(section::places);
  const double reach = describable_km / km_per_degree;
  const auto lowest = static_cast<std::int32_t>((point.latitude - reach) * units_per_degree);
  const auto highest = static_cast<std::int32_t>((point.latitude + reach) * units_per_degree);
  const Place* nearest = nullptr;
  double best = describable_km;
  for (auto at = std::ranges::lower_bound(all, lowest, {}, &Place::latitude);
       at != all.end() && at->latitude <= highest; ++at) {
    const double away = std::abs(std::remainder(at->longitude / units_per_degree - point.longitude, 360));
    // A cheap test first: skips places whose distance in longitude alone is too large.
    if (away * km_per_degree * std::cos(point.latitude / 57.29578) > 1.1 * describable_km + 1) continue;
    const double distance = haversine_km(at->point(), point);
    const double beyond = distance - at->radius_km();
    if (distance >= describable_km || beyond >= best) continue;
    best = beyond;
    nearest = &*at;
  }
  if (nearest != nullptr) {
    return std::string(text(nearest->name)) + ", " + std::string(country_code(nearest->country));
  }
  std::array<char, 48> coordinates{};
  std::snprintf(coordinates.data(), coordinates.size(), "%.5f, %.5f", point.latitude, point.longitude);
  return coordinates.data();
}

}  // namespace waybill::domain
