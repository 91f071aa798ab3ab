#include "api/shipments/consignment.hpp"

#include <array>
#include <cstdio>
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

/// A measure with three decimals.
std::string measure(double value) {
  std::array<char, 64> buffer{};
  const int size = std::snprintf(buffer.data(), buffer.size(), "%.3f", value);
  std::string decimal(buffer.data(), static_cast<std::size_t>(size));
  decimal.erase(decimal.find_last_not_of('0') + 1);
  if (decimal.ends_with('.')) decimal.pop_back();
  return decimal;
}

/// The member as kg or cm; nullopt unless it is above zero.
std::optional<std::string> measure_at(const json::object& package, const char* name, double factor) {
  const json::value* const value = package.if_contains(name);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  const double number = value->to_number<double>() * factor;
  return number > 0 ? std::optional(measure(number)) : std::nullopt;
}

std::vector<Parcel> parcels_of(const storage::sql::shipments::Consignment::Row& row, FieldErrors& errors) {
  const double weight_factor = factor_of(row.weight_unit), size_factor = factor_of(row.size_unit);
  const json::value packages = json::parse(row.packages);
  std::vector<Parcel> parcels;
  for (const json::value& package : packages.as_array()) {
    const json::object* const members = package.if_object();
    const std::string field = "packages[" + std::to_string(parcels.size()) + "]";
    Parcel& parcel = parcels.emplace_back();
    const auto weight = members == nullptr ? std::nullopt : measure_at(*members, "weight", weight_factor);
    if (!weight || *weight == "0") {
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

connectors::Consignment consignment_of(const storage::sql::shipments::Consignment::Row& row,
                                       FieldErrors& errors) {
  connectors::Consignment consignment{.reference = {},
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
                                      .parcels = parcels_of(row, errors),
                                      .customs = std::nullopt};
  const std::string home = text(row.home);
  complete(consignment.sender, "sender", home, errors);
  complete(consignment.recipient, "recipient", home, errors);
  return consignment;
}

}  // namespace waybill::api
