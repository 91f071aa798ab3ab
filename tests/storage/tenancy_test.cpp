#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/json.hpp"
#include "storage/statement/statement_list.hpp"
#include "tests/harness/postgres.hpp"

namespace waybill::tests {
namespace {

// Statements that serve all businesses at once: those of the worker, of the mail sender and of the rotation
// of keys, those that find the business of a request, and those of users who log in before their business is
// known.
constexpr std::string_view of_all_businesses[] = {
    "alerts.claim",
    "alerts.count_failures",
    "alerts.look",
    "alerts.make_messages",
    "catalog.",
    "digests.due_businesses",
    "digests.look",
    "doctor.gateways",
    "destinations.expire",
    "destinations.waiting",  // by places in the queue, whose names end with the business
    "duties.",
    "leases.",
    "mail_outbox.",
    "operator_page.",
    "outbox.",
    "purchases.claim",
    "purchases.due_businesses",
    "purchases.look",
    "purchases.postpone",
    "queue.",
    "schedules.all_coming",
    "schedules.look",
    "schedules.take_changed_zone",
    "schema_migrations.",
    "sealed.",
    "suspensions.list",
    "suspensions.release_runs",
    "suspensions.set_aside",
    "system.",
    "timers.businesses",
    "timers.claim",
    "timers.look",
    "tokens.find",
    "users.",
    "user_sessions.start",
    "user_sessions.finish",
    "console_sessions.find_link",
    "console_sessions.use_link",
    "businesses.open",
    "businesses.soft_check",
    "workflows.changed",
    "integrations.find_inbound",
    "carriers.find_inbound",
    "tracking_pages.",
    "imports.claim",
    "imports.is_due",
    "imports.renew",
    "jobs.claim",
    "jobs.is_due",
    "jobs.renew",
    "tracking_pulls.claim",
    "tracking_pulls.announce",
    "tracking_pulls.find_lanes",
    "tracking_pulls.next_lane",
};

bool serves_all(std::string_view statement) {
  return std::ranges::any_of(of_all_businesses,
                             [&](std::string_view prefix) { return statement.starts_with(prefix); });
}

class Tenancy : public testing::Test {
 protected:
  Tenancy() {
    // Every table is then read by its own conditions, not by those of a join above it.
    database.exec(
        "set plan_cache_mode = force_generic_plan; set enable_seqscan = off; set enable_bitmapscan = off; "
        "set enable_hashjoin = off; set enable_mergejoin = off; set jit = off");
    for (const auto& row :
         database.rows("select c.relname from pg_attribute a join pg_class c on c.oid = a.attrelid "
                       "where a.attname = 'business_id' and c.relkind in ('r', 'p')")) {
      tables.insert(row.at(0).value());
    }
  }

  // PostgreSQL's plan for any parameter values.
  json::value plan(const storage::Statement& statement) {
    const std::string name = "\"" + std::string(statement.name) + "\"";
    database.exec("prepare " + name + " as " + std::string(statement.text));
    const auto count = database.number(
        "select coalesce(array_length(parameter_types, 1), 0) "
        "from pg_prepared_statements where name = $1",
        {std::string(statement.name)});
    std::string arguments;
    for (std::int64_t i = 0; i < count; ++i) arguments += i == 0 ? "null" : ", null";
    return json::parse(
        database.value("explain (format json) execute " + name + (count > 0 ? "(" + arguments + ")" : "")));
  }

  // Collects the tables that a plan reads without a condition on the business. `above` has the conditions of
  // the joins above the node.
  void collect_unguarded(const json::value& node, std::vector<std::string>& unguarded,
                         std::string above = {}) const {
    if (const auto* const list = node.if_array()) {
      for (const auto& entry : *list) collect_unguarded(entry, unguarded, above);
    }
    const auto* const object = node.if_object();
    if (object == nullptr) return;
    if (const auto* const join = object->if_contains("Join Filter"))
      above += std::string_view(join->as_string());
    for (const auto& [key, member] : *object) {
      if (member.is_structured()) collect_unguarded(member, unguarded, above);
    }
    const auto* const relation = object->if_contains("Relation Name");
    // The target tables of a change have no type.
    const auto* const type = object->if_contains("Node Type");
    if (relation == nullptr || type == nullptr || *type == "ModifyTable") return;
    if (!tables.contains(std::string(relation->as_string()))) return;
    const std::string column = std::string(object->at("Alias").as_string()) + ".business_id";
    bool guarded = above.find("(" + column + " =") != std::string::npos ||
                   above.find("= " + column + ")") != std::string::npos;
    for (const char* kind : {"Index Cond", "Filter", "TID Cond"}) {
      const auto* const condition = object->if_contains(kind);
      guarded =
          guarded || (condition != nullptr &&
                      std::string_view(condition->as_string()).find("business_id") != std::string_view::npos);
    }
    if (!guarded) unguarded.emplace_back(relation->as_string());
  }

  TestDatabase database;
  std::set<std::string> tables;
};

TEST_F(Tenancy, EveryStatementOfTheApiReadsEachTableByItsBusiness) {
  ASSERT_TRUE(tables.contains("orders"));
  std::size_t checked = 0;
  for (const storage::Statement* statement : storage::all_statements()) {
    if (serves_all(statement->name)) continue;
    SCOPED_TRACE(statement->name);
    std::vector<std::string> unguarded;
    collect_unguarded(plan(*statement), unguarded);
    for (const std::string& table : unguarded) {
      ADD_FAILURE() << statement->name << " reads " << table << " of every business";
    }
    ++checked;
  }
  EXPECT_GT(checked, 30U);
}

TEST_F(Tenancy, AStatementWithoutTheBusinessIsFound) {
  std::vector<std::string> unguarded;
  collect_unguarded(plan({"test.unguarded", "select count(*) from orders where guid = $1::uuid"}), unguarded);
  EXPECT_EQ(unguarded, std::vector<std::string>{"orders"});
}

}  // namespace
}  // namespace waybill::tests
