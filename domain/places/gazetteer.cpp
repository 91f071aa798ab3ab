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
#include "domain/places/postal_code.hpp"

// The table; CMake names its file.
WAYBILL_EMBED(cities, WAYBILL_CITIES)

namespace waybill::domain {
namespace {

static_assert(std::endian::native == std::endian::little, "the table's numbers are little-endian");

// Sections of the table (tools/gazetteer/generate.mjs).
enum SectionNumber : std::size_t {
  folds,
  countries,
  country_keys,
  region_keys,
  places,
  names,
  aliases,
  texts,
  count
};
constexpr std::size_t header_size = 4 + 8 * SectionNumber::count;

constexpr double units_per_degree = 1e5;
constexpr double describable_km = 50;
constexpr double km_per_degree = 111;

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

/// The known facts about a city besides its name.
struct Gazetteer::Query {
  std::optional<std::uint32_t> country;
  std::optional<std::uint32_t> home;
  std::vector<std::uint16_t> regions;
  std::vector<std::uint16_t> postal_regions;
};

const Gazetteer& Gazetteer::builtin() {
  static const Gazetteer gazetteer(WAYBILL_EMBEDDED(cities));
  return gazetteer;
}

Gazetteer::Gazetteer(std::span<const char> table) : table_(table) {
  const bool is_table = table.size() > header_size && std::string_view(table.data(), 4) == "WBGZ";
  if (!is_table) throw std::runtime_error("the table of cities is damaged");
}

template <typename Row>
std::span<const Row> Gazetteer::rows(std::size_t section) const {
  Section found{};
  std::memcpy(&found, table_.data() + 4 + 8 * section, sizeof found);
  // The generator aligns every section for its rows.
  return {reinterpret_cast<const Row*>(table_.data() + found.offset), found.count};
}

std::string_view Gazetteer::text(std::uint32_t offset) const {
  const auto pool = rows<char>(texts);
  return {pool.data() + offset + 1, static_cast<unsigned char>(pool[offset])};
}

std::string_view Gazetteer::country_code(std::size_t country) const {
  const auto codes = rows<std::array<char, 4>>(countries);
  return {codes[country].data(), 2};
}

Point Gazetteer::Place::point() const { return {latitude / units_per_degree, longitude / units_per_degree}; }

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
    if (code_point == '\'' || code_point == 0x2019) continue;
    if (code_point < 0x80) {
      const char lower = ascii_lower(c);
      const bool is_kept = is_lower(lower) || is_digit(c);
      if (is_kept) add({&lower, 1});
      wants_space = wants_space || !is_kept;
      continue;
    }
    const auto table = rows<Fold>(folds);
    const auto found = std::ranges::lower_bound(table, code_point, {}, &Fold::code_point);
    if (found == table.end() || found->code_point != code_point) {
      add(before.substr(0, before.size() - source.size()));
    } else if (found->ascii[0] != 0) {
      add({found->ascii, strnlen(found->ascii, sizeof found->ascii)});
    }
  }
  return out;
}

std::optional<std::uint32_t> Gazetteer::find_country(std::string_view name) const {
  const auto key = fold(name);
  const auto keys = rows<Key>(country_keys);
  const auto found =
      std::ranges::lower_bound(keys, std::string_view(key), {}, [&](const Key& k) { return text(k.text); });
  if (key.empty() || found == keys.end() || text(found->text) != key) return std::nullopt;
  return found->target;
}

/// A place that fits better, or is larger, has a higher score.
std::uint32_t Gazetteer::score(const Place& place, const Query& query) const {
  const auto is_among = [&](const std::vector<std::uint16_t>& regions) {
    return std::ranges::find(regions, place.region) != regions.end();
  };
  return (is_among(query.regions) ? 1U << 10 : 0) + (is_among(query.postal_regions) ? 1U << 9 : 0) +
         (query.home == place.country ? 1U << 8 : 0) + place.size;
}

const Gazetteer::Place* Gazetteer::find(std::string_view name, const Query& query) const {
  const auto all = rows<Place>(places);
  const auto order = rows<std::uint32_t>(names);
  const Place* best = nullptr;
  const auto consider = [&](const Place& place) {
    if (query.country && *query.country != place.country) return;
    if (best == nullptr || score(place, query) > score(*best, query)) best = &place;
  };
  const auto key_of = [&](std::uint32_t place) { return fold(text(all[place].name)); };
  for (auto at = std::ranges::lower_bound(order, name, {}, key_of); at != order.end() && key_of(*at) == name;
       ++at) {
    consider(all[*at]);
  }
  const auto others = rows<Key>(aliases);
  const auto alias_of = [&](const Key& key) { return text(key.text); };
  for (auto at = std::ranges::lower_bound(others, name, {}, alias_of);
       at != others.end() && alias_of(*at) == name; ++at) {
    consider(all[at->target]);
  }
  return best;
}

/// Finds a name whose umlauts are written as two letters.
const Gazetteer::Place* Gazetteer::find_spelt_out(std::string name, const Query& query) const {
  for (const std::string_view pair : {"ae", "oe", "ue"}) {
    for (auto at = name.find(pair); at != std::string::npos; at = name.find(pair, at + 1))
      name.erase(at + 1, 1);
  }
  return find(name, query);
}

std::optional<Point> Gazetteer::locate(const PostalAddress& address, std::string_view home) const {
  Query query{.country = find_country(address.country),
              .home = find_country(home),
              .regions = {},
              .postal_regions = {}};
  if (!query.country && !address.country.empty()) query.home.reset();
  if (!query.country && address.country.empty()) {
    if (const auto code = country_of_postal_code(address.postal_code)) query.country = find_country(*code);
  }
  const auto add_regions = [&](std::string_view name, std::vector<std::uint16_t>& regions) {
    const auto key = fold(name);
    const auto keys = rows<RegionKey>(region_keys);
    const auto name_of = [&](const RegionKey& k) { return text(k.text); };
    for (auto at = std::ranges::lower_bound(keys, std::string_view(key), {}, name_of);
         at != keys.end() && name_of(*at) == key; ++at) {
      if (!query.country || *query.country == at->country) regions.push_back(at->region);
    }
  };
  add_regions(address.state, query.regions);
  if (const auto state = state_of_zip_code(address.postal_code);
      state && (!query.country || country_code(*query.country) == "US")) {
    add_regions(*state, query.postal_regions);
  }
  const auto name = fold(address.city);
  if (name.empty()) return std::nullopt;
  const auto* place = find(name, query);
  if (place == nullptr) place = find_spelt_out(name, query);
  if (place == nullptr) return std::nullopt;
  return place->point();
}

std::optional<std::string_view> Gazetteer::country_code_of(std::string_view country) const {
  const auto found = find_country(country);
  if (!found) return std::nullopt;
  return country_code(*found);
}

std::string Gazetteer::describe(const Point& point) const {
  const auto all = rows<Place>(places);
  const double reach = describable_km / km_per_degree;
  const auto lowest = static_cast<std::int32_t>((point.latitude - reach) * units_per_degree);
  const auto highest = static_cast<std::int32_t>((point.latitude + reach) * units_per_degree);
  const Place* nearest = nullptr;
  double distance = describable_km;
  for (auto at = std::ranges::lower_bound(all, lowest, {}, &Place::latitude);
       at != all.end() && at->latitude <= highest; ++at) {
    const double away = std::abs(std::remainder(at->longitude / units_per_degree - point.longitude, 360));
    // A cheap test first: skips places whose distance in longitude alone is too large.
    if (away * km_per_degree * std::cos(point.latitude / 57.29578) > 1.1 * distance + 1) continue;
    const double exact = haversine_km(at->point(), point);
    if (exact >= distance) continue;
    distance = exact;
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
