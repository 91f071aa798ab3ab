#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "api/route/schema.hpp"
#include "base/json.hpp"
#include "storage/params.hpp"
#include "storage/rows.hpp"

namespace waybill::api {

extern const Schema shipment_schema;        // as GET answers
extern const Schema shipment_entry_schema;  // as lists have it
extern const Schema shipment_create_schema;
extern const Schema shipment_update_schema;

void check_shipment_create(const json::object& body, FieldErrors& errors);
void check_shipment_update(const json::object& body, FieldErrors& errors);

/// Name, street, city, state, postal code, country and phone of a sender or recipient.
using PartyValues = std::array<std::optional<std::string>, 7>;
inline constexpr std::size_t required_party_values = 3;  // the first ones

/// A shipment's own values as its columns have them.
struct ShipmentValues {
  std::optional<std::string> customer, carrier, service_level, instructions, collection_date;
  std::optional<std::string> packages;  // JSON; of a change: none when they stay
  PartyValues sender, recipient;

  /// Overwrites what `body`, which was checked, names.
  void merge(const json::object& body);
  /// Appends them in the order of create.sql and update.sql.
  void add_to(storage::Params& params) const;
  /// From the row of lock.sql; the packages stay out.
  static ShipmentValues of(const storage::Rows& row);
};

/// Adds an error for each value that a shipment needs, had in `before` and lost by `body`.
void check_kept(const json::object& body, const ShipmentValues& values, const ShipmentValues& before,
                FieldErrors& errors);

/// The packages as they are stored, a JSON array, from entries of any shape: what is no number is null.
std::string packages_text(const json::array& packages);

}  // namespace waybill::api
