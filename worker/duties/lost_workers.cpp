#include "storage/sql.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::worker {

void free_lost_runs(storage::Session& session, const DutyOptions&) {
  session.run(storage::sql::duties::free_lost_runs);
}

}  // namespace waybill::worker
