#include "storage/sql/duties.sql.hpp"
#include "worker/duties/duties.hpp"
#include "worker/duties/plans.hpp"
#include "worker/duties/portions.hpp"

namespace waybill::worker {
namespace {

constexpr std::int64_t least_summed = 16;  // counts of an hour; a sum of fewer saves a reader little
constexpr std::int64_t hours_of_statement = 500;
constexpr std::int64_t rows_of_fold = 50'000;

}  // namespace

bool fold_counts(storage::blocking::Connection& session, const DutyOptions& options) {
  const auto fold = [&](const auto& statement) {
    return repeat_for(options.turn, [&] { return session.run(statement).front().folded == rows_of_fold; });
  };
  return walk_indexes(session, [&] {
    const bool has_records = fold(storage::sql::duties::FoldCounts{.limit = rows_of_fold});
    const bool has_statuses = fold(storage::sql::duties::FoldStatusCounts{.limit = rows_of_fold});
    const bool has_runs = fold(storage::sql::duties::FoldRunCounts{.limit = rows_of_fold});
    return has_records || has_statuses || has_runs;
  });
}

void sum_counts(storage::blocking::Connection& session, const DutyOptions& options) {
  const storage::sql::duties::SumRunCounts sum{.least_counts = least_summed, .limit = hours_of_statement};
  while (session.run(sum).front().hours == hours_of_statement) continue;
  session.run(storage::sql::duties::ExpireRunSums{.retention_days = options.retention_days});
}

}  // namespace waybill::worker
