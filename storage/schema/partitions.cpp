#include "storage/schema/partitions.hpp"

#include <string>

#include "base/observe.hpp"
#include "storage/blocking/connection.hpp"
#include "storage/sql/duties.sql.hpp"

namespace waybill::storage {
namespace {

constexpr std::int64_t rows_per_transaction = 10'000;
constexpr int transactions_per_call = 100;

/// Runs `statement` in its own transaction and logs `done` if the statement returns true.
template <TypedStatement S>
void change(blocking::Connection& session, const S& statement, Observable done,
            const std::string& partition) {
  try {
    if (session.run(statement).front().is_done) observe(done, {{"partition", partition}});
  } catch (const StatementError& error) {
    observe(Observable::partition_failed,
            {{"partition", partition}, {"error", std::string_view(error.what())}});
  }
}

template <TypedStatement S>
void expire(blocking::Connection& session, int days) {
  for (int i = 0; i < transactions_per_call; ++i) {
    const auto result = session.run(S{.retention_days = days, .limit = rows_per_transaction});
    if (result.front().expired < rows_per_transaction) return;
  }
}

}  // namespace

void make_partitions(blocking::Connection& session) {
  for (const auto& row : session.run(sql::duties::MissingPartitions{})) {
    change(session, sql::duties::MakePartition{.parent = row.parent, .first_day = row.first},
           Observable::partition_made, std::string(row.parent) + " from " + std::string(row.first));
  }
}

void drop_partitions(blocking::Connection& session, const Retention& retention) {
  const auto old = session.run(
      sql::duties::OldPartitions{.days = retention.days, .positions_days = retention.positions_days});
  for (const auto& row : old) {
    change(session, sql::duties::DropPartition{.partition = row.partition}, Observable::partition_dropped,
           std::string(row.partition));
  }
}

void expire_default_partitions(blocking::Connection& session, const Retention& retention) {
  expire<sql::duties::ExpireOtherEvents>(session, retention.days);
  expire<sql::duties::ExpireOtherRuns>(session, retention.days);
  expire<sql::duties::ExpireOtherStepTexts>(session, retention.days);
  expire<sql::duties::ExpireOtherDigestEvents>(session, retention.days);
  expire<sql::duties::ExpireOtherMailAddresses>(session, retention.days);
  expire<sql::duties::ExpireOtherPositions>(session, retention.positions_days);
}

}  // namespace waybill::storage
