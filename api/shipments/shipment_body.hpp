#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/route/schema.hpp"
#include "base/clock.hpp"
#include "base/guid.hpp"
#include "base/json.hpp"

namespace waybill::api {

extern const Schema shipment_schema;        // the answer of a GET
extern const Schema shipment_entry_schema;  // an entry of a list
extern const Schema shipment_create_schema;
extern const Schema shipment_update_schema;

void check_shipment_create(const json::object& body, FieldErrors& errors);
void check_shipment_update(const json::object& body, FieldErrors& errors);

/// A sender or recipient.
struct PartyValues {
  std::optional<std::string> name, street, city, state, postal_code, country, phone;
};

/// The values of a shipment's columns.
struct ShipmentValues {
  std::optional<Guid> customer, carrier;
  std::optional<std::string> service_level, instructions;
  std::optional<Time> collection_date;
  std::optional<std::string> packages;  // JSON; nullopt if a change keeps them
  PartyValues sender, recipient;

  /// Overwrites the values that `body`, which was checked, names.
  void merge(const json::object& body);
};

/// Returns the sender in a row with the columns sender_name to sender_phone.
template <typename Row>
PartyValues sender_of(const Row& row) {
  using Text = std::optional<std::string>;
  return {.name = Text(row.sender_name),
          .street = Text(row.sender_street),
          .city = Text(row.sender_city),
          .state = Text(row.sender_state),
          .postal_code = Text(row.sender_postal_code),
          .country = Text(row.sender_country),
          .phone = Text(row.sender_phone)};
}

/// Returns the recipient in a row with the columns recipient_name to recipient_phone.
template <typename Row>
PartyValues recipient_of(const Row& row) {
  using Text = std::optional<std::string>;
  return {.name = Text(row.recipient_name),
          .street = Text(row.recipient_street),
          .city = Text(row.recipient_city),
          .state = Text(row.recipient_state),
          .postal_code = Text(row.recipient_postal_code),
          .country = Text(row.recipient_country),
          .phone = Text(row.recipient_phone)};
}

/// Adds an error for each required value that `before` has and `body` clears.
void check_not_cleared(const json::object& body, const ShipmentValues& values, const ShipmentValues& before,
                       FieldErrors& errors);

/// Returns the packages as the stored JSON array, from entries of any shape; a value that is not a number
/// becomes null.
std::string packages_text(const json::array& packages);

}  // namespace waybill::api
