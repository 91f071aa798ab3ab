#pragma once

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"
#include "net/http/webhook_signature.hpp"

namespace waybill::api {

/// The code and display name of a carrier type or service level.
struct CodeName {
  std::string_view code;
  std::string_view name;
};
inline constexpr CodeName carrier_types[] = {
    {"courier", "Courier"}, {"freight", "Freight"}, {"lastmile", "Last mile"}};
/// The service levels of carriers that do not define their own.
inline constexpr CodeName service_levels[] = {
    {"standard", "Standard"}, {"express", "Express"}, {"sameday", "Same day"}};

/// Adds an error for a trackingUrlPattern that is not valid.
void check_tracking_pattern(const json::object& body, FieldErrors& errors);
/// Adds an error for each service code that is blank.
void check_service_codes(const json::object& body, FieldErrors& errors);
/// POST /api/carriers/configure
asio::awaitable<Answer> configure_carrier(Call& call, Services& services);
/// PATCH and DELETE /api/carriers/{carrierId}, POST …/rotate-inbound-secret
void check_carrier_update(const json::object& body, FieldErrors& errors);
asio::awaitable<Answer> update_carrier(Call& call, Services& services);
asio::awaitable<Answer> rotate_inbound_secret(Call& call, Services& services);
asio::awaitable<Answer> remove_carrier(Call& call, Services& services);

/// POST /api/carriers/{guid}/inbound
asio::awaitable<Answer> receive_scans(Call& call, Services& services);

/// Returns the inbound secret of a business and a carrier; nullopt if it cannot be decrypted.
std::optional<net::WebhookSecret> open_inbound_secret(const SecretBox& secrets, const Guid& business,
                                                      const Guid& carrier, const Bytes& sealed);

}  // namespace waybill::api
