
#include "api/records/fields.hpp"
#include "api/records/row_json.hpp"
#include "api/route/clock_tolerance.hpp"
#include "api/shipments/shipment_handlers.hpp"
#include "storage/sql/shipments.sql.hpp"
#include "storage/status_change.hpp"

namespace waybill::api {
namespace {

namespace sql = storage::sql::shipments;

/// Returns the time of the trace; nullopt means now.
std::optional<Time> reported_time(const Call& call, const Services& services) {
  const auto text = text_at(call.object(), "timestamp");
  if (!text) return std::nullopt;
  const auto time = parse_timestamp(*text).value();
  if (time > services.clock.now() + clock_tolerance) {
    throw invalid("timestamp", "must not be more than 5 minutes in the future");
  }
  return time;
}

}  // namespace

asio::awaitable<Answer> list_traces(Call& call, Services& services) {
  const auto rows =
      co_await services.db.read(sql::Traces{.business = call.business(), .shipment = call.id()});
  if (rows.empty()) throw not_found("shipment");
  co_return Answer::of(rows.front().id ? json_array(rows.more()) : "[]");
}

asio::awaitable<Answer> report_trace(Call& call, Services& services) {
  const auto& body = call.object();
  const auto at = reported_time(call, services);
  const auto status = text_at(body, "status").value();
  const auto description = text_at(body, "description").value();
  const auto location = text_at(body, "location");

  const auto& business = call.business();
  const auto& shipment = call.id();
  const auto transaction = co_await services.db.begin(call.cause(description));
  const auto locked = co_await transaction->run(sql::LockStatus{.business = business, .shipment = shipment});
  if (locked.empty()) throw not_found("shipment");
  bool moved = false;
  if (locked.front().status != status) {
    const auto result = co_await storage::change_status(*transaction, business,
                                                        {.entity_type = domain::EntityType::shipment,
                                                         .records = {shipment},
                                                         .status = status,
                                                         .is_reported = true,
                                                         .reported_at = at});
    moved = result.moved > 0;
  }
  if (moved) {
    co_await transaction->run(sql::DescribeMove{.business = business,
                                                .shipment = shipment,
                                                .time = at,
                                                .description = description,
                                                .location = location});
  } else {
    co_await transaction->run(sql::StoreTrace{.business = business,
                                              .shipment = shipment,
                                              .status = status,
                                              .time = at,
                                              .description = description,
                                              .location = location});
  }
  co_await transaction->commit();
  co_return Answer::of(moved ? R"({"moved":true})" : R"({"moved":false})");
}

}  // namespace waybill::api
