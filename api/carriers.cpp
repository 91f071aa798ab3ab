#include "api/params.hpp"
#include "api/route.hpp"
#include "api/row_json.hpp"
#include "api/services.hpp"
#include "storage/sql.hpp"

namespace waybill::api {
namespace {

namespace sql = storage::sql::carriers;

constexpr Property service_level_properties[] = {
    {.name = "code", .kind = Kind::string},
    {.name = "name", .kind = Kind::string},
    {.name = "estimatedDays", .kind = Kind::string, .description = "such as 1-3"},
};
constexpr Schema service_level_schema{"ServiceLevel", service_level_properties};

constexpr Property configuration_properties[] = {
    {.name = "accountNumber", .kind = Kind::string},
    {.name = "defaultServiceLevel", .kind = Kind::string},
};
constexpr Schema configuration_schema{"CarrierConfiguration", configuration_properties};

constexpr Property carrier_properties[] = {
    {.name = "guid", .kind = Kind::uuid},
    {.name = "name", .kind = Kind::string},
    {.name = "code", .kind = Kind::string},
    {.name = "type", .kind = Kind::string, .description = "courier, freight or lastmile"},
    {.name = "isConfigured", .kind = Kind::boolean},
    {.name = "isActive", .kind = Kind::boolean},
    {.name = "serviceLevels", .kind = Kind::array, .schema = &service_level_schema},
    {.name = "configuration", .kind = Kind::object, .schema = &configuration_schema},
    {.name = "features", .kind = Kind::array, .items = Kind::string},
};
constexpr Schema carrier_schema{"Carrier", carrier_properties};
constexpr Schema entry_schema{"CarrierEntry", std::span(carrier_properties).first(6)};

asio::awaitable<Answer> list_carriers(Call& call, Services& services) {
  co_return Answer::of(json_array(co_await services.db.read(sql::list, business_params(call))));
}

asio::awaitable<Answer> get_carrier(Call& call, Services& services) {
  const auto rows = co_await services.db.read(sql::get, key_params(call));
  if (rows.empty()) throw not_found("carrier");
  co_return Answer::of(json_object(rows));
}

constexpr Route routes[] = {
    {.method = Method::get,
     .path = "/api/carriers",
     .permission = Permission::read,
     .handler = list_carriers,
     .summary = "The carriers of the catalogue and the business's own",
     .tag = "Carriers",
     .answer = &entry_schema,
     .answer_is_array = true},
    {.method = Method::get,
     .path = "/api/carriers/{carrierId}",
     .permission = Permission::read,
     .handler = get_carrier,
     .summary = "A carrier",
     .tag = "Carriers",
     .answer = &carrier_schema},
};

}  // namespace

std::span<const Route> carrier_routes() { return routes; }

}  // namespace waybill::api
