#include "storage/sql/duties.sql.hpp"
#include "worker/duties/duties.hpp"
#include "worker/duties/parts.hpp"
#include "worker/duties/portions.hpp"

namespace waybill::worker {

bool expire(storage::blocking::Connection& session, const DutyOptions& options) {
  constexpr std::int64_t rows_per_transaction = 5'000;
  constexpr std::int64_t jobs_per_transaction = 50;  // each can have a file of 48 MiB
  Parts parts;
  const auto run = [&](const auto& statement) { parts.perform([&] { session.run(statement); }); };
  const auto run_portions = [&](const auto& statement) {
    parts.perform([&] {
      return repeat_for(options.turn,
                        [&] { return session.run(statement).front().expired == rows_per_transaction; });
    });
  };
  const int days = options.retention_days;
  run_portions(sql::duties::ExpireIdempotencyKeys{.limit = rows_per_transaction});
  run(sql::duties::ExpireSecrets{});
  run_portions(sql::duties::ExpireAccounts{.limit = rows_per_transaction});
  run_portions(sql::duties::ExpireFirings{.limit = rows_per_transaction});
  run(sql::duties::ExpireLeaseRenewals{});
  run_portions(sql::duties::ExpireAlertMessages{.retention_days = days, .limit = rows_per_transaction});
  run_portions(sql::duties::ExpireImports{.retention_days = days, .limit = rows_per_transaction});
  parts.perform([&] {
    return repeat_for(options.turn, [&] {
      return session.run(sql::duties::ExpireJobs{.limit = jobs_per_transaction}).front().expired ==
             jobs_per_transaction;
    });
  });
  return parts.finish();
}

}  // namespace waybill::worker
