#include "api/shipments/shipment_body.hpp"

#include <array>
#include <utility>

#include "api/records/fields.hpp"
#include "base/blanks.hpp"
#include "base/clock.hpp"
#include "domain/state_machines.hpp"

namespace waybill::api {
namespace {

constexpr auto package_names = std::to_array<std::string_view>({"length", "width", "height", "weight"});

constexpr Property package_properties[] = {
    {.name = "length", .kind = Kind::number, .minimum = 0, .maximum = 1e9},
    {.name = "width", .kind = Kind::number, .minimum = 0, .maximum = 1e9},
    {.name = "height", .kind = Kind::number, .minimum = 0, .maximum = 1e9},
    {.name = "weight", .kind = Kind::number, .minimum = 0, .maximum = 1e9},
};
constexpr Schema package_schema{"Package", package_properties};

constexpr auto recipient_properties = std::to_array<Property>({
    {.name = "name", .kind = Kind::string},
    {.name = "company", .kind = Kind::string},
    {.name = "street", .kind = Kind::string},
    {.name = "city", .kind = Kind::string},
    {.name = "state", .kind = Kind::string},
    {.name = "postalCode", .kind = Kind::string},
    {.name = "country", .kind = Kind::string},
    {.name = "phone", .kind = Kind::string},
    {.name = "address",
     .kind = Kind::object,
     .schema = &address_schema,
     .description = "The address. Its parts are also accepted beside name."},
    {.name = "email", .kind = Kind::email, .max_length = longest_email},
});
constexpr Schema sender_schema{"ShipmentSenderInput",
                               std::span(recipient_properties).first(recipient_properties.size() - 1)};
constexpr Schema recipient_schema{"ShipmentRecipientInput", recipient_properties};

struct PartyPath {
  std::optional<std::string> PartyValues::* value;
  std::string_view flat;
  std::string_view nested;  // as in a GET
  bool is_required = false;
};
constexpr PartyPath party_paths[] = {
    {&PartyValues::name, "name", "name", true},
    {&PartyValues::street, "street", "address.street", true},
    {&PartyValues::city, "city", "address.city", true},
    {&PartyValues::state, "state", "address.state"},
    {&PartyValues::postal_code, "postalCode", "address.postalCode"},
    {&PartyValues::country, "country", "address.country"},
    {&PartyValues::phone, "phone", "phone"},
    {&PartyValues::company, "company", "company"},
    {&PartyValues::email, "email", "email"},
};

constexpr Property relative_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .required = true},
    {.name = "name", .kind = Kind::string, .read_only = true},
    {.name = "email", .kind = Kind::string, .read_only = true},
    {.name = "phone", .kind = Kind::string, .read_only = true},
};
constexpr Schema relative_schema{"ShipmentRelative", relative_properties};

constexpr auto shipment_properties(bool create) {
  return std::to_array<Property>({
      {.name = "guid", .kind = Kind::uuid, .read_only = true},
      {.name = "trackingNumber", .kind = Kind::string, .read_only = true},
      {.name = "status",
       .kind = Kind::string,
       .read_only = create,
       .description = "The present status. POST …/traces changes it."},
      {.name = "orderId", .kind = Kind::uuid, .read_only = true},
      {.name = "customerId", .kind = Kind::uuid},
      {.name = "customer", .kind = Kind::object, .schema = &relative_schema},
      {.name = "sender",
       .kind = Kind::object,
       .required = create,
       .nullable = false,
       .schema = &sender_schema},
      {.name = "recipient",
       .kind = Kind::object,
       .required = create,
       .nullable = false,
       .schema = &recipient_schema},
      {.name = "packages",
       .kind = Kind::array,
       .required = create,
       .nullable = false,
       .min_length = 1,
       .schema = &package_schema},
      {.name = "carrierId", .kind = Kind::uuid},
      {.name = "carrier", .kind = Kind::object, .schema = &relative_schema},
      {.name = "serviceLevel", .kind = Kind::string, .description = "A code of the carrier."},
      {.name = "instructions", .kind = Kind::text},
      {.name = "collectionDate", .kind = Kind::timestamp},
      carrier_number_property,
      carrier_url_property,
      external_reference_property,
      tags_property,
      metadata_property,
      {.name = "trackingUrl", .kind = Kind::string, .read_only = true},
      {.name = "statusChangedAt", .kind = Kind::timestamp, .read_only = true},
      {.name = "lastTraceAt", .kind = Kind::timestamp, .read_only = true},
      {.name = "estimatedDelivery", .kind = Kind::timestamp, .read_only = true},
      {.name = "deliveredAt", .kind = Kind::timestamp, .read_only = true},
      {.name = "createdAt", .kind = Kind::timestamp, .read_only = true},
      {.name = "updatedAt", .kind = Kind::timestamp, .read_only = true},
  });
}
constexpr auto create_properties = shipment_properties(true);
constexpr auto update_properties = shipment_properties(false);

constexpr Property customer_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "name", .kind = Kind::string},
    {.name = "email", .kind = Kind::email},
    {.name = "phone", .kind = Kind::string},
};
constexpr Schema customer_schema{"CustomerOfShipment", customer_properties};
constexpr Schema customer_entry_schema{"CustomerOfShipmentEntry", std::span(customer_properties).first(2)};
constexpr Property carrier_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "name", .kind = Kind::string},
};
constexpr Schema carrier_schema{"CarrierOfShipment", carrier_properties};
constexpr Property recipient_answer_properties[] = {
    {.name = "name", .kind = Kind::string},
    {.name = "company", .kind = Kind::string},
    {.name = "address", .kind = Kind::object, .schema = &address_schema},
    {.name = "phone", .kind = Kind::string},
    {.name = "email", .kind = Kind::email},
};
constexpr Schema recipient_answer_schema{"ShipmentRecipient", recipient_answer_properties};
constexpr Schema sender_answer_schema{"ShipmentSender", std::span(recipient_answer_properties).first(4)};
constexpr Property party_entry_properties[] = {
    {.name = "name", .kind = Kind::string},
    {.name = "address", .kind = Kind::string, .description = "The address on one line."},
};
constexpr Schema party_entry_schema{"ShipmentPartyEntry", party_entry_properties};

const Property answer_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "trackingNumber", .kind = Kind::string, .nullable = false},
    {.name = "status", .kind = Kind::one_of, .nullable = false, .values = domain::shipment_states().states},
    {.name = "orderId", .kind = Kind::uuid},
    {.name = "customer", .kind = Kind::object, .schema = &customer_schema},
    {.name = "sender", .kind = Kind::object, .nullable = false, .schema = &sender_answer_schema},
    {.name = "recipient", .kind = Kind::object, .nullable = false, .schema = &recipient_answer_schema},
    {.name = "packages", .kind = Kind::array, .nullable = false, .schema = &package_schema},
    {.name = "carrier", .kind = Kind::object, .schema = &carrier_schema},
    {.name = "serviceLevel", .kind = Kind::string},
    {.name = "instructions", .kind = Kind::text},
    carrier_number_property,
    carrier_url_property,
    {.name = "trackingUrl",
     .kind = Kind::string,
     .nullable = false,
     .description = "The public page of the shipment. Anyone with this address can see it."},
    external_reference_property,
    tags_property,
    metadata_property,
    {.name = "statusChangedAt",
     .kind = Kind::timestamp,
     .description =
         "The time of the last move, as reported. Null for a shipment that an earlier version made "
         "and that has not moved since."},
    {.name = "lastTraceAt",
     .kind = Kind::timestamp,
     .description = "The time of the newest scan, as reported."},
    {.name = "collectionDate", .kind = Kind::timestamp},
    {.name = "estimatedDelivery",
     .kind = Kind::timestamp,
     .description =
         "Unless set: 5 days (2 for express, 0 for sameday) after the collection date or the creation."},
    {.name = "deliveredAt", .kind = Kind::timestamp},
    {.name = "createdAt", .kind = Kind::timestamp, .nullable = false},
    {.name = "updatedAt", .kind = Kind::timestamp, .nullable = false},
};

const Property entry_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "trackingNumber", .kind = Kind::string, .nullable = false},
    {.name = "status", .kind = Kind::one_of, .nullable = false, .values = domain::shipment_states().states},
    {.name = "customer", .kind = Kind::object, .schema = &customer_entry_schema},
    {.name = "sender", .kind = Kind::object, .nullable = false, .schema = &party_entry_schema},
    {.name = "recipient", .kind = Kind::object, .nullable = false, .schema = &party_entry_schema},
    {.name = "packages", .kind = Kind::array, .nullable = false, .schema = &package_schema},
    {.name = "carrier", .kind = Kind::object, .schema = &carrier_schema},
    {.name = "serviceLevel", .kind = Kind::string},
    {.name = "instructions", .kind = Kind::text},
    carrier_number_property,
    carrier_url_property,
    external_reference_property,
    tags_property,
    metadata_property,
    {.name = "statusChangedAt", .kind = Kind::timestamp},
    {.name = "lastTraceAt", .kind = Kind::timestamp},
    {.name = "createdAt", .kind = Kind::timestamp, .nullable = false},
};

/// Returns a part of a party from the body, flat or nested; JSON null if the body clears it, nullptr if the
/// body does not name it.
const json::value* part_of(const json::object& party, const PartyPath& part) {
  if (const auto* const flat = find_value(party, part.flat)) return flat;
  if (const auto* const nested = find_value(party, part.nested)) return nested;
  if (const auto* const flat = party.if_contains(part.flat)) return flat;
  const auto* const object = party.if_contains(part.nested.substr(0, part.nested.find('.')));
  return object == nullptr || object->is_null() ? object : find_path(party, part.nested);
}

/// Returns the path of a part of `party` for an error: nested if `body` has an address and no flat part.
std::string path_of(const json::object& body, std::string_view party, const PartyPath& part) {
  const auto prefix = std::string(party) + ".";
  const bool is_flat = find_path(body, prefix + std::string(part.flat)) != nullptr;
  const bool is_nested = !is_flat && find_value(body, prefix + "address") != nullptr;
  return prefix + std::string(is_nested ? part.nested : part.flat);
}

void check_party(const json::object& body, std::string_view name, bool create, FieldErrors& errors) {
  const auto* const member = find_value(body, name);
  if (member == nullptr || !member->is_object()) return;
  const auto& party = member->get_object();
  for (const auto& part : party_paths) {
    const auto* const flat = find_value(party, part.flat);
    const auto* const nested = find_value(party, part.nested);
    if (flat != nullptr && nested != nullptr && *flat != *nested) {
      errors.push_back({std::string(name) + "." + std::string(part.nested),
                        "differs from " + std::string(name) + "." + std::string(part.flat)});
    } else if (flat == nullptr && party.contains(part.flat) && nested != nullptr) {
      errors.push_back({std::string(name) + "." + std::string(part.flat),
                        "is null, but " + std::string(name) + "." + std::string(part.nested) + " is not"});
    }
    if (!part.is_required) continue;
    const auto* const value = part_of(party, part);
    if (create && (value == nullptr || value->is_null())) {
      errors.push_back({path_of(body, name, part), "is required"});
    } else if (value != nullptr && value->is_string() && is_blank(value->get_string())) {
      errors.push_back({path_of(body, name, part), "must not be blank"});
    }
  }
}

void check_common(const json::object& body, bool create, FieldErrors& errors) {
  check_related_guid(body, "customerId", "customer.guid", errors);
  check_related_guid(body, "carrierId", "carrier.guid", errors);
  check_party(body, "sender", create, errors);
  check_party(body, "recipient", create, errors);
  check_carrier_number(body, errors);
  check_own_data(body, errors);
}

void merge_party(const json::object& body, std::string_view name, PartyValues& values) {
  const auto* const member = find_value(body, name);
  if (member == nullptr) return;
  for (const auto& part : party_paths) {
    const auto* const value = part_of(member->get_object(), part);
    if (value == nullptr) continue;
    values.*part.value = value->is_null() ? std::nullopt : std::optional(std::string(value->get_string()));
  }
}

void check_party_not_cleared(const json::object& body, std::string_view party, const PartyValues& values,
                             const PartyValues& before, FieldErrors& errors) {
  for (const auto& part : party_paths) {
    if (part.is_required && before.*part.value && !(values.*part.value)) {
      errors.push_back({path_of(body, party, part), "must not be null"});
    }
  }
}

}  // namespace

const Schema shipment_schema{"Shipment", answer_properties};
const Schema shipment_entry_schema{"ShipmentEntry", entry_properties};
const Schema shipment_create_schema{"ShipmentCreate", create_properties};
const Schema shipment_update_schema{"ShipmentUpdate", update_properties};

void check_carrier_number(const json::object& body, FieldErrors& errors) {
  check_not_blank(body, "carrierTrackingNumber", errors);
  const auto* const url = find_value(body, "carrierTrackingUrl");
  if (url == nullptr || !url->is_string() || url->get_string().empty()) return;
  if (const auto problem = domain::web_address_problem(url->get_string())) {
    errors.push_back({"carrierTrackingUrl", std::string(*problem)});
  }
}

bool is_final_shipment(std::string_view status) {
  return status == "delivered" || status == "returned" || status == "cancelled";
}

Failure final_shipment(std::string_view status) {
  return conflict("The shipment is " + std::string(status) +
                  "; the carrier's number and link can no longer be changed.");
}

void check_shipment_create(const json::object& body, FieldErrors& errors) {
  check_common(body, true, errors);
}

void check_shipment_update(const json::object& body, FieldErrors& errors) {
  check_common(body, false, errors);
}

void ShipmentValues::merge(const json::object& body, FieldErrors& errors) {
  merge_related_guid(body, "customerId", "customer.guid", customer);
  merge_related_guid(body, "carrierId", "carrier.guid", carrier);
  merge_text(body, "serviceLevel", service_level);
  merge_text(body, "instructions", instructions);
  if (const auto* const date = body.if_contains("collectionDate")) {
    collection_date = date->is_null() ? std::nullopt : parse_timestamp(date->get_string());
  }
  merge_party(body, "sender", sender);
  merge_party(body, "recipient", recipient);
  if (const auto* const list = find_value(body, "packages")) packages = packages_text(list->get_array());
  merge_text(body, "carrierTrackingNumber", carrier_tracking_number);
  merge_text(body, "carrierTrackingUrl", carrier_tracking_url);
  // A GET shows the address that was made from the pattern. A client that sends it back does not set one.
  if (carrier_tracking_url == made_tracking_url) carrier_tracking_url.reset();
  merge_own_data(body, own, errors);
}

void check_not_cleared(const json::object& body, const ShipmentValues& values, const ShipmentValues& before,
                       FieldErrors& errors) {
  check_party_not_cleared(body, "sender", values.sender, before.sender, errors);
  check_party_not_cleared(body, "recipient", values.recipient, before.recipient, errors);
}

std::string packages_text(const json::array& packages) {
  json::array stored;
  for (const auto& entry : packages) {
    json::object package;
    for (const auto name : package_names) {
      const auto* const object = entry.if_object();
      const auto* const value = object == nullptr ? nullptr : object->if_contains(name);
      package.emplace(name, value != nullptr && value->is_number() ? *value : json::value());
    }
    stored.push_back(std::move(package));
  }
  return to_json(stored);
}

}  // namespace waybill::api
