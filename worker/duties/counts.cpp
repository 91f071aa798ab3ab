#include "storage/sql/duties.sql.hpp"
#include "worker/duties/duties.hpp"
#include "worker/duties/plans.hpp"
#include "worker/duties/portions.hpp"

namespace waybill::worker {
namespace {

constexpr std::int64_t least_summed = 16;  // counts of an hour; a sum of fewer saves a reader little
constexpr std::int64_t hours_of_statement = 500;
constexpr std::int64_t rows_of_fold = 50'000;

// A total of a value of own data is kept from this number of records on: to count as many takes up to 20 ms.
// It is kept until it is half of it, so that it is not counted again and again.
constexpr std::int64_t least_kept = 4000;

// Readers of the totals continue.
constexpr const char* lock_totals = "lock table own_data_totals in share row exclusive mode";

/// Runs a statement while no other session changes the totals of own data.
template <typename Statement>
auto run_alone(storage::blocking::Connection& session, const Statement& statement) {
  return session.transact([&](storage::blocking::Transaction& transaction) {
    transaction.execute(lock_totals);
    return transaction.run(statement).front();
  });
}

bool fold_own_data(storage::blocking::Connection& session, const DutyOptions& options) {
  const storage::sql::duties::FoldOwnData fold{.limit = rows_of_fold, .least = least_kept / 2};
  return repeat_for(options.turn, [&] { return run_alone(session, fold).folded == rows_of_fold; });
}

bool count_own_data(storage::blocking::Connection& session, const DutyOptions& options) {
  const storage::sql::duties::CountOwnData count{.least = least_kept};
  return repeat_for(options.turn, [&] { return run_alone(session, count).counted > 0; });
}

}  // namespace

bool fold_counts(storage::blocking::Connection& session, const DutyOptions& options) {
  const auto fold = [&](const auto& statement) {
    return repeat_for(options.turn, [&] { return session.run(statement).front().folded == rows_of_fold; });
  };
  const bool has_more = walk_indexes(session, [&] {
    const bool has_records = fold(storage::sql::duties::FoldCounts{.limit = rows_of_fold});
    const bool has_statuses = fold(storage::sql::duties::FoldStatusCounts{.limit = rows_of_fold});
    const bool has_runs = fold(storage::sql::duties::FoldRunCounts{.limit = rows_of_fold});
    const bool has_own_data = fold_own_data(session, options);
    return has_records || has_statuses || has_runs || has_own_data;
  });
  return count_own_data(session, options) || has_more;
}

void sum_counts(storage::blocking::Connection& session, const DutyOptions& options) {
  const storage::sql::duties::SumRunCounts sum{.least_counts = least_summed, .limit = hours_of_statement};
  while (session.run(sum).front().hours == hours_of_statement) continue;
  session.run(storage::sql::duties::ExpireRunSums{.retention_days = options.retention_days});
}

}  // namespace waybill::worker
