#include "storage/partitions.hpp"

#include <string>

#include "base/observe.hpp"
#include "storage/errors.hpp"
#include "storage/fields.hpp"
#include "storage/sql.hpp"

namespace waybill::storage {
namespace {

constexpr std::int64_t rows_per_transaction = 10'000;
constexpr int transactions_per_call = 100;

/// Runs `statement` in its own transaction and logs `done` if the statement returns true.
template <typename... Values>
void change(Session& session, const Statement& statement, Observable done, const std::string& partition,
            const Values&... values) {
  try {
    const Rows rows = session.run(statement, values...);
    if (RowView(rows, 0).boolean(0)) observe(done, {{"partition", partition}});
  } catch (const StatementError& error) {
    observe(Observable::partition_failed,
            {{"partition", partition}, {"error", std::string_view(error.what())}});
  }
}

void expire(Session& session, const Statement& statement, int days) {
  for (int i = 0; i < transactions_per_call; ++i) {
    const Rows rows = session.run(statement, days, rows_per_transaction);
    if (RowView(rows, 0).number(0) < rows_per_transaction) return;
  }
}

}  // namespace

void make_partitions(Session& session) {
  const Rows missing = session.run(sql::duties::missing_partitions);
  for_each_row(missing, [&](const RowView& row) {
    const std::string parent = row.string(0);
    const std::string first = row.string(1);
    change(session, sql::duties::make_partition, Observable::partition_made, parent + " from " + first,
           parent, first);
  });
}

void drop_partitions(Session& session, const Retention& retention) {
  const Rows old = session.run(sql::duties::old_partitions, retention.days, retention.positions_days);
  for_each_row(old, [&](const RowView& row) {
    const std::string partition = row.string(0);
    change(session, sql::duties::drop_partition, Observable::partition_dropped, partition, partition);
  });
}

void expire_default_partitions(Session& session, const Retention& retention) {
  expire(session, sql::duties::expire_other_events, retention.days);
  expire(session, sql::duties::expire_other_runs, retention.days);
  expire(session, sql::duties::expire_other_positions, retention.positions_days);
}

}  // namespace waybill::storage
