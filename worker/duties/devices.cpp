#include "storage/sql/duties.sql.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::worker {

void silence_devices(storage::blocking::Connection& session, const DutyOptions&) {
  session.run(storage::sql::duties::SilenceDevices{});
}

}  // namespace waybill::worker
