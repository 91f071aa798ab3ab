#include <utility>

#include "api/records/fields.hpp"
#include "api/records/row_json.hpp"
#include "api/route/params.hpp"
#include "api/shipments/shipment_handlers.hpp"
#include "domain/state_machines.hpp"
#include "storage/sql.hpp"

namespace waybill::api {
namespace {

namespace sql = storage::sql::shipments;

/// Returns the time of the trace for SQL; nullopt means now.
std::optional<std::string> reported_time(const Call& call, const Services& services) {
  const auto text = text_at(call.object(), "timestamp");
  if (!text) return std::nullopt;
  const auto time = parse_timestamp(*text).value();
  if (time > services.clock.now() + clock_tolerance) {
    throw invalid("timestamp", "must not be more than 5 minutes in the future");
  }
  return format_sql_timestamp(time);
}

}  // namespace

asio::awaitable<Answer> list_traces(Call& call, Services& services) {
  const auto rows = co_await services.db.read(sql::traces, key_params(call));
  if (rows.empty()) throw not_found("shipment");
  const bool has_traces = !rows.is_null(0, 0);
  co_return Answer::of(json_array(rows.slice(0, has_traces ? rows.size() : 0, 1)));
}

asio::awaitable<Answer> report_trace(Call& call, Services& services) {
  const auto& body = call.object();
  const auto at = reported_time(call, services);
  const auto status = text_at(body, "status").value();
  const auto description = text_at(body, "description");
  const auto location = text_at(body, "location");

  const auto transaction = co_await services.db.begin(call.cause(description.value_or("")));
  const auto locked = co_await transaction->run(sql::lock_status, key_params(call));
  if (locked.empty()) throw not_found("shipment");
  bool moved = false;
  if (domain::shipment_states().allows(locked.get(0, 0), status)) {
    auto move = key_params(call);
    move.add(status).add(at);
    moved = (co_await transaction->run(sql::move, std::move(move))).affected() == 1;
  }
  auto trace = key_params(call);
  if (!moved) trace.add(status);
  trace.add(at).add(description).add(location);
  co_await transaction->run(moved ? sql::describe_move : sql::store_trace, std::move(trace));
  co_await transaction->commit();
  co_return Answer::of(moved ? R"({"moved":true})" : R"({"moved":false})");
}

}  // namespace waybill::api
