#include "api/system/readiness.hpp"

#include <algorithm>
#include <vector>

#include "base/observe.hpp"
#include "storage/fields.hpp"
#include "storage/sql.hpp"

namespace waybill::api {
namespace {

using std::chrono::steady_clock;

constexpr auto ask_every = std::chrono::seconds(1);
constexpr auto longest_trust = std::chrono::seconds(3);  // in an answer while another thread asks
constexpr double longest_lag = 60;                       // seconds

constexpr const char* away = "The service cannot reach its database; try again.";

std::vector<std::string> migration_names() {
  std::vector<std::string> names;
  for (const storage::Statement& migration : storage::migrations()) names.emplace_back(migration.name);
  return names;
}

asio::awaitable<std::string> ask_database(storage::Database& database) {
  static const std::vector<std::string> names = migration_names();
  try {
    const auto rows =
        co_await database.write(storage::sql::system::readiness, storage::Params().add_array(names), {});
    const storage::RowView row(rows, 0);
    if (!row.boolean(0)) co_return "The database takes no writes.";
    if (!row.boolean(1)) co_return "The database's schema is older than this program: run `waybill migrate`.";
    co_return "";
  } catch (const storage::DatabaseUnavailable&) {
    co_return away;
  } catch (const storage::StatementError& error) {
    constexpr std::string_view undefined_table = "42P01";
    co_return error.sqlstate() == undefined_table ? "The database has no schema: run `waybill migrate`."
                                                  : away;
  }
}

asio::awaitable<std::string> ask_workers(storage::Database& database) {
  const auto rows = co_await database.read(storage::sql::system::workers, {});
  const storage::RowView row(rows, 0);
  const double lag = std::stod(row.string(1));
  set_gauge(Gauge::match_lag_seconds, lag);  // where no worker is left, nobody else tells
  if (row.number(0) == 0) co_return "No worker lives.";
  if (lag > longest_lag) co_return "Events wait for more than a minute: no worker keeps up with them.";
  co_return "";
}

}  // namespace

asio::awaitable<std::string> Readiness::database_fault(storage::Database& database) {
  return ask(database_, ask_database, database);
}

asio::awaitable<std::string> Readiness::worker_fault(storage::Database& database) {
  return ask(workers_, ask_workers, database);
}

asio::awaitable<std::string> Readiness::ask(Known& known, Ask question, storage::Database& database) {
  {
    const std::lock_guard lock(mutex_);
    const auto now = steady_clock::now();
    if (known.fault && now < known.next_question && now - known.at < longest_trust) co_return *known.fault;
    known.next_question = now + ask_every;
  }
  std::string fault = co_await question(database);
  const std::lock_guard lock(mutex_);
  known.fault = fault;
  known.at = steady_clock::now();
  co_return fault;
}

}  // namespace waybill::api
