#include "storage/sql.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::worker {

void release_held(storage::blocking::Connection& session, const DutyOptions&) {
  session.run(storage::sql::duties::release_held);
}

}  // namespace waybill::worker
