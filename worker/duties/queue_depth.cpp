#include <utility>

#include "base/observe.hpp"
#include "storage/sql.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::worker {

void measure_queue(storage::blocking::Connection& session, const DutyOptions&) {
  constexpr std::pair<const char*, Gauge> gauges[] = {{"waiting", Gauge::queue_waiting},
                                                      {"queued", Gauge::queue_queued},
                                                      {"running", Gauge::queue_running},
                                                      {"retrying", Gauge::queue_retrying},
                                                      {"held", Gauge::queue_held}};
  const pqxx::result rows = session.run(storage::sql::duties::queue_depth);
  const pqxx::row row = rows.at(0);
  for (const auto& [column, gauge] : gauges) {
    set_gauge(gauge, static_cast<double>(row[column].as<std::int64_t>()));
  }
}

}  // namespace waybill::worker
