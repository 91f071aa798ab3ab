#include "api/shipments/shipment_body.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "api/records/columns.hpp"
#include "api/records/fields.hpp"
#include "api/records/own_data.hpp"
#include "api/records/properties.hpp"
#include "api/shipments/purchase_schemas.hpp"
#include "api/shipments/shipment_customs.hpp"
#include "base/blanks.hpp"
#include "base/exact_number.hpp"
#include "domain/records/state_machines.hpp"
#include "domain/values/limits.hpp"
#include "domain/values/web_address.hpp"

namespace waybill::api {
namespace {

constexpr auto package_names = std::to_array<std::string_view>({"length", "width", "height", "weight"});

constexpr Property package_properties[] = {
    {.name = "length", .kind = Kind::number, .minimum = 0, .maximum = 1e9},
    {.name = "width", .kind = Kind::number, .minimum = 0, .maximum = 1e9},
    {.name = "height", .kind = Kind::number, .minimum = 0, .maximum = 1e9},
    {.name = "weight", .kind = Kind::number, .minimum = 0, .maximum = 1e9},
    {.name = "carrierTrackingNumber",
     .kind = Kind::string,
     .read_only = true,
     .optional = true,
     .description = "The carrier's number of this parcel, if a label was bought for several."},
};
constexpr Schema package_schema{"Package", package_properties};

/// The properties of a party in a request: the parts of its address are accepted next to its name, too.
std::vector<Property> party_properties(std::string_view party) {
  std::vector<Property> properties;
  for (const auto& field : domain::record_type(domain::EntityType::shipment).fields) {
    if (!field.path.starts_with(party)) continue;
    properties.push_back(property_of(field, field.path.substr(field.path.rfind('.') + 1), Use::change));
  }
  properties.push_back({.name = "address",
                        .kind = Kind::object,
                        .schema = &address_schema,
                        .description = "The address. Its parts are also accepted next to name."});
  return properties;
}
const auto sender_properties = party_properties("sender."),
           recipient_properties = party_properties("recipient.");
const Schema sender_schema{"ShipmentSenderInput", sender_properties};
const Schema recipient_schema{"ShipmentRecipientInput", recipient_properties};

/// A part of a sender or recipient. Requests also name the parts of the address next to the name.
struct PartyPath {
  std::string_view flat;    // "street"
  std::string_view nested;  // as in a GET: "address.street"
  bool is_required;
};

/// The parts of a party ("sender"), in the order of the table.
std::vector<PartyPath> find_parts(std::string_view party) {
  constexpr auto required = std::to_array<std::string_view>({"name", "street", "city"});
  std::vector<PartyPath> parts;
  for (const MergedColumn& column : merged_columns(domain::EntityType::shipment)) {
    if (column.member != party) continue;
    const auto nested = column.path.substr(party.size() + 1);
    const auto flat = nested.substr(nested.rfind('.') + 1);
    parts.push_back({flat, nested, std::ranges::find(required, flat) != required.end()});
  }
  return parts;
}

constexpr std::string_view parties[] = {"sender", "recipient"};

const std::vector<PartyPath>& parts_of(std::string_view party) {
  static const std::vector<PartyPath> sender = find_parts(parties[0]), recipient = find_parts(parties[1]);
  return party == parties[0] ? sender : recipient;
}

constexpr Property relative_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .required = true},
    {.name = "name", .kind = Kind::string, .read_only = true},
    {.name = "email", .kind = Kind::string, .read_only = true},
    {.name = "phone", .kind = Kind::string, .read_only = true},
};
constexpr Schema relative_schema{"ShipmentRelative", relative_properties};

/// The properties with rules of their own, and those without a column.
auto own_request_properties(bool create) {
  return std::to_array<Property>({
      {.name = "status",
       .kind = Kind::string,
       .read_only = create,
       .description = "The present status. POST …/traces changes it."},
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
       .max_length = domain::most_items,
       .min_length = 1,
       .schema = &package_schema},
      customs_property,
      {.name = "isReturn",
       .kind = Kind::boolean,
       .nullable = false,
       .description = create ? "True: the parcel travels from the recipient to the sender. Default: false."
                             : "True: the parcel travels from the recipient to the sender. Fixed when the "
                               "shipment is created: only the present value is accepted."},
      {.name = "carrierId", .kind = Kind::uuid},
      {.name = "carrier", .kind = Kind::object, .schema = &relative_schema},
      {.name = "trackingUrl", .kind = Kind::string, .read_only = true},
      {.name = "purchase", .kind = Kind::object, .read_only = true, .schema = &purchase_schema},
  });
}
const auto create_properties =
    record_properties(domain::EntityType::shipment, Use::create, own_request_properties(true));
const auto update_properties =
    record_properties(domain::EntityType::shipment, Use::change, own_request_properties(false));

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
/// The properties of a party in an answer.
std::vector<Property> party_answer_properties(std::string_view party) {
  auto properties = object_properties(domain::EntityType::shipment, Use::answer, party);
  properties.push_back({.name = "address", .kind = Kind::object, .schema = &address_schema});
  return properties;
}
const auto sender_answer_properties = party_answer_properties("sender"),
           recipient_answer_properties = party_answer_properties("recipient");
const Schema sender_answer_schema{"ShipmentSender", sender_answer_properties};
const Schema recipient_answer_schema{"ShipmentRecipient", recipient_answer_properties};
constexpr Property party_entry_properties[] = {
    {.name = "name", .kind = Kind::string},
    {.name = "address", .kind = Kind::string, .description = "The address on one line."},
};
constexpr Schema party_entry_schema{"ShipmentPartyEntry", party_entry_properties};

const Property status_property{
    .name = "status", .kind = Kind::one_of, .nullable = false, .values = domain::shipment_states().states};
const Property packages_property{.name = "packages",
                                 .kind = Kind::array,
                                 .nullable = false,
                                 .max_length = domain::most_items,
                                 .schema = &package_schema};
constexpr Property carrier_property{.name = "carrier", .kind = Kind::object, .schema = &carrier_schema};

const Property own_answer_properties[] = {
    status_property,
    {.name = "customer", .kind = Kind::object, .schema = &customer_schema},
    {.name = "sender", .kind = Kind::object, .nullable = false, .schema = &sender_answer_schema},
    {.name = "recipient", .kind = Kind::object, .nullable = false, .schema = &recipient_answer_schema},
    packages_property,
    customs_property,
    carrier_property,
    {.name = "trackingUrl",
     .kind = Kind::string,
     .nullable = false,
     .description = "The public page of the shipment. Anyone with this address can see it."},
    {.name = "purchase",
     .kind = Kind::object,
     .schema = &purchase_schema,
     .description = "The last purchase of the carrier's label; null if none was requested."},
};
const auto answer_properties =
    record_properties(domain::EntityType::shipment, Use::answer, own_answer_properties);

const Property own_entry_properties[] = {
    status_property,
    {.name = "customer", .kind = Kind::object, .schema = &customer_entry_schema},
    {.name = "sender", .kind = Kind::object, .nullable = false, .schema = &party_entry_schema},
    {.name = "recipient", .kind = Kind::object, .nullable = false, .schema = &party_entry_schema},
    packages_property,
    carrier_property,
};
const auto entry_properties =
    record_properties(domain::EntityType::shipment, Use::entry, own_entry_properties);

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
  for (const auto& part : parts_of(name)) {
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
  for (const auto party : parties) check_party(body, party, create, errors);
  check_carrier_number(body, errors);
  check_customs(body, errors);
  check_own_data(body, errors);
}

/// Finds the value of a column in a body, for ColumnValues::merge.
const json::value* value_at(const json::object& body, std::string_view path) {
  const auto name = path.substr(0, path.find('.'));
  if (std::ranges::find(parties, name) == std::end(parties)) return given_at(body, path);
  const auto* const party = find_value(body, name);
  const auto nested = path.substr(name.size() + 1);
  const auto part = std::ranges::find(parts_of(name), nested, &PartyPath::nested);
  return party == nullptr ? nullptr : part_of(party->get_object(), *part);
}

void check_party_not_cleared(const json::object& body, std::string_view party, const ColumnValues& values,
                             const ColumnValues& before, FieldErrors& errors) {
  for (const auto& part : parts_of(party)) {
    const auto path = std::string(party).append(".").append(part.nested);
    if (part.is_required && !values.at(path) && !is_blank(before.at(path).value_or("")))
      errors.push_back({path_of(body, party, part), "must not be null"});
  }
}

/// The sizes and the weight of each package; numbers with more digits than a double are rounded to one.
using Sizes = std::array<std::optional<double>, package_names.size()>;

std::vector<Sizes> sizes_of(std::string_view packages) {
  std::vector<Sizes> all;
  for (const json::value& package : stored_list(packages)) {
    Sizes& sizes = all.emplace_back();
    for (std::size_t i = 0; i < package_names.size(); ++i)
      if (const auto* const size = find_member(package, package_names[i])) sizes[i] = as_double(*size);
  }
  return all;
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
  if (const auto* const list = find_value(body, "packages")) packages = packages_text(list->get_array());
  columns.merge(body, errors, value_at);
  if (const auto* const customs = find_value(body, "customs"))
    columns.set("customs", customs_text(customs->get_object()));
  if (const auto* const returns = find_value(body, "isReturn")) is_return = returns->get_bool();
  // A GET shows the address that was made from the pattern. A client that sends it back does not set one.
  if (columns.at("carrierTrackingUrl") == made_tracking_url) columns.clear("carrierTrackingUrl");
}

bool are_same_packages(std::string_view stored, std::string_view given) {
  return sizes_of(stored) == sizes_of(given);
}

void check_not_cleared(const json::object& body, const ShipmentValues& values, const ShipmentValues& before,
                       FieldErrors& errors) {
  for (const auto party : parties)
    check_party_not_cleared(body, party, values.columns, before.columns, errors);
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
