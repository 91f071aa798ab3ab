#include "connectors/gateways/consignment.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "base/json.hpp"
#include "connectors/customs.hpp"
#include "domain/places/countries.hpp"
#include "domain/places/customs_territories.hpp"
#include "domain/places/postal_code.hpp"
#include "domain/values/metric.hpp"

namespace waybill::connectors {
namespace {

std::string text(const std::optional<std::string_view>& value) { return std::string(value.value_or("")); }

/// The member as kg or cm; nullopt unless that is above zero.
std::optional<std::string> measure_at(const json::object& package, const char* name, std::string_view unit) {
  const json::value* const value = package.if_contains(name);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return domain::metric(value->to_number<double>(), unit);
}

/// Maps the country and checks what every carrier needs. `home` is the country of the business. Returns true
/// if the country is known.
bool complete(Party& party, const std::string& field, std::string_view home, FieldErrors& errors) {
  const std::string_view named = party.country.empty() ? home : std::string_view(party.country);
  const auto* const country = domain::country_of(named);
  if (country != nullptr) {
    party.country = country->code;
    party.postal_code = domain::domestic_postal_code(party.postal_code, country->code);
  } else {
    errors.push_back(
        {field + ".country", named.empty() ? "is required by carriers" : "is not a known country"});
  }
  if (party.street.empty()) errors.push_back({field + ".street", "is required by carriers"});
  if (party.city.empty()) errors.push_back({field + ".city", "is required by carriers"});
  return country != nullptr;
}

/// Adds the customs data of a shipment that goes to another customs territory. Another one gets those that
/// are given with it, unless they are incomplete: nobody needs them.
void declare(Consignment& consignment, const storage::sql::shipments::Consignment::Row& row,
             FieldErrors& errors) {
  const Party& from = consignment.is_return ? consignment.recipient : consignment.sender;
  const Party& to = consignment.is_return ? consignment.sender : consignment.recipient;
  const CustomsSource source{.given = row.customs.value_or(""),
                             .goods = row.goods.value_or(""),
                             .order_currency = row.order_currency.value_or(""),
                             .home_currency = row.home_currency,
                             .weight_unit = row.weight_unit,
                             .is_return = row.is_return};
  if (domain::needs_customs_declaration({from.country, from.postal_code}, {to.country, to.postal_code})) {
    consignment.customs = customs_of(source, errors);
  } else if (has_customs_items(source)) {
    FieldErrors gaps;
    auto given = customs_of(source, gaps);
    if (gaps.empty()) consignment.customs = std::move(given);
  }
}

}  // namespace

std::vector<Parcel> parcels_of(std::string_view packages_text, std::string_view weight_unit,
                               std::string_view size_unit, FieldErrors& errors) {
  const json::value packages = json::parse(packages_text);
  std::vector<Parcel> parcels;
  for (const json::value& package : packages.as_array()) {
    const json::object* const members = package.if_object();
    const std::string field = "packages[" + std::to_string(parcels.size()) + "]";
    Parcel& parcel = parcels.emplace_back();
    const auto weight = members == nullptr ? std::nullopt : measure_at(*members, "weight", weight_unit);
    if (!weight) {
      errors.push_back({field + ".weight", "is required by carriers"});
      continue;
    }
    parcel.weight = *weight;
    const auto length = measure_at(*members, "length", size_unit),
               width = measure_at(*members, "width", size_unit),
               height = measure_at(*members, "height", size_unit);
    if (!length || !width || !height) continue;
    parcel.length = *length;
    parcel.width = *width;
    parcel.height = *height;
  }
  if (parcels.empty()) errors.push_back({"packages", "must not be empty"});
  return parcels;
}

Consignment consignment_of(const storage::sql::shipments::Consignment::Row& row, FieldErrors& errors) {
  Consignment consignment{.reference = {},
                          .sender = {.name = text(row.sender_name),
                                     .company = text(row.sender_company),
                                     .phone = text(row.sender_phone),
                                     .email = text(row.sender_email),
                                     .street = text(row.sender_street),
                                     .city = text(row.sender_city),
                                     .state = text(row.sender_state),
                                     .postal_code = text(row.sender_postal_code),
                                     .country = text(row.sender_country)},
                          .recipient = {.name = text(row.recipient_name),
                                        .company = text(row.recipient_company),
                                        .phone = text(row.recipient_phone),
                                        .email = text(row.recipient_email),
                                        .street = text(row.recipient_street),
                                        .city = text(row.recipient_city),
                                        .state = text(row.recipient_state),
                                        .postal_code = text(row.recipient_postal_code),
                                        .country = text(row.recipient_country)},
                          .parcels = parcels_of(row.packages, row.weight_unit, row.size_unit, errors),
                          .customs = std::nullopt,
                          .is_return = row.is_return};
  const std::string home = text(row.home);
  const bool is_sender_known = complete(consignment.sender, "sender", home, errors);
  const bool is_recipient_known = complete(consignment.recipient, "recipient", home, errors);
  if (is_sender_known && is_recipient_known) declare(consignment, row, errors);
  return consignment;
}

}  // namespace waybill::connectors
