#include <vector>

#include "base/observe.hpp"
#include "storage/errors.hpp"
#include "storage/fields.hpp"
#include "storage/sql.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::worker {
namespace {

// Of the look: what was deleted stands before the first event for as long as somebody holds a snapshot open.
constexpr const char* limit = "set statement_timeout = '500ms'";
constexpr const char* no_limit = "reset statement_timeout";
constexpr std::string_view timed_out = "57014";

storage::Rows find(storage::Session& session) {
  session.execute(limit);
  try {
    storage::Rows rows = session.run(storage::sql::duties::find_passed_over);
    session.execute(no_limit);
    return rows;
  } catch (const storage::StatementError& error) {
    if (error.sqlstate() != timed_out) throw;
    session.execute(no_limit);
    return {};
  }
}

}  // namespace

// Nothing is passed over unless the marks are wrong, which is why they are not asked. An event of a long
// transaction is old when it is committed, so a shard is read again only if its event is still there after a
// while.
void read_passed_over(storage::Session& session, const DutyOptions&) {
  std::vector<std::int64_t> shards, ids;
  storage::for_each_row(find(session), [&](const storage::RowView& row) {
    shards.push_back(row.number(0));
    ids.push_back(row.number(1));
  });
  if (ids.empty()) return;
  session.execute("select pg_sleep(3)");
  const storage::Rows rows = session.run(storage::sql::duties::read_again, storage::array_literal(shards),
                                         storage::array_literal(ids));
  storage::for_each_row(rows, [&](const storage::RowView& row) {
    observe(Observable::event_passed_over, {{"shard", row.number(0)}, {"event_id", row.number(1)}});
  });
}

}  // namespace waybill::worker
