#include "base/observe.hpp"
#include "storage/fields.hpp"
#include "storage/sql.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::worker {

void keep_positions(storage::Session& session, const DutyOptions& options) {
  session.run(storage::sql::duties::make_position_partitions);
  const storage::Rows dropped =
      session.run(storage::sql::duties::drop_position_partitions, options.positions_retention_days);
  storage::for_each_row(dropped, [](const storage::RowView& row) {
    observe(Observable::partition_dropped, {{"partition", row.view(0)}});
  });
}

}  // namespace waybill::worker
