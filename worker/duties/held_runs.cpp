#include "storage/sql/duties.sql.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::worker {

void release_held(storage::blocking::Connection& session, const DutyOptions&) {
  session.run(storage::sql::duties::ReleaseHeld{});
}

}  // namespace waybill::worker
