#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

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

/// The cities of the world with 1 000 inhabitants or more (GeoNames), read in place from the table that
/// tools/gazetteer generates. Look-ups take microseconds and allocate little. Any thread.
class Gazetteer {
 public:
  /// The table that is built into the program.
  static const Gazetteer& builtin();

  /// Refers to `table`, which must outlive the object. Throws std::runtime_error if it is damaged.
  explicit Gazetteer(std::span<const char> table);

  /// The city of an address; nullopt if no city of that name is known in the country. Names are compared
  /// without regard to case, accents and punctuation; countries may be ISO 3166-1 codes or names in several
  /// languages. Of several cities, prefers those in the state, then those where the postal code fits, then
  /// those in `home` (a country, for addresses without one), then the largest.
  std::optional<Point> locate(const PostalAddress& address, std::string_view home = {}) const;

  /// The ISO 3166-1 alpha-2 code of a country that is given as a code or a name; nullopt if it is unknown.
  std::optional<std::string_view> country_code_of(std::string_view country) const;

  /// The nearest city within 50 km and its country ("Lisbon, PT"); the coordinates if there is none.
  std::string describe(const Point& point) const;

  /// Lower case without accents and apostrophes; other ASCII characters than letters and digits become single
  /// spaces.
  std::string fold(std::string_view text) const;

 private:
  struct Section {
    std::uint32_t offset;
    std::uint32_t count;
  };
  struct Fold {
    std::uint32_t code_point;
    char ascii[4];
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
  };
  struct Query;

  template <typename Row>
  std::span<const Row> rows(std::size_t section) const;
  std::string_view text(std::uint32_t offset) const;
  std::string_view country_code(std::size_t country) const;
  std::optional<std::uint32_t> find_country(std::string_view name) const;
  const Place* find(std::string_view name, const Query& query) const;
  const Place* find_spelt_out(std::string name, const Query& query) const;
  std::uint32_t score(const Place& place, const Query& query) const;

  std::span<const char> table_;
};

}  // namespace waybill::domain
