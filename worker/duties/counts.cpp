#include "storage/sql/duties.sql.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::worker {
namespace {

constexpr std::int64_t least_summed = 16;  // counts of an hour; a sum of fewer saves a reader little
constexpr std::int64_t hours_of_statement = 500;

}  // namespace

void fold_counts(storage::blocking::Connection& session, const DutyOptions&) {
  session.run(storage::sql::duties::FoldCounts{});
  session.run(storage::sql::duties::FoldStatusCounts{});
  session.run(storage::sql::duties::FoldRunCounts{});
}

void sum_counts(storage::blocking::Connection& session, const DutyOptions& options) {
  const storage::sql::duties::SumRunCounts sum{.least_counts = least_summed, .limit = hours_of_statement};
  while (session.run(sum).front().hours == hours_of_statement) continue;
  session.run(storage::sql::duties::ExpireRunSums{.retention_days = options.retention_days});
}

}  // namespace waybill::worker
