#include "storage/sql.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::worker {

void expire(storage::Session& session, const DutyOptions&) {
  session.run(storage::sql::duties::expire_idempotency_keys);
  session.run(storage::sql::duties::expire_secrets);
  session.run(storage::sql::duties::expire_accounts);
  session.run(storage::sql::duties::expire_firings);
}

}  // namespace waybill::worker
