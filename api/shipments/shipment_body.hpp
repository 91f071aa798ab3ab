#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/endpoint/schema.hpp"
#include "api/records/merged_columns.hpp"
#include "base/guid.hpp"
#include "base/json.hpp"

namespace waybill::api {

extern const Schema shipment_schema;        // the answer of a GET
extern const Schema shipment_entry_schema;  // an entry of a list
extern const Schema shipment_create_schema;
extern const Schema shipment_update_schema;

void check_shipment_create(const json::object& body, FieldErrors& errors);
void check_shipment_update(const json::object& body, FieldErrors& errors);

/// Adds an error if the carrier's number is blank, or if its link is not a web address.
void check_carrier_number(const json::object& body, FieldErrors& errors);

/// True for a status after which the number and link of the carrier no longer change.
bool is_final_shipment(std::string_view status);
/// The failure of a change of the number or link of a final shipment.
Failure final_shipment(std::string_view status);

/// The values of a shipment. An address of the carrier's page is as given; null: made from the carrier's
/// pattern.
struct ShipmentValues {
  std::optional<Guid> customer, carrier;
  std::optional<std::string> service_level;
  std::optional<std::string> packages;           // JSON; nullopt if a change keeps them
  std::optional<std::string> made_tracking_url;  // made from the pattern before the change
  bool is_return = false;                        // fixed when the shipment is created
  std::optional<std::string> order_items;        // of a new shipment: JSON array of guids; nullopt: all
  std::optional<std::string> order_pieces;       // of a new shipment: JSON, see domain::pieces_by_item
  ColumnValues columns{domain::EntityType::shipment};

  /// Overwrites the values that `body`, which was checked, names. Adds an error for too much metadata.
  void merge(const json::object& body, FieldErrors& errors);
};

/// Adds an error for each required value that `before` has and `body` clears.
void check_not_cleared(const json::object& body, const ShipmentValues& values, const ShipmentValues& before,
                       FieldErrors& errors);

/// Returns the packages as the stored JSON array, from entries of any shape; a value that is not a number
/// becomes null.
std::string packages_text(const json::array& packages);

/// True if two JSON arrays of packages have the same sizes and weights, as doubles. Other members do not
/// count.
bool are_same_packages(std::string_view stored, std::string_view given);

}  // namespace waybill::api
