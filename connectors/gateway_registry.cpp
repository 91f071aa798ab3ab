#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/utf8.hpp"
#include "connectors/carrier_gateway.hpp"
#include "connectors/easypost/easypost.hpp"
#include "connectors/karrio/karrio.hpp"

namespace waybill::connectors {
namespace {

void add_refused_parts(FieldErrors& errors, std::string_view party_name, const Party& party,
                       const GatewayConnector& connector) {
  const PartyLimits limits = connector.party_limits();
  const auto check = [&](std::string_view part, std::string_view text, std::size_t most) {
    if (most == 0 || count_characters(text) <= most) return;
    errors.push_back({std::string(party_name) + "." + std::string(part),
                      "must have at most " + std::to_string(most) + " characters for the connector " +
                          std::string(connector.name())});
  };
  check("name", party.name, limits.name);
  check("company", party.company, limits.company);
  check("phone", party.phone, limits.phone);
  check("city", party.city, limits.city);
  check("state", party.state, limits.state);
  check("postalCode", party.postal_code, limits.postal_code);
  for (auto& error : connector.wrong_parts(party)) {
    errors.push_back({std::string(party_name) + "." + error.field,
                      error.message + " for the connector " + std::string(connector.name())});
  }
}

}  // namespace

std::span<const GatewayConnector* const> all_gateways() {
  static const std::array<const GatewayConnector*, 2> all{&karrio_gateway(), &easypost_connector()};
  return all;
}

std::vector<std::string> gateway_names() {
  std::vector<std::string> names;
  for (const auto* const connector : all_gateways()) names.emplace_back(connector->name());
  return names;
}

std::string sentence_of(const CarrierMessage& message) {
  if (message.code.empty()) return message.text;
  if (message.text.empty()) return message.code;
  return message.text + " (" + message.code + ")";
}

GatewayError too_many_rates() {
  return {GatewayError::Problem::refused,
          {.code = "too_many_rates",
           .text = "The answer has more than " + std::to_string(most_rates) + " rates."}};
}

void note_unreadable(RatesAnswer& answer, std::size_t count) {
  if (count == 0) return;
  answer.messages.push_back(
      {.code = "unreadable",
       .text = "Rates without id, service, price or currency are left out: " + std::to_string(count) + "."});
}

const GatewayConnector* find_gateway(std::string_view name) {
  const auto all = all_gateways();
  const auto found = std::ranges::find(all, name, &GatewayConnector::name);
  return found == all.end() ? nullptr : *found;
}

FieldErrors unsupported_parts(const GatewayConnector& connector, const Consignment& consignment) {
  const auto names = connector.features();
  const std::string name(connector.name());
  FieldErrors errors;
  const auto need = [&](bool is_needed, std::string_view feature, const char* field,
                        const std::string& problem) {
    const bool has_feature = std::ranges::find(names, feature) != names.end();
    if (is_needed && !has_feature) errors.push_back({field, problem});
  };
  need(consignment.parcels.size() > 1, "several_parcels", "packages",
       "must be one: the connector " + name + " takes one parcel at a time");
  need(consignment.is_return, "returns", "isReturn", "is not possible with the connector " + name);
  need(consignment.customs.has_value(), "customs", "customs",
       "cannot be declared with the connector " + name);
  add_refused_parts(errors, "sender", consignment.sender, connector);
  add_refused_parts(errors, "recipient", consignment.recipient, connector);
  return errors;
}

}  // namespace waybill::connectors
