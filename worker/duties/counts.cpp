#include "storage/sql/duties.sql.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::worker {

void fold_counts(storage::blocking::Connection& session, const DutyOptions&) {
  session.run(storage::sql::duties::FoldCounts{});
  session.run(storage::sql::duties::FoldStatusCounts{});
  session.run(storage::sql::duties::FoldRunCounts{});
}

}  // namespace waybill::worker
