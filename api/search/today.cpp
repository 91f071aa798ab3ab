#include <string>
#include <utility>
#include <vector>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"
#include "domain/records/state_machines.hpp"
#include "storage/sql/search.sql.hpp"

namespace waybill::api {
namespace {

constexpr Property count_of(std::string_view name, std::string_view description = {}) {
  return {.name = name, .kind = Kind::integer, .nullable = false, .description = description};
}

const std::vector<Property> order_properties = [] {
  std::vector<Property> properties;
  for (const auto status : domain::order_states().states) properties.push_back(count_of(status));
  return properties;
}();
const Schema orders_schema{"TodayOrders", order_properties};
constexpr Property shipment_properties[] = {
    count_of("late", "The shipments of the list with `late=true`."),
    count_of("exception"),
};
constexpr Schema shipments_schema{"TodayShipments", shipment_properties};
constexpr Property run_properties[] = {
    count_of("dead24h", "As the total of the overview of workflows."),
};
constexpr Schema runs_schema{"TodayRuns", run_properties};
constexpr Property workflow_properties[] = {
    count_of("paused"),
    count_of("silent", "Workflows that have fired much less than usual."),
};
constexpr Schema workflows_schema{"TodayWorkflows", workflow_properties};
constexpr Property store_properties[] = {
    count_of("failing", "Active stores whose last import failed."),
};
constexpr Schema stores_schema{"TodayStores", store_properties};
constexpr Property purchase_properties[] = {
    count_of("unknown", "Purchases of labels whose outcome is not known."),
};
constexpr Schema purchases_schema{"TodayPurchases", purchase_properties};
const Property today_properties[] = {
    {.name = "orders",
     .kind = Kind::object,
     .nullable = false,
     .schema = &orders_schema,
     .description = "The orders by status."},
    {.name = "shipments", .kind = Kind::object, .nullable = false, .schema = &shipments_schema},
    count_of("routes", "Dispatches in progress."),
    {.name = "runs", .kind = Kind::object, .nullable = false, .schema = &runs_schema},
    {.name = "workflows", .kind = Kind::object, .nullable = false, .schema = &workflows_schema},
    {.name = "stores", .kind = Kind::object, .nullable = false, .schema = &stores_schema},
    {.name = "purchases", .kind = Kind::object, .nullable = false, .schema = &purchases_schema},
};
const Schema today_schema{"Today", today_properties};

asio::awaitable<Answer> get_today(Call& call, Services& services) {
  const auto rows = co_await services.db.read(storage::sql::search::Today{.business = call.business()});
  const auto row = rows.front();
  const json::value counted = json::parse(row.orders);
  json::object orders;
  for (const auto status : domain::order_states().states) {
    const auto* const count = counted.as_object().if_contains(status);
    orders[status] = count == nullptr ? json::value(0) : *count;
  }
  co_return Answer::of(to_json(json::object{{"orders", std::move(orders)},
                                            {"shipments", {{"late", row.late}, {"exception", row.exception}}},
                                            {"routes", row.routes},
                                            {"runs", {{"dead24h", row.dead}}},
                                            {"workflows", {{"paused", row.paused}, {"silent", row.silent}}},
                                            {"stores", {{"failing", row.failing}}},
                                            {"purchases", {{"unknown", row.unknown}}}}));
}

const Endpoint today_endpoint_table[] = {
    {.method = Method::get,
     .path = "/api/today",
     .permission = Permission::read,
     .handler = get_today,
     .operation_id = "getToday",
     .summary = "Returns how many orders, shipments, runs and other things need a look",
     .description = "Each number is the total of a list: orders, shipments and purchases by status, late "
                    "shipments, dispatches in progress, and paused workflows.",
     .tag = "Search",
     .answer = &today_schema,
     .from_standby = true},
};

}  // namespace

std::span<const Endpoint> today_endpoints() { return today_endpoint_table; }

}  // namespace waybill::api
