#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/places/point.hpp"

namespace waybill::domain {

/// A postal address. All parts are optional.
struct PostalAddress {
  std::string street;
  std::string city;
  std::string state;
  std::string postal_code;
  std::string country;
};

/// The cities of the world with 1 000 inhabitants or more and their names in all languages (GeoNames), read
/// in place from the table that tools/gazetteer generates. Look-ups take microseconds and allocate little.
/// Any thread.
class Gazetteer {
 public:
  /// The table that is built into the program.
  static const Gazetteer& builtin();

  /// Refers to `table`, which must outlive the object. Throws std::runtime_error if it is damaged.
  explicit Gazetteer(std::span<const char> table);

  /// The city of an address; nullopt if it is unknown. A city is known by its main name, the part of it that
  /// is in daily use ("Frankfurt"), its names in other languages and scripts, and former names. Case,
  /// accents, punctuation and usual abbreviations ("St.", "Ft.", "N.") make no difference. Other parts of an
  /// address in the city's field ("75001 Paris", "London, UK", "Köln-Ehrenfeld") are recognised. Only cities
  /// in the country count, which may be an ISO 3166-1 code or a name in any of 70 languages; an unknown one
  /// says nothing. An address without a country is in that of its postal code, if only one has such codes,
  /// else in `home`. If the state is known, only cities in it count. Of several cities, prefers those in the
  /// postal code's area (postal_areas.hpp) or state, then those of the most inhabitants, of which a city's
  /// main name makes eight.
  std::optional<Point> locate(const PostalAddress& address, std::string_view home = {}) const;

  /// The ISO 3166-1 alpha-2 code of a country that is given as a code or a name; nullopt if it is unknown.
  std::optional<std::string_view> country_code_of(std::string_view country) const;

  /// The nearest city within 50 km, counted from its edge, and its country ("Lisbon, PT"); the coordinates if
  /// there is none.
  std::string describe(const Point& point) const;

  /// Lower case without accents and apostrophes, with ASCII digits; other characters than letters and digits
  /// become single spaces.
  std::string fold(std::string_view text) const;

 private:
  struct Section {
    std::uint32_t offset;
    std::uint32_t count;
  };
  struct Fold {
    std::uint32_t code_point;
    std::uint32_t text;
  };
  struct Key {
    std::uint32_t text;
    std::uint32_t target;
  };
  struct RegionKey {
    std::uint32_t text;
    std::uint16_t region;
    std::uint16_t country;
  };
  struct Place {
    std::int32_t latitude;
    std::int32_t longitude;
    std::uint32_t name;
    std::uint16_t region;
    std::uint8_t country;
    std::uint8_t size;
    Point point() const;
    double radius_km() const;
  };
  struct Query;
  class Search;

  template <typename Row>
  std::span<const Row> rows(std::size_t number) const;
  std::string_view text(std::uint32_t offset) const;
  std::string_view country_code(std::size_t country) const;
  std::optional<std::string_view> replacement(std::size_t number, std::string_view word) const;
  bool is_connector(std::string_view word) const;
  std::vector<std::string> common_words(std::string_view folded) const;
  std::optional<std::uint32_t> find_country(std::string_view name) const;
  std::vector<std::uint16_t> find_regions(std::string_view name,
                                          const std::optional<std::uint32_t>& country) const;

  std::span<const char> table_;
};

}  // namespace waybill::domain
