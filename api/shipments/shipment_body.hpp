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

extern const Schema shipment_schema;        // the answer of a GET
extern const Schema shipment_entry_schema;  // an entry of a list
extern const Schema shipment_create_schema;
extern const Schema shipment_update_schema;

void check_shipment_create(const json::object& body, FieldErrors& errors);
void check_shipment_update(const json::object& body, FieldErrors& errors);

/// Name, street, city, state, postal code, country and phone of a sender or recipient.
using PartyValues = std::array<std::optional<std::string>, 7>;
inline constexpr std::size_t required_party_values = 3;  // the first ones

/// The values of a shipment's columns.
struct ShipmentValues {
  std::optional<std::string> customer, carrier, service_level, instructions, collection_date;
  std::optional<std::string> packages;  // JSON; nullopt if a change keeps them
  PartyValues sender, recipient;

  /// Overwrites the values that `body`, which was checked, names.
  void merge(const json::object& body);
  /// Appends the values in the order of create.sql and update.sql.
  void add_to(storage::Params& params) const;
  /// Reads the row of lock.sql, without the packages.
  static ShipmentValues of(const storage::Rows& row);
};

/// Adds an error for each required value that `before` has and `body` clears.
void check_not_cleared(const json::object& body, const ShipmentValues& values, const ShipmentValues& before,
                       FieldErrors& errors);

/// Returns the packages as the stored JSON array, from entries of any shape; a value that is not a number
/// becomes null.
std::string packages_text(const json::array& packages);

}  // namespace waybill::api
