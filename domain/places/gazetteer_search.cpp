#include <algorithm>
#include <array>
#include <utility>

#include "base/ascii.hpp"
#include "domain/places/countries.hpp"
#include "domain/places/gazetteer_table.hpp"
#include "domain/places/place_text.hpp"
#include "domain/places/postal_areas.hpp"
#include "domain/places/postal_code.hpp"
#include "domain/places/territories.hpp"

namespace waybill::domain {
namespace {

constexpr int bits_of_bucket_and_hash = 45;

/// FNV-1a with 64 bits over words without blanks, mixed, of which the first 45 bits are used, as in
/// tools/gazetteer/generate.py.
std::uint64_t hash_of(const std::vector<std::string>& words) {
  std::uint64_t value = 0xCBF29CE484222325;
  for (const auto& word : words) {
    for (const char c : word) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  }
  value = (value ^ value >> 32) * 0x9E3779B97F4A7C15;
  return (value ^ value >> 32) >> (64 - bits_of_bucket_and_hash);
}

template <typename T>
bool contains(const std::vector<T>& list, const T& value) {
  return std::ranges::find(list, value) != list.end();
}

}  // namespace

/// The known facts about a city besides its name.
struct Gazetteer::Query {
  std::optional<std::uint32_t> country;
  bool is_country_written = false;
  std::vector<std::uint16_t> regions;                    // only cities in these, if there are any
  std::vector<std::uint16_t> postal_regions;             // preferred
  std::string postal_code;                               // as it is written inside the country
  std::optional<std::pair<Point, double>> surroundings;  // only cities so many kilometres around a point
};

/// A search for one city.
class Gazetteer::Search {
 public:
  explicit Search(const Gazetteer& gazetteer) : gazetteer_(gazetteer) {}

  const Place* run(const PostalAddress& address, std::string_view home) {
    // Longer texts are not names; their parts would take long.
    constexpr std::size_t longest_field = 400;
    if (std::max({address.city.size(), address.state.size(), address.country.size()}) > longest_field)
      return nullptr;
    const auto query = query_of(address, home);
    const auto* place = find_written(address.city, query, &Search::find_part);
    if (place == nullptr) place = find_in_territories(address.city, query);
    if (place == nullptr) place = find_written(address.city, query, &Search::find_before_district);
    if (place != nullptr || !query.country) return place;
    const auto city = city_of_state(gazetteer_.country_code(*query.country));
    return city.empty() ? nullptr : find(ascii_lower(city), query);
  }

 private:
  using Method = const Place* (Search::*)(std::string_view, const Query&) const;

  const Place* find_in_territories(std::string_view city, Query query) const {
    if (!query.country || !query.regions.empty()) return nullptr;
    for (const auto territory : territories_of(gazetteer_.country_code(*query.country))) {
      query.country = gazetteer_.find_country(territory);
      const auto* const place = query.country ? find_written(city, query, &Search::find_part) : nullptr;
      if (place != nullptr) return place;
    }
    return nullptr;
  }

  Query query_of(const PostalAddress& address, std::string_view home) const {
    Query query;
    query.is_country_written = !trimmed(address.country).empty();
    if (query.is_country_written) {
      query.country = country_in(address.country);
    } else if (const auto code = country_of_postal_code(trimmed(address.postal_code))) {
      query.country = gazetteer_.find_country(*code);
    } else {
      query.country = country_in(home);
    }
    query.regions = regions_in(address.state, query.country);
    if (query.regions.empty() && move_to_territory(query, address)) return query;
    query.postal_code = postal_code_of(address, query);
    const auto code = query.country ? gazetteer_.country_code(*query.country) : "US";
    for (const auto state : states_of_postal_code(code, query.postal_code)) {
      const auto regions = gazetteer_.find_regions(state, query.country);
      query.postal_regions.insert(query.postal_regions.end(), regions.begin(), regions.end());
    }
    return query;
  }

  std::string postal_code_of(const PostalAddress& address, const Query& query) const {
    return domestic_postal_code(address.postal_code,
                                query.country ? gazetteer_.country_code(*query.country) : "");
  }

  /// Replaces the country by the territory that the state or the postal code names.
  bool move_to_territory(Query& query, const PostalAddress& address) const {
    if (!query.country) return false;
    const auto code = gazetteer_.country_code(*query.country);
    std::optional<std::uint32_t> territory;
    if (const auto found = territory_of_postal_code(code, postal_code_of(address, query)))
      territory = gazetteer_.find_country(*found);
    if (const auto named = country_in(address.state); !territory && named) {
      const auto codes = territories_of(code);
      if (std::ranges::find(codes, gazetteer_.country_code(*named)) != codes.end()) territory = named;
    }
    if (territory) query.country = territory;
    return territory.has_value();
  }

  /// "Germany (DE)" and "United States, USA" are read too.
  std::optional<std::uint32_t> country_in(std::string_view written) const {
    if (const auto country = gazetteer_.find_country(written)) return country;
    if (const auto name = qualified(written).name; !name.empty()) return country_in(name);
    const auto parts = parts_of(written);
    return parts.size() > 1 ? country_in(parts.front()) : std::nullopt;
  }

  /// "Missouri (MO)", "MO 63101" and "Missouri, USA" are read too.
  std::vector<std::uint16_t> regions_in(std::string_view written,
                                        const std::optional<std::uint32_t>& country) const {
    auto regions = gazetteer_.find_regions(written, country);
    if (regions.empty())
      regions = gazetteer_.find_regions(without_numbers(gazetteer_.fold(written)), country);
    const auto name = qualified(written).name;
    if (regions.empty() && !name.empty()) return regions_in(name, country);
    const auto parts = parts_of(written);
    return regions.empty() && parts.size() > 1 ? regions_in(parts.front(), country) : regions;
  }

  /// Returns the query with what a text next to the name says: as a region, and as a country ("CA" may be
  /// either). Empty if it says neither, or another country than the address.
  std::vector<Query> narrowed(const Query& query, std::string_view hint) const {
    std::vector<Query> all;
    if (auto regions = gazetteer_.find_regions(hint, query.country); !regions.empty()) {
      all.push_back(query);
      if (query.regions.empty()) all.back().regions = std::move(regions);
    }
    const auto country = gazetteer_.find_country(hint);
    const bool is_other = query.is_country_written && query.country && query.country != country;
    if (country && !is_other) {
      all.push_back(query);
      all.back().country = country;
      all.back().is_country_written = true;
    }
    return all;
  }

  /// Finds the city in the text of a field, in which other parts of the address may stand too.
  const Place* find_written(std::string_view written, const Query& query, Method find_in) const {
    if (const auto* const place = (this->*find_in)(written, query)) return place;
    constexpr std::size_t most_parts = 6;
    const auto parts = parts_of(written);
    if (parts.size() < 2 || parts.size() > most_parts) return nullptr;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      std::vector<Query> queries{query};
      for (std::size_t j = parts.size(); j-- > 0;) {
        auto more = j == i ? std::vector<Query>() : narrowed(queries.front(), parts[j]);
        if (!more.empty()) queries = std::move(more);
      }
      for (const auto& each : queries) {
        if (const auto* const place = (this->*find_in)(parts[i], each)) return place;
      }
    }
    return nullptr;
  }

  const Place* find_part(std::string_view written, const Query& query) const {
    const auto folded = gazetteer_.fold(written);
    if (folded.empty()) return nullptr;
    if (const auto* const place = find(folded, query)) return place;
    const auto bare = without_numbers(folded);
    if (bare != folded) {
      if (const auto* const place = find(bare, query)) return place;
    }
    if (const auto* const place = find_before_hint(bare, query)) return place;
    for (const auto& reading : written_out(bare)) {
      if (const auto* const place = find(reading, query)) return place;
    }
    if (const auto* const place = find_qualified(written, bare, query)) return place;
    for (const auto& reading : without_kinds(bare)) {
      if (const auto* const place = find(reading, query)) return place;
    }
    const bool has_district_letters = query.country && gazetteer_.country_code(*query.country) == "DK";
    return has_district_letters ? find(without_district_letters(bare), query) : nullptr;
  }

  /// Finds a name that a state or country follows without a comma: "Kansas City MO".
  const Place* find_before_hint(std::string_view folded, const Query& query) const {
    constexpr std::size_t most_hint_words = 4;
    const auto words = words_of(folded);
    for (std::size_t length = 1; length <= most_hint_words && length < words.size(); ++length) {
      const auto middle = words.end() - static_cast<std::ptrdiff_t>(length);
      for (const auto& each : narrowed(query, joined({middle, words.end()}))) {
        if (const auto* const place = find(joined({words.begin(), middle}), each)) return place;
      }
    }
    return nullptr;
  }

  /// Finds a name with an abbreviated addition: "Frankfurt a. M.", "Halle (Westf.)".
  const Place* find_qualified(std::string_view written, std::string_view folded, const Query& query) const {
    if (const auto [name, qualifier] = qualified(written); !name.empty()) {
      const auto folded_name = without_numbers(gazetteer_.fold(name));
      for (const auto& each : narrowed(query, gazetteer_.fold(qualifier))) {
        if (const auto* const place = find(folded_name, each)) return place;
      }
      if (const auto* const place = find(folded_name, query, words_of(gazetteer_.fold(qualifier))))
        return place;
    }
    const auto words = words_of(folded);
    for (std::size_t i = 1; i + 1 < words.size(); ++i) {
      if (!gazetteer_.is_connector(words[i])) continue;
      const auto middle = words.begin() + static_cast<std::ptrdiff_t>(i);
      return find(joined({words.begin(), middle}), query, {middle, words.end()});
    }
    return nullptr;
  }

  /// Finds a city that a district follows after a hyphen or blank: "Köln-Ehrenfeld". A whole name with a
  /// hyphen was not found before.
  const Place* find_before_district(std::string_view written, const Query& query) const {
    constexpr std::size_t most_words = 6;
    constexpr std::string_view separators = " -";
    auto text = std::string(trimmed(written));
    for (const std::string_view dash : {"\u2010", "\u2011", "\u2013", "\u2014"})
      text = replaced(std::move(text), dash, "-");
    if (words_of(gazetteer_.fold(text)).size() > most_words) return nullptr;
    for (auto i = text.find_last_of(separators); i != std::string::npos && i > 0;
         i = text.find_last_of(separators, i - 1)) {
      const auto left = trimmed(std::string_view(text).substr(0, i));
      const auto right = trimmed(std::string_view(text).substr(i + 1));
      const bool has_hyphen = text[i] == '-' || left.ends_with('-') || right.starts_with('-');
      const auto district = without_numbers(gazetteer_.fold(right));
      if (district.empty() || gazetteer_.is_connector(words_of(district).front())) continue;
      const auto* const city = find(without_numbers(gazetteer_.fold(left)), query);
      const auto* const place = city == nullptr ? nullptr : find_district(*city, district, has_hyphen, query);
      if (place != nullptr) return place;
    }
    return nullptr;
  }

  /// Returns the district if it lies near the city. Otherwise the city, if the postal code is that of its
  /// area, or if it is large and no other large city has the district's name. Null if another place may be
  /// meant: where postal areas are not known, names of places begin with a city and a blank (Washington
  /// Crossing).
  const Place* find_district(const Place& city, std::string_view district, bool has_hyphen,
                             const Query& query) const {
    constexpr std::uint8_t large_size = 133;  // 100 000 inhabitants
    constexpr double most_km_outside = 30;
    const auto km = km_outside_area(city, query);
    const bool is_in_area = km && *km <= most_km_outside;
    const bool is_elsewhere =
        km ? !is_in_area : !query.postal_regions.empty() && !contains(query.postal_regions, city.region);
    const bool is_certain = is_in_area || (city.size >= large_size && !is_elsewhere);
    if (has_hyphen || is_certain) {
      auto near = query;
      near.surroundings.emplace(city.point(), std::max(5.0, 3 * city.radius_km()));
      if (const auto* const place = find(district, near)) return place;
    }
    const auto* const other = find(district, query);
    const bool is_other_city = other != nullptr && other->size >= large_size;
    const bool is_district = has_hyphen || !postal_towns(gazetteer_.country_code(city.country)).empty();
    return is_in_area || (is_certain && is_district && !is_other_city) ? &city : nullptr;
  }

  static constexpr std::string_view short_article = "d";  // of "a. d."

  enum class Fit { none, possible, full };

  /// Compares the words after a name with the rest of a place's main name, which they may abbreviate. A place
  /// without a rest is possible.
  Fit fit(const Place& place, std::string_view name, const std::vector<std::string>& qualifier) const {
    const auto full = gazetteer_.common_words(gazetteer_.fold(gazetteer_.text(place.name)));
    const auto short_name = gazetteer_.common_words(name);
    const bool has_rest =
        full.size() > short_name.size() && std::equal(short_name.begin(), short_name.end(), full.begin());
    if (!has_rest) return Fit::possible;
    auto at = full.begin() + static_cast<std::ptrdiff_t>(short_name.size());
    for (const auto& word : qualifier) {
      if ((gazetteer_.is_connector(word) || word == short_article) && &word != &qualifier.back()) continue;
      if (at == full.end() || !at->starts_with(word)) return Fit::none;
      ++at;
    }
    return Fit::full;
  }

  const Place* find(std::string_view folded, const Query& query,
                    const std::vector<std::string>& qualifier = {}) const {
    if (const auto* const place = find_exactly(folded, query, qualifier)) return place;
    const auto other = without_spelt_umlauts(folded);
    return other == folded ? nullptr : find_exactly(other, query, qualifier);
  }

  const Place* find_exactly(std::string_view folded, const Query& query,
                            const std::vector<std::string>& qualifier) const {
    const auto hash = hash_of(gazetteer_.common_words(folded));
    const auto bucket = hash >> NameEntry::hash_bits;
    const auto rest = hash & ((1U << NameEntry::hash_bits) - 1);
    const auto starts = gazetteer_.rows<std::uint32_t>(section::buckets).subspan(bucket, 2);
    const auto entries = gazetteer_.rows<NameEntry>(section::names).subspan(starts[0], starts[1] - starts[0]);
    const auto all = gazetteer_.rows<Place>(section::places);
    const Place* best = nullptr;
    std::uint32_t best_score = 0;
    for (const auto& entry : entries) {
      if (entry.hash() != rest) continue;
      const auto& place = all[entry.place()];
      if (query.country && *query.country != place.country) continue;
      if (!query.regions.empty() && !contains(query.regions, place.region)) continue;
      if (query.surroundings &&
          haversine_km(place.point(), query.surroundings->first) > query.surroundings->second)
        continue;
      const auto fits = qualifier.empty() ? Fit::possible : fit(place, folded, qualifier);
      if (fits == Fit::none) continue;
      const auto score =
          score_of(place, entry.is_main(), query) + (fits == Fit::full ? worth_of_full_name : 0);
      if (best != nullptr && score <= best_score) continue;
      best = &place;
      best_score = score;
    }
    return best;
  }

  static constexpr std::uint32_t worth_of_full_name = 1U << 10;

  /// How far outside the area of the postal code a place lies; nullopt if that is not known.
  std::optional<double> km_outside_area(const Place& place, const Query& query) const {
    if (!query.country || query.postal_code.empty()) return std::nullopt;
    const auto country = gazetteer_.country_code(place.country);
    const auto area = postal_area(country, query.postal_code);
    return area ? std::optional(km_outside(country, *area, place.point())) : std::nullopt;
  }

  std::uint32_t score_of(const Place& place, bool is_main_name, const Query& query) const {
    constexpr std::uint32_t worth_of_postal_code = 1U << 9;
    constexpr std::uint32_t worth_of_main_name = 24;  // the size of eight times the inhabitants
    constexpr double worthless_km = 100;
    std::uint32_t score = (is_main_name ? worth_of_main_name : 0) + place.size;
    if (contains(query.postal_regions, place.region)) score += worth_of_postal_code;
    if (const auto km = km_outside_area(place, query); km && *km < worthless_km)
      score += static_cast<std::uint32_t>(worth_of_postal_code * (1 - *km / worthless_km));
    return score;
  }

  const Gazetteer& gazetteer_;
};

std::optional<Point> Gazetteer::locate(const PostalAddress& address, std::string_view home) const {
  const auto* const place = Search(*this).run(address, home);
  if (place == nullptr) return std::nullopt;
  return place->point();
}

}  // namespace waybill::domain
