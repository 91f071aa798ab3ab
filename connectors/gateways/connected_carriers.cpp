#include "connectors/gateways/connected_carriers.hpp"

namespace waybill::connectors {

std::optional<ConnectedCarrier> connected_carrier(const storage::sql::carriers::Connections::Row& row,
                                                  const Guid& business, const SecretBox& secrets) {
  const auto* const connector = row.connector ? find_gateway(*row.connector) : nullptr;
  if (connector == nullptr) return std::nullopt;
  return ConnectedCarrier{
      .guid = row.carrier,
      .name = std::string(row.name),
      .connector = connector,
      .account = {.api_url = std::string(row.api_url.value_or("")),
                  .api_key =
                      open_carrier_key(secrets, business, row.carrier, unhex(row.sealed_key.value_or(""))),
                  .account_number = std::string(row.account_number.value_or("")),
                  .test_mode = row.test_mode.value_or(false)},
      .service_codes = row.service_codes ? json::parse(*row.service_codes).as_object() : json::object(),
      .label_format = std::string(row.label_format.value_or("")),
      .is_failing = row.is_failing,
      .checked_at = row.checked_at};
}

std::optional<storage::sql::carriers::NoteCalls> note_of_call(const Guid& business,
                                                              const ConnectedCarrier& carrier,
                                                              const GatewayError* failure,
                                                              std::string& text) {
  using enum GatewayError::Problem;
  storage::sql::carriers::NoteCalls note{
      .business = business, .carrier = carrier.guid, .checked_at = carrier.checked_at};
  if (failure == nullptr) return carrier.is_failing ? std::optional(note) : std::nullopt;
  if (failure->problem() == busy || failure->problem() == refused) return std::nullopt;
  text = sentence_of(failure->message());
  note.error = text;
  return note;
}

std::optional<std::string> ConnectedCarrier::level_of(std::string_view service_code) const {
  for (const auto& [level, code] : service_codes)
    if (code.is_string() && std::string_view(code.get_string()) == service_code) return std::string(level);
  return std::nullopt;
}

std::optional<std::string_view> ConnectedCarrier::service_code_of(std::string_view level) const {
  const json::value* const code = service_codes.if_contains(level);
  if (code == nullptr || !code->is_string() || code->get_string().empty()) return std::nullopt;
  return std::string_view(code->get_string());
}

std::string carrier_secret_purpose(const Guid& business, const Guid& carrier, std::string_view name) {
  return "carrier-" + std::string(name) + ":" + business.to_string() + ":" + carrier.to_string();
}

std::string open_carrier_key(const SecretBox& secrets, const Guid& business, const Guid& carrier,
                             const std::optional<Bytes>& sealed) {
  if (!sealed) return {};
  try {
    return secrets.open(*sealed, carrier_secret_purpose(business, carrier, "apiKey"));
  } catch (const SecretError&) {
    return {};
  }
}

}  // namespace waybill::connectors
