#include "storage/schema/partitions.hpp"

#include "worker/duties/duties.hpp"

namespace waybill::worker {

void keep_partitions(storage::blocking::Connection& session, const DutyOptions& options) {
  const storage::Retention retention{.days = options.retention_days,
                                     .positions_days = options.positions_retention_days};
  storage::make_partitions(session);
  storage::drop_partitions(session, retention);
  storage::expire_default_partitions(session, retention);
}

}  // namespace waybill::worker
