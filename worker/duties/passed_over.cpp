#include <vector>

#include "base/observe.hpp"
#include "storage/errors.hpp"
#include "storage/fields.hpp"
#include "storage/sql.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::worker {
namespace {

// Limits the search: while any snapshot is open, deleted rows remain before the first event and must be read.
constexpr const char* set_limit = "set statement_timeout = '500ms'";
constexpr const char* reset_limit = "reset statement_timeout";
constexpr std::string_view timed_out = "57014";

storage::Rows find_passed_over(storage::Session& session) {
  session.execute(set_limit);
  try {
    storage::Rows rows = session.run(storage::sql::duties::find_passed_over);
    session.execute(reset_limit);
    return rows;
  } catch (const storage::StatementError& error) {
    if (error.sqlstate() != timed_out) throw;
    session.execute(reset_limit);
    return {};
  }
}

}  // namespace

// Events are passed over only if a watermark is wrong, so the watermarks are not used here. An event of a
// long transaction is already old when it is committed; a shard is therefore read again only if the event is
// still pending after 3 s.
void read_passed_over(storage::Session& session, const DutyOptions&) {
  std::vector<std::int64_t> shards, ids;
  storage::for_each_row(find_passed_over(session), [&](const storage::RowView& row) {
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
