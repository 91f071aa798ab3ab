#include "api/system/readiness.hpp"

#include <algorithm>
#include <vector>

#include "storage/sql/system.sql.hpp"
#include "storage/statement/statement_list.hpp"

namespace waybill::api {
namespace {

using std::chrono::steady_clock;

constexpr auto check_interval = std::chrono::seconds(1);
constexpr auto fault_check_interval =
    std::chrono::milliseconds(100);                       // a load balancer waits for the recovery
constexpr auto max_result_age = std::chrono::seconds(3);  // while another thread repeats the check
constexpr double longest_lag = 60;                        // seconds

constexpr const char* unreachable = "The service cannot reach its database; try again.";

std::vector<std::string> migration_names() {
  std::vector<std::string> names;
  for (const storage::Statement& migration : storage::migrations()) names.emplace_back(migration.name);
  return names;
}

}  // namespace

asio::awaitable<std::string> Readiness::check_database(storage::Database& database) {
  static const std::vector<std::string> names = migration_names();
  try {
    if (disk_was_full_ && co_await disk_is_full(database))
      co_return "The database does not accept writes: its disk is full.";
    const auto rows = co_await database.write(sql::system::Readiness{.migrations = names}, {});
    const auto state = rows.front();
    if (!state.is_writable) co_return "The database does not accept writes.";
    if (!state.is_current)
      co_return "The database's schema is older than this program: run `waybill migrate`.";
    co_return "";
  } catch (const storage::DatabaseUnavailable&) {
    co_return unreachable;
  } catch (const storage::StatementError& error) {
    co_return storage::is_undefined_table(error) ? "The database has no schema: run `waybill migrate`."
                                                 : unreachable;
  }
}

/// Writes a temporary file. Called only after a refused write, because it costs the server milliseconds.
asio::awaitable<bool> Readiness::disk_is_full(storage::Database& database) {
  try {
    co_await database.write(sql::system::TemporaryFile{}, {});
    disk_was_full_ = false;
  } catch (const storage::StatementError& error) {
    if (!storage::is_disk_full(error)) throw;
  }
  co_return disk_was_full_;
}

asio::awaitable<std::string> Readiness::check_workers(storage::Database& database) {
  const auto rows = co_await database.read(sql::system::Workers{});
  const auto workers = rows.front();
  if (workers.living == 0) co_return "No worker is running.";
  if (workers.lag > longest_lag)
    co_return "Events have waited for more than a minute: the workers do not keep up.";
  co_return "";
}

asio::awaitable<std::string> Readiness::database_fault(storage::Database& database) {
  return cached(Subject::database, &Readiness::check_database, database);
}

asio::awaitable<std::string> Readiness::worker_fault(storage::Database& database) {
  return cached(Subject::workers, &Readiness::check_workers, database);
}

asio::awaitable<std::string> Readiness::cached(Subject subject, Check check, storage::Database& database) {
  {
    const Lock lock(mutex_);
    Result& result = result_of(subject);
    const auto now = steady_clock::now();
    if (result.fault && now < result.next_check && now - result.at < max_result_age) co_return *result.fault;
    result.next_check = now + check_interval;
  }
  std::string fault = co_await (this->*check)(database);
  const Lock lock(mutex_);
  Result& result = result_of(subject);
  result.fault = fault;
  result.at = steady_clock::now();
  if (!fault.empty()) result.next_check = std::min(result.next_check, result.at + fault_check_interval);
  co_return fault;
}

}  // namespace waybill::api
