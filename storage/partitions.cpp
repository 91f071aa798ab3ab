#include "storage/partitions.hpp"

#include <string>

#include "base/observe.hpp"
#include "storage/blocking/connection.hpp"
#include "storage/sql.hpp"

namespace waybill::storage {
namespace {

constexpr std::int64_t rows_per_transaction = 10'000;
constexpr int transactions_per_call = 100;

/// Runs `statement` in its own transaction and logs `done` if the statement returns true.
template <typename... Values>
void change(blocking::Connection& session, const Statement& statement, Observable done,
            const std::string& partition, const Values&... values) {
  try {
    const pqxx::result rows = session.run(statement, values...);
    if (rows.at(0)["is_done"].as<bool>()) observe(done, {{"partition", partition}});
  } catch (const StatementError& error) {
    observe(Observable::partition_failed,
            {{"partition", partition}, {"error", std::string_view(error.what())}});
  }
}

void expire(blocking::Connection& session, const Statement& statement, int days) {
  for (int i = 0; i < transactions_per_call; ++i) {
    const pqxx::result rows = session.run(statement, days, rows_per_transaction);
    if (rows.at(0)["expired"].as<std::int64_t>() < rows_per_transaction) return;
  }
}

}  // namespace

void make_partitions(blocking::Connection& session) {
  for (const auto& row : session.run(sql::duties::missing_partitions)) {
    const auto parent = row["parent"].as<std::string>();
    const auto first = row["first"].as<std::string>();
    change(session, sql::duties::make_partition, Observable::partition_made, parent + " from " + first,
           parent, first);
  }
}

void drop_partitions(blocking::Connection& session, const Retention& retention) {
  for (const auto& row : session.run(sql::duties::old_partitions, retention.days, retention.positions_days)) {
    const auto partition = row["partition"].as<std::string>();
    change(session, sql::duties::drop_partition, Observable::partition_dropped, partition, partition);
  }
}

void expire_default_partitions(blocking::Connection& session, const Retention& retention) {
  expire(session, sql::duties::expire_other_events, retention.days);
  expire(session, sql::duties::expire_other_runs, retention.days);
  expire(session, sql::duties::expire_other_positions, retention.positions_days);
}

}  // namespace waybill::storage
