#include "api/shipments/quoted_rate.hpp"

#include "api/records/fields.hpp"
#include "base/crypto.hpp"
#include "base/json.hpp"

namespace waybill::api {
namespace {

std::string purpose_of(const Guid& business, const Guid& shipment) {
  return "rate:" + business.to_string() + ":" + shipment.to_string();
}

}  // namespace

std::string seal_rate(const SecretBox& secrets, const Guid& business, const Guid& shipment,
                      const QuotedRate& rate) {
  const json::object content{{"carrier", rate.carrier.to_string()},
                             {"service", rate.service_code},
                             {"price", rate.price},
                             {"currency", rate.currency},
                             {"expiresAt", format_timestamp(rate.expires_at)},
                             {"shipment", rate.shipment},
                             {"testMode", rate.test_mode},
                             {"transitDays", rate.transit_days ? json::value(*rate.transit_days) : nullptr}};
  return base64url(secrets.seal(to_json(content), purpose_of(business, shipment)));
}

std::optional<QuotedRate> open_rate(const SecretBox& secrets, const Guid& business, const Guid& shipment,
                                    std::string_view id) {
  const auto sealed = base64url_decode(id);
  if (!sealed) return std::nullopt;
  try {
    const json::value parsed = json::parse(secrets.open(*sealed, purpose_of(business, shipment)));
    const json::object& content = parsed.as_object();
    const auto text = [&](std::string_view name) { return text_at(content, name).value_or(""); };
    const auto expires_at = parse_timestamp(text("expiresAt"));
    const auto carrier = guid_at(content, "carrier");
    const auto* const test_mode = content.if_contains("testMode");
    const auto* const days = find_value(content, "transitDays");  // earlier versions have sealed none
    if (!carrier || !expires_at || test_mode == nullptr) return std::nullopt;
    return QuotedRate{.carrier = *carrier,
                      .service_code = text("service"),
                      .price = text("price"),
                      .currency = text("currency"),
                      .expires_at = *expires_at,
                      .shipment = text("shipment"),
                      .test_mode = test_mode->as_bool(),
                      .transit_days = days ? std::optional(days->to_number<int>()) : std::nullopt};
  } catch (const SecretError&) {
    return std::nullopt;
  }
}

std::string priced_parts(const connectors::Consignment& consignment) {
  json::array parts;
  for (const connectors::Party* const party : {&consignment.sender, &consignment.recipient})
    parts.push_back(
        json::array{party->street, party->city, party->state, party->postal_code, party->country});
  for (const connectors::Parcel& parcel : consignment.parcels)
    parts.push_back(json::array{parcel.weight, parcel.length, parcel.width, parcel.height});
  parts.emplace_back(consignment.is_return);
  return hex(sha256(to_json(parts)));
}

}  // namespace waybill::api
