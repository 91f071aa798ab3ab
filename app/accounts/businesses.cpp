#include "app/accounts/businesses.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <iomanip>
#include <optional>
#include <pwd.h>
#include <sstream>
#include <thread>
#include <unictype.h>
#include <unistd.h>
#include <unistr.h>
#include <vector>

#include "api/gate/idempotency.hpp"
#include "api/gate/quota.hpp"
#include "app/accounts/accounts.hpp"
#include "base/crypto.hpp"
#include "base/json.hpp"
#include "storage/sql/audit_log.sql.hpp"
#include "storage/sql/business_commands.sql.hpp"
#include "storage/sql/businesses.sql.hpp"
#include "storage/sql/doctor.sql.hpp"
#include "storage/sql/suspensions.sql.hpp"
#include "storage/statement/errors.hpp"

namespace waybill::app {
namespace {

using storage::blocking::Connection;

constexpr std::int64_t rows_per_transaction = 2'000;
constexpr std::string_view foreign_key_violation = "23503";
constexpr auto workers_notice_within = std::chrono::seconds(1);

std::string user_name() {
  const passwd* const user = getpwuid(getuid());
  return user != nullptr ? user->pw_name : std::to_string(getuid());
}

/// Escapes control characters, invisible ones of formatting and separators of lines (Unicode's categories Cc,
/// Cf, Zl and Zp) as in JSON: a business chooses its name, which must neither add lines nor steer the
/// terminal.
std::string printable(std::string_view text) {
  constexpr std::uint32_t escaped =
      UC_CATEGORY_MASK_Cc | UC_CATEGORY_MASK_Cf | UC_CATEGORY_MASK_Zl | UC_CATEGORY_MASK_Zp;
  std::string result;
  while (!text.empty()) {
    ucs4_t code = 0;
    const auto length = static_cast<std::size_t>(
        u8_mbtouc(&code, reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
    if (uc_is_general_category_withtable(code, escaped)) {
      std::array<std::uint16_t, 2> units{};
      const int count = u16_uctomb(units.data(), code, units.size());
      for (int i = 0; i < count; ++i) {
        const auto unit = units.at(static_cast<std::size_t>(i));
        const std::array<std::uint8_t, 2> bytes{static_cast<std::uint8_t>(unit >> 8U),
                                                static_cast<std::uint8_t>(unit & 0xffU)};
        result += "\\u" + hex(bytes);
      }
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return result;
}

/// Writes rows of texts in columns; the first row is the heading.
std::string table_of(std::vector<std::vector<std::string>> rows) {
  for (auto& row : rows) std::ranges::transform(row, row.begin(), printable);
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line.append(widths[i] - row[i].size() + 2, ' ');
    }
    text += line + '\n';
  }
  return text;
}

}  // namespace

OperatorSession::OperatorSession(const std::string& database_url, const char* application_name)
    : database_url_(database_url), operator_name_(user_name()), connection_(database_url, application_name) {
  const json::object by{{"type", "operator"}, {"guid", nullptr}, {"name", operator_name_}};
  connection_.run(
      storage::sql::audit_log::SetAuthor{.cause = to_json(json::object{{"by", by}, {"depth", 0}})});
}

Guid OperatorSession::find(const std::string& name_or_guid, Names names) {
  const auto found = find_business(connection_, name_or_guid, names);
  if (found) return found->guid;
  if (names == Names::operators && find_business(connection_, name_or_guid, Names::any)) {
    throw CommandError("the business \"" + name_or_guid +
                       "\" has chosen its name itself; give its guid, which `waybill business list` shows");
  }
  throw CommandError("--business: there is no business \"" + name_or_guid + "\"");
}

bool note_export(OperatorSession& session, const Guid& business, std::string_view entity_type,
                 const Guid& entity) {
  const auto servers = session.connection().run(storage::sql::doctor::Server{});
  const auto server = servers.front();
  if (server.is_standby || server.is_read_only) return false;
  session.connection().run(storage::sql::audit_log::Note{.business = business,
                                                         .action = "exported",
                                                         .entity_type = entity_type,
                                                         .entity = entity,
                                                         .entity_name = std::nullopt});
  return true;
}

std::string list_businesses(OperatorSession& session, bool as_json) {
  json::array entries;
  std::vector<std::vector<std::string>> lines{
      {"GUID", "STATUS", "PLAN", "CREATED", "USERS", "WAITING EVENTS", "NAME"}};
  for (const auto& row : session.connection().run(sql::business_commands::List{})) {
    const std::string guid = row.guid.to_string();
    entries.push_back({{"guid", guid},
                       {"name", row.name},
                       {"plan", row.plan},
                       {"status", row.status},
                       {"createdAt", row.created_at},
                       {"users", row.users},
                       {"waitingEvents", row.waiting_events}});
    lines.push_back({guid, std::string(row.status), std::string(row.plan), std::string(row.created_at),
                     std::to_string(row.users), std::to_string(row.waiting_events), std::string(row.name)});
  }
  return as_json ? to_json(entries) + '\n' : table_of(lines);
}

std::string usage_of_business(OperatorSession& session, const Guid& business, const Config& config,
                              bool as_json) {
  const auto found = session.connection().run(sql::business_commands::Usage{.business = business});
  const auto usage = found.front();
  const api::Plans plans = api::Plans::parse(config.plans);
  const auto* const plan = plans.find(std::string(usage.plan));
  json::array tables;
  std::int64_t bytes = 0, events = 0;
  std::vector<std::vector<std::string>> sizes{{"TABLE", "ROWS", "BYTES"}};
  const auto stored = session.connection().run(sql::business_commands::Sizes{.business = business});
  for (const auto& row : stored) {
    tables.push_back({{"name", row.name}, {"rows", row.row_count}, {"bytes", row.bytes}});
    sizes.push_back({std::string(row.name), std::to_string(row.row_count), std::to_string(row.bytes)});
    bytes += row.bytes;
    if (row.name == "events") events = row.row_count;
  }
  const json::object all{
      {"guid", business.to_string()},
      {"name", usage.name},
      {"plan", usage.plan},
      {"status", usage.status},
      {"records",
       {{"orders", usage.orders},
        {"shipments", usage.shipments},
        {"customers", usage.customers},
        {"products", usage.products}}},
      {"events", events},
      {"waitingEvents", usage.waiting_events},
      {"runs", {{"finished", usage.runs_finished}, {"open", usage.runs_open}, {"held", usage.runs_held}}},
      {"workflows", usage.workflows},
      {"integrations", usage.integrations},
      {"users", usage.users},
      {"tokens", usage.tokens},
      {"mailsToday", usage.mails_today},
      {"requestsThisMinute", usage.requests_this_minute},
      {"requestsPerMinute", plan != nullptr ? json::value(plan->requests_per_minute) : json::value()},
      {"storage", {{"bytes", bytes}, {"tables", tables}}}};
  if (as_json) return to_json(all) + '\n';
  std::vector<std::vector<std::string>> lines{{"USAGE", ""}};
  for (const auto& [name, value] : all) {
    if (name == "storage") continue;
    if (!value.is_object()) {
      lines.push_back(
          {std::string(name), value.is_string() ? std::string(value.get_string()) : to_json(value)});
      continue;
    }
    for (const auto& [part, number] : value.get_object()) {
      lines.push_back({std::string(name) + "." + std::string(part), to_json(number)});
    }
  }
  lines.push_back({"storage.bytes", std::to_string(bytes)});
  return table_of(lines) + '\n' + table_of(sizes);
}

void suspend_business(OperatorSession& session, const Guid& business) {
  session.connection().run(sql::suspensions::Suspend{.business = business});
}

void resume_business(OperatorSession& session, const Guid& business) {
  Connection& connection = session.connection();
  if (connection.run(sql::suspensions::Resume{.business = business}).empty()) {
    throw CommandError("the deletion of the business has begun; finish it with `waybill business delete`");
  }
  // A worker that has not noticed the change yet can hold a run afterwards; the duty release_held queues it.
  const auto release = [&] {
    return connection.run(sql::suspensions::ReleaseRuns{.business = business, .limit = rows_per_transaction})
        .front()
        .released;
  };
  while (release() == rows_per_transaction) continue;
  connection.execute("notify waybill_queue");
}

namespace {

/// Deletes the rows of a table. Returns their number.
std::int64_t empty_table(Connection& connection, const Guid& business, std::string_view table) {
  std::int64_t total = 0, deleted = 0;
  do {
    deleted = connection
                  .run(sql::business_commands::DeleteRows{
                      .business = business, .table_name = table, .limit = rows_per_transaction})
                  .front()
                  .deleted;
    total += deleted;
  } while (deleted == rows_per_transaction);
  return total;
}

/// Deletes the rows of all tables once. Rows that are added during the call, and rows that these refer to,
/// can stay; the next call deletes them.
std::int64_t empty_tables(Connection& connection, const Guid& business) {
  std::int64_t total = 0;
  connection.run(
      sql::business_commands::DeleteSessions{.business = business, .session_owner = api::owner_of_sessions});
  for (const auto& table : connection.run(sql::business_commands::Tables{})) {
    try {
      total += empty_table(connection, business, table.name);
    } catch (const storage::StatementError& error) {
      // A missing table is a partition that was dropped before this statement.
      const bool passes = error.sqlstate() == foreign_key_violation || storage::is_undefined_table(error) ||
                          storage::is_lock_conflict(error);
      if (!passes) throw;
      ++total;
    }
  }
  return total;
}

/// Returns false if a row refers to the business.
bool remove_row(Connection& connection, const Guid& business) {
  try {
    connection.run(sql::business_commands::DeleteBusiness{.business = business});
    return true;
  } catch (const storage::StatementError& error) {
    if (error.sqlstate() != foreign_key_violation) throw;
    return false;
  }
}

}  // namespace

std::int64_t delete_business(OperatorSession& session, const Guid& business) {
  Connection& connection = session.connection();
  connection.execute("set waybill.audit = off");  // the log is deleted, too
  connection.run(sql::business_commands::BeginDeletion{.business = business});
  std::int64_t total = 0;
  do {
    // The deletion of a record writes an event, which a later pass deletes.
    while (const std::int64_t deleted = empty_tables(connection, business)) total += deleted;
  } while (!remove_row(connection, business));
  // Counts that processes hold in memory are stored only for businesses that exist. A call that has begun
  // before the deletion may still add other rows, such as a kept answer.
  std::this_thread::sleep_for(workers_notice_within);
  while (const std::int64_t deleted = empty_tables(connection, business)) total += deleted;
  return total;
}

}  // namespace waybill::app
