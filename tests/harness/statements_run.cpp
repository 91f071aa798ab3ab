#include "tests/harness/statements_run.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <unistd.h>

#include "storage/statement/statement_list.hpp"
#include "tests/harness/sql_head.hpp"

namespace waybill::tests {
namespace {

const char* folder() { return std::getenv("STATEMENTS_RUN_FOLDER"); }

std::set<std::string_view>& recorded() {
  static std::set<std::string_view> names;
  return names;
}

/// Names of the statements by the head of their text.
const std::map<std::string_view, std::string_view>& names_by_head() {
  static const auto names = [] {
    std::map<std::string_view, std::string_view> all;
    for (const auto* statement : storage::all_statements())
      all.emplace(sql_head(statement->text), statement->name);
    return all;
  }();
  return names;
}

std::mutex& lock() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace

bool records_statements() { return folder() != nullptr; }

void record_statements(Session& admin, const std::string& database) {
  admin.exec("create extension if not exists pg_stat_statements");
  const auto texts = admin.column(
      "select s.query from pg_stat_statements s join pg_database d on d.oid = s.dbid "
      "where d.datname = $1 and s.query like '--%'",
      {database});
  admin.exec("select pg_stat_statements_reset(0, oid, 0) from pg_database where datname = '" + database +
             "'");
  const std::lock_guard guard(lock());
  for (const std::string& text : texts) {
    const auto found = names_by_head().find(sql_head(text));
    if (found != names_by_head().end()) recorded().insert(found->second);
  }
}

void write_recorded_statements() {
  if (!records_statements()) return;
  std::ofstream file(std::filesystem::path(folder()) / std::to_string(getpid()));
  for (const std::string_view name : recorded()) file << name << '\n';
}

}  // namespace waybill::tests
