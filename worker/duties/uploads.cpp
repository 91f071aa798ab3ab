#include "storage/sql/duties.sql.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::worker {

void expire_uploads(storage::blocking::Connection& session, const DutyOptions& options) {
  session.run(storage::sql::duties::ExpireUploads{.retention_days = options.retention_days});
}

}  // namespace waybill::worker
