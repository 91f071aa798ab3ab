#include "api/workflows/trials/tested_record.hpp"

#include "api/threads/analysis.hpp"
#include "storage/sql/shipments.sql.hpp"

namespace waybill::api {

asio::awaitable<matching::LastChange> last_change_of(Services& services, Guid business, Guid record,
                                                     bool is_timed) {
  if (is_timed) co_return matching::LastChange();
  co_return co_await services.analysis.run(business, [business, record](storage::Session& session) {
    return matching::last_change(session, business, record);
  });
}

asio::awaitable<void> complete_entity(Services& services, const Guid& business, const Guid& record,
                                      std::string_view trigger, const domain::Change& last,
                                      json::object& entity) {
  if (trigger == "customer_erased") {
    entity = {{"guid", record.to_string()}};
  } else if (trigger == "shipment_trace_added") {
    const auto traces = co_await services.db.read(
        storage::sql::shipments::NewestTrace{.business = business, .shipment = record});
    if (const auto newest = traces.find()) entity["trace"] = json::parse(newest->trace);
  } else if (const json::value* const trace = last.entity.if_contains("trace")) {
    entity["trace"] = *trace;
  }
}

}  // namespace waybill::api
