#include "base/observe.hpp"
#include "storage/sql/duties.sql.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::worker {

void measure_queue(storage::blocking::Connection& session, const DutyOptions&) {
  const auto depth = session.run(storage::sql::duties::QueueDepth{}).front();
  set_gauge(Gauge::queue_waiting, static_cast<double>(depth.waiting));
  set_gauge(Gauge::queue_queued, static_cast<double>(depth.queued));
  set_gauge(Gauge::queue_running, static_cast<double>(depth.running));
  set_gauge(Gauge::queue_retrying, static_cast<double>(depth.retrying));
  set_gauge(Gauge::queue_held, static_cast<double>(depth.held));
  set_gauge(Gauge::digests_open, static_cast<double>(depth.digests));
}

}  // namespace waybill::worker
