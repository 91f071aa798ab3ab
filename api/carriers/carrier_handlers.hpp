#pragma once

#include "api/route/route.hpp"
#include "api/route/services.hpp"

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

/// POST /api/carriers/configure
asio::awaitable<Answer> configure_carrier(Call& call, Services& services);
/// PATCH and DELETE /api/carriers/{carrierId}
void check_carrier_update(const json::object& body, FieldErrors& errors);
asio::awaitable<Answer> update_carrier(Call& call, Services& services);
asio::awaitable<Answer> remove_carrier(Call& call, Services& services);

}  // namespace waybill::api
