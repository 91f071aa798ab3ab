#include "api/shipments/consignment.hpp"

#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "base/json.hpp"
#include "domain/places/gazetteer.hpp"

namespace waybill::api {
namespace {

using connectors::Parcel;
using connectors::Party;

std::string text(const std::optional<std::string_view>& value) { return std::string(value.value_or("")); }

struct Unit {
  std::string_view name;
  double factor;  // of kg or cm
};
constexpr std::array<Unit, 7> units{{{"kg", 1},
                                     {"g", 0.001},
                                     {"lb", 0.45359237},
                                     {"oz", 0.028349523125},
                                     {"cm", 1},
                                     {"in", 2.54},
                                     {"m", 100}}};

double factor_of(std::string_view name) {
  for (const Unit& unit : units)
    if (unit.name == name) return unit.factor;
  return 1;
}

/// The member as kg or cm with three decimals; nullopt unless that is above zero.
std::optional<std::string> measure_at(const json::object& package, const char* name, double factor) {
  const json::value* const value = package.if_contains(name);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  constexpr double thousandths = 1000;
  const double number = std::round(value->to_number<double>() * factor * thousandths) / thousandths;
  return number > 0 ? decimal_text(json::value(number)) : std::nullopt;
}

/// Maps the country and checks what every carrier needs. `home` is the country of the business.
void complete(Party& party, const std::string& field, std::string_view home, FieldErrors& errors) {
  const std::string_view named = party.country.empty() ? home : std::string_view(party.country);
  const auto code = domain::Gazetteer::builtin().country_code_of(named);
  if (code) {
    party.country = *code;
  } else {
    errors.push_back(
        {field + ".country", named.empty() ? "is required by carriers" : "is not a known country"});
  }
  if (party.street.empty()) errors.push_back({field + ".street", "is required by carriers"});
  if (party.city.empty()) errors.push_back({field + ".city", "is required by carriers"});
}

}  // namespace

std::vector<connectors::Parcel> parcels_of(std::string_view packages_text, std::string_view weight_unit,
                                           std::string_view size_unit, FieldErrors& errors) {
  const double weight_factor = factor_of(weight_unit), size_factor = factor_of(size_unit);
  const json::value packages = json::parse(packages_text);
  std::vector<Parcel> parcels;
  for (const json::value& package : packages.as_array()) {
    const json::object* const members = package.if_object();
    const std::string field = "packages[" + std::to_string(parcels.size()) + "]";
    Parcel& parcel = parcels.emplace_back();
    const auto weight = members == nullptr ? std::nullopt : measure_at(*members, "weight", weight_factor);
    if (!weight) {
      errors.push_back({field + ".weight", "is required by carriers"});
      continue;
    }
    parcel.weight = *weight;
    const auto length = measure_at(*members, "length", size_factor),
               width = measure_at(*members, "width", size_factor),
               height = measure_at(*members, "height", size_factor);
    if (!length || !width || !height) continue;
    parcel.length = *length;
    parcel.width = *width;
    parcel.height = *height;
  }
  if (parcels.empty()) errors.push_back({"packages", "must not be empty"});
  return parcels;
}

connectors::Consignment consignment_of(const storage::sql::shipments::Consignment::Row& row,
                                       FieldErrors& errors) {
  connectors::Consignment consignment{
      .reference = {},
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
      .customs = std::nullopt};
  const std::string home = text(row.home);
  complete(consignment.sender, "sender", home, errors);
  complete(consignment.recipient, "recipient", home, errors);
  return consignment;
}

}  // namespace waybill::api
