#include <vector>

#include "api/records/row_json.hpp"
#include "api/scans/scans.hpp"
#include "api/shipments/shipment_handlers.hpp"
#include "storage/sql/shipments.sql.hpp"

namespace waybill::api {

asio::awaitable<Answer> list_traces(Call& call, Services& services) {
  const auto rows =
      co_await services.db.read(sql::shipments::Traces{.business = call.business(), .shipment = call.id()});
  if (rows.empty()) throw not_found("shipment");
  co_return Answer::of(rows.front().id ? json_array(rows.more()) : "[]");
}

asio::awaitable<Answer> report_trace(Call& call, Services& services) {
  std::vector<Scan> scans{scan_of(call.object())};
  scans.front().shipment = call.id();
  const auto transaction = co_await services.db.begin(call.cause(scans.front().description));
  const auto outcomes =
      co_await record_scans(*transaction, call.business(), scans, {.now = services.clock.now()});
  switch (outcomes.front()) {
    case ScanOutcome::future:
      throw invalid("timestamp", "must not be more than 5 minutes in the future");
    case ScanOutcome::unknown:
      throw not_found("shipment");
    default:
      break;
  }
  co_await transaction->commit();
  co_return Answer::of(outcomes.front() == ScanOutcome::moved ? R"({"moved":true})" : R"({"moved":false})");
}

asio::awaitable<Answer> report_scans(Call& call, Services& services) {
  const auto scans = scans_of(call.body.get_array());
  const auto transaction = co_await services.db.begin(call.cause());
  const auto outcomes =
      co_await record_scans(*transaction, call.business(), scans, {.now = services.clock.now()});
  co_await transaction->commit();
  co_return Answer::of(scan_results(outcomes));
}

}  // namespace waybill::api
