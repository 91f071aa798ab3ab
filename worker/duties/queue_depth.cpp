#include "base/observe.hpp"
#include "storage/fields.hpp"
#include "storage/sql.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::worker {

void measure_queue(storage::Session& session, const DutyOptions&) {
  constexpr Gauge columns[] = {Gauge::queue_waiting, Gauge::queue_queued, Gauge::queue_running,
                               Gauge::queue_retrying, Gauge::queue_held};
  const storage::Rows rows = session.run(storage::sql::duties::queue_depth);
  const storage::RowView row(rows, 0);
  for (int column = 0; const Gauge gauge : columns) {
    set_gauge(gauge, static_cast<double>(row.number(column++)));
  }
}

}  // namespace waybill::worker
