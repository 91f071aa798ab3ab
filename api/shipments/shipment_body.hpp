#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/records/own_data.hpp"
#include "api/route/schema.hpp"
#include "base/clock.hpp"
#include "base/guid.hpp"
#include "base/json.hpp"
#include "domain/web_address.hpp"

namespace waybill::api {

extern const Schema shipment_schema;        // the answer of a GET
extern const Schema shipment_entry_schema;  // an entry of a list
extern const Schema shipment_create_schema;
extern const Schema shipment_update_schema;

void check_shipment_create(const json::object& body, FieldErrors& errors);
void check_shipment_update(const json::object& body, FieldErrors& errors);

/// The properties of the carrier's number and link. Bodies with them need `check_carrier_number`.
inline constexpr Property carrier_number_property{.name = "carrierTrackingNumber",
                                                  .kind = Kind::tracking_number,
                                                  .min_length = 1,
                                                  .description = "Writable until the shipment is final."};
inline constexpr Property carrier_url_property{
    .name = "carrierTrackingUrl",
    .kind = Kind::string,
    .max_length = domain::longest_web_address,
    .min_length = 1,
    .description =
        "The carrier's page for the parcel. Unless given, it is made from the carrier's "
        "trackingUrlPattern."};
void check_carrier_number(const json::object& body, FieldErrors& errors);

/// True for a status after which the number and link of the carrier no longer change.
bool is_final_shipment(std::string_view status);
/// The failure of a change of the number or link of a final shipment.
Failure final_shipment(std::string_view status);

/// A sender or recipient. A sender has no e-mail.
struct PartyValues {
  std::optional<std::string> name, company, street, city, state, postal_code, country, phone, email;
};

/// The values of a shipment's columns.
struct ShipmentValues {
  std::optional<Guid> customer, carrier;
  std::optional<std::string> service_level, instructions;
  std::optional<Time> collection_date;
  std::optional<std::string> packages;  // JSON; nullopt if a change keeps them
  PartyValues sender, recipient;
  std::optional<std::string> carrier_tracking_number;
  std::optional<std::string> carrier_tracking_url;  // as given; nullopt: made from the carrier's pattern
  std::optional<std::string> made_tracking_url;     // made from the pattern before the change
  OwnData own;

  /// Overwrites the values that `body`, which was checked, names. Adds an error for too much metadata.
  void merge(const json::object& body, FieldErrors& errors);
};

/// Returns the sender in a row with the columns sender_name to sender_phone.
template <typename Row>
PartyValues sender_of(const Row& row) {
  using Text = std::optional<std::string>;
  return {.name = Text(row.sender_name),
          .company = Text(row.sender_company),
          .street = Text(row.sender_street),
          .city = Text(row.sender_city),
          .state = Text(row.sender_state),
          .postal_code = Text(row.sender_postal_code),
          .country = Text(row.sender_country),
          .phone = Text(row.sender_phone)};
}

/// Returns the recipient in a row with the columns recipient_name to recipient_phone and, if it has it,
/// recipient_email.
template <typename Row>
PartyValues recipient_of(const Row& row) {
  using Text = std::optional<std::string>;
  PartyValues recipient{.name = Text(row.recipient_name),
                        .company = Text(row.recipient_company),
                        .street = Text(row.recipient_street),
                        .city = Text(row.recipient_city),
                        .state = Text(row.recipient_state),
                        .postal_code = Text(row.recipient_postal_code),
                        .country = Text(row.recipient_country),
                        .phone = Text(row.recipient_phone)};
  if constexpr (requires { row.recipient_email; }) recipient.email = Text(row.recipient_email);
  return recipient;
}

/// Adds an error for each required value that `before` has and `body` clears.
void check_not_cleared(const json::object& body, const ShipmentValues& values, const ShipmentValues& before,
                       FieldErrors& errors);

/// Returns the packages as the stored JSON array, from entries of any shape; a value that is not a number
/// becomes null.
std::string packages_text(const json::array& packages);

}  // namespace waybill::api
