#include "storage/sql.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::worker {

void fold_counts(storage::blocking::Connection& session, const DutyOptions&) {
  session.run(storage::sql::duties::fold_counts);
  session.run(storage::sql::duties::fold_run_counts);
}

}  // namespace waybill::worker
