#include "storage/sql.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::worker {

void expire_uploads(storage::blocking::Connection& session, const DutyOptions& options) {
  session.run(storage::sql::duties::expire_uploads, options.retention_days);
}

}  // namespace waybill::worker
