#include "storage/sql.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::worker {

void expire(storage::blocking::Connection& session, const DutyOptions& options) {
  session.run(storage::sql::duties::expire_idempotency_keys);
  session.run(storage::sql::duties::expire_secrets);
  session.run(storage::sql::duties::expire_accounts);
  session.run(storage::sql::duties::expire_firings);
  session.run(storage::sql::duties::expire_beats);
  session.run(storage::sql::duties::expire_imports, options.retention_days);
}

}  // namespace waybill::worker
