#include <vector>

#include "base/observe.hpp"
#include "storage/sql/duties.sql.hpp"
#include "storage/statement/errors.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::worker {
namespace {

// Limits the search: while any snapshot is open, deleted rows remain before the first event and must be read.
constexpr const char* set_limit = "set statement_timeout = '500ms'";
constexpr const char* reset_limit = "reset statement_timeout";

storage::ResultOf<sql::duties::FindPassedOver, pqxx::result> find_passed_over(
    storage::blocking::Connection& session) {
  session.execute(set_limit);
  try {
    auto rows = session.run(sql::duties::FindPassedOver{});
    session.execute(reset_limit);
    return rows;
  } catch (const storage::StatementError& error) {
    if (!storage::is_canceled(error)) throw;
    session.execute(reset_limit);
    return {};
  }
}

}  // namespace

// Events are passed over only if a watermark is wrong, so the watermarks are not used here. An event of a
// long transaction is already old when it is committed; a shard is therefore read again only if the event is
// still pending after 3 s.
void read_passed_over(storage::blocking::Connection& session, const DutyOptions&) {
  std::vector<std::int64_t> shards, ids;
  for (const auto& row : find_passed_over(session)) {
    shards.push_back(row.shard);
    ids.push_back(row.id);
  }
  if (ids.empty()) return;
  session.execute("select pg_sleep(3)");
  for (const auto& row : session.run(sql::duties::ReadAgain{.shards = shards, .events = ids}))
    observe(Observable::event_passed_over, {{"shard", row.shard}, {"event_id", row.id}});
}

}  // namespace waybill::worker
