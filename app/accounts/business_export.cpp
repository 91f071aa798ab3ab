#include <fcntl.h>
#include <fstream>
#include <map>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "api/customers/customer_export.hpp"
#include "app/accounts/accounts.hpp"
#include "app/accounts/businesses.hpp"
#include "base/clock.hpp"
#include "base/json.hpp"
#include "storage/session/session.hpp"
#include "storage/sql/business_commands.sql.hpp"

namespace waybill::app {
namespace {

namespace fs = std::filesystem;
using storage::blocking::Transaction;

/// The files of an export. Only the user who runs the command can read them.
class Files {
 public:
  explicit Files(fs::path directory) : directory_(std::move(directory)) {
    if (::mkdir(directory_.c_str(), 0700) != 0) {
      throw CommandError("cannot create " + directory_.string() + ": " +
                         std::generic_category().message(errno));
    }
  }

  void add_line(const std::string& table, std::string_view line) {
    if (table != open_) {
      finish();
      file_.open(directory_ / (table + ".jsonl"), std::ios::app | std::ios::binary);
      open_ = table;
    }
    file_ << line << '\n';
    ++rows_[table];
  }

  void add_manifest(const Guid& business) {
    finish();
    json::object tables;
    for (const auto& [table, rows] : rows_) tables[table] = rows;
    std::ofstream manifest(directory_ / "manifest.json", std::ios::binary);
    manifest << to_json(json::object{{"business", business.to_string()},
                                     {"at", format_timestamp(system_clock().now())},
                                     {"rows", tables}})
             << '\n';
    manifest.close();
    if (!manifest) throw CommandError("cannot write to " + directory_.string());
  }

  std::int64_t rows() const {
    std::int64_t total = 0;
    for (const auto& [table, rows] : rows_) total += rows;
    return total;
  }

 private:
  void finish() {
    if (open_.empty()) return;
    file_.close();
    if (!file_) throw CommandError("cannot write to " + directory_.string());
    file_.clear();
    open_.clear();
  }

  const fs::path directory_;
  std::ofstream file_;
  std::string open_;  // the table of file_; empty: none
  std::map<std::string, std::int64_t> rows_;
};

/// Reads a table through a cursor, so that neither side has more than a few rows in memory.
void write_table(Transaction& transaction, const Guid& business, std::string_view table,
                 const std::string& base, Files& files) {
  const auto opened =
      transaction.run(sql::business_commands::OpenRows{.business = business, .table_name = table});
  const std::string cursor = '"' + std::string(opened.front().cursor) + '"';
  for (;;) {
    const pqxx::result rows = transaction.execute("fetch 200 from " + cursor);
    if (rows.empty()) break;
    for (const auto& row : rows) files.add_line(base, {row[0].c_str(), row[0].size()});
  }
  transaction.execute("close " + cursor);
}

/// Creates a file that only the user who runs the command can read.
void create_file(const fs::path& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0)
    throw CommandError("cannot create " + path.string() + ": " + std::generic_category().message(errno));
  ::close(file);
}

}  // namespace

std::int64_t export_business(OperatorSession& session, const Guid& business, const fs::path& directory) {
  if (fs::exists(directory)) throw CommandError(directory.string() + " exists");
  fs::path partial = directory;
  partial += ".partial";
  Files files(partial);
  session.connection().transact([&](Transaction& transaction) {
    transaction.execute("set transaction isolation level repeatable read, read only");
    const auto row = transaction.run(sql::business_commands::BusinessRow{.business = business});
    if (row.empty()) throw CommandError("the business was deleted during the export");
    files.add_line("businesses", row.front().data);
    for (const auto& table : transaction.run(sql::business_commands::Tables{})) {
      if (table.is_exported) write_table(transaction, business, table.name, std::string(table.base), files);
    }
  });
  files.add_manifest(business);
  std::error_code error;
  fs::rename(partial, directory, error);
  if (error) throw CommandError("cannot rename " + partial.string() + ": " + error.message());
  return files.rows();
}

void export_customer(const std::string& database_url, const Guid& business, const Guid& customer,
                     const std::string& public_url, const fs::path& file) {
  if (fs::exists(file)) throw CommandError(file.string() + " exists");
  fs::path partial = file;
  partial += ".partial";
  create_file(partial);
  std::ofstream output(partial, std::ios::binary);
  storage::Session session(database_url, "waybill business");
  storage::Work work(session);
  session.execute("set transaction isolation level repeatable read, read only");
  const bool is_known = api::export_customer(
      session,
      {.business = business, .customer = customer, .public_url = public_url, .at = system_clock().now()},
      [&](std::string_view part) { return static_cast<bool>(output << part); });
  output.close();
  if (!is_known) {
    fs::remove(partial);
    throw CommandError("the business has no customer " + customer.to_string());
  }
  std::error_code error;
  if (output) fs::rename(partial, file, error);
  if (!output || error) throw CommandError("cannot write " + partial.string());
}

}  // namespace waybill::app
