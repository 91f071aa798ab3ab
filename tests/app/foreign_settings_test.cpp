// Settings that an operator has given the role or the database for other programs.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/harness/postgres.hpp"
#include "tests/harness/process.hpp"
#include "tests/harness/receiver.hpp"
#include "tests/harness/server.hpp"
#include "tests/workflows/fixtures/tenant.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::tests {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

constexpr const char* iso_time = "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z";

constexpr const char* settings[] = {"datestyle = 'SQL, DMY'",
                                    "intervalstyle = 'sql_standard'",
                                    "timezone = 'Asia/Tokyo'",
                                    "bytea_output = 'escape'",
                                    "quote_all_identifiers = on",
                                    "standard_conforming_strings = off",
                                    "transform_null_equals = on",
                                    "extra_float_digits = 0",
                                    "default_transaction_isolation = 'serializable'",
                                    "statement_timeout = '1ms'",
                                    "lock_timeout = '1ms'",
                                    "idle_in_transaction_session_timeout = '1ms'",
                                    "idle_session_timeout = '20ms'"};

/// The status and output of a command on the database of `waybill`.
Finished command(const Waybill& waybill, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), waybill_binary());
  arguments.insert(arguments.end(), {"--database-url", waybill.database_url()});
  return run(arguments);
}

Finished examine(const Waybill& waybill) {
  return command(waybill, {"doctor", "--secret-key-file", waybill.secret_key_file()});
}

class ForeignSettings : public testing::Test {
 protected:
  void set(const std::string& setting) {
    database.connect().exec("alter database " + database.name() + " set " + setting);
  }

  /// Expects that an order by the API and one by SQL fire a webhook, and that answers have their times.
  void expect_work(const Waybill& waybill, Tenant& tenant) {
    Receiver receiver;
    const std::string workflow = tenant.webhook(receiver.url(tenant.path()), "order_created");
    const std::string order = tenant.create_order({{"metadata", {{"text", "a'b\\c"}, {"number", 0.1}}}});
    const json::object run = tenant.run_with_status(workflow, "succeeded");
    for (const char* const field : {"createdAt", "finishedAt"})
      EXPECT_THAT(text_at(json::value(run), field), MatchesRegex(iso_time)) << field;
    const Response read = tenant.http.get("/api/v1/Orders/" + order);
    EXPECT_THAT(text_at(read.data(), "createdAt"), MatchesRegex(iso_time)) << read.text;
    EXPECT_EQ(at(read.data(), "metadata"), json::value({{"text", "a'b\\c"}, {"number", 0.1}}));
    const Response history = tenant.http.get("/api/v1/Orders/" + order + "/history");
    EXPECT_THAT(text_at(history.data(), "0.at"), MatchesRegex(iso_time)) << history.text;
    const Response audit = tenant.http.get("/api/business/audit");
    EXPECT_THAT(text_at(audit.data(), "0.at"), MatchesRegex(iso_time)) << audit.text;
    const Response tokens = tenant.http.get("/api/business/tokens");
    EXPECT_THAT(text_at(tokens.data(), "0.createdAt"), MatchesRegex(iso_time)) << tokens.text;
    tenant.insert_order();
    EXPECT_EQ(receiver.wait_for(tenant.path(), 2).size(), 2U);
    EXPECT_EQ(command(waybill, {"business", "usage", "--business", tenant.name}).status, 0);
  }

  TestDatabase database{TestDatabase::Content::empty};
};

TEST_F(ForeignSettings, ChangeNoAnswerAndStopNoProcess) {
  for (const char* const setting : settings) set(setting);
  migrate_with_binary(database.url());
  Waybill first(database.url());
  {
    Tenant tenant(first, "Acme");
    expect_work(first, tenant);
  }
  EXPECT_EQ(first.stop(), 0);
  const Waybill second(database.url(), {.secret_key_file = first.secret_key_file()});
  Tenant tenant(second, "Beta");
  expect_work(second, tenant);
  const std::string report = examine(second).standard_output;
  EXPECT_THAT(report, HasSubstr("ok key: it opens the database's secrets"));
  EXPECT_THAT(report, HasSubstr("ok settings: "));
}

TEST_F(ForeignSettings, TheSchemaMayHaveCapitalsAndBlanks) {
  database.connect().exec("create schema \"Sh op\"");
  set("search_path = \"Sh op\"");
  migrate_with_binary(database.url());
  database.make_duties_due();
  Waybill waybill(database.url());
  Tenant tenant(waybill, "Acme");
  expect_work(waybill, tenant);

  std::int64_t duties = 0;
  for (const worker::Duty& duty : worker::all_duties())
    duties += duty.by == worker::Duty::By::one_worker ? 1 : 0;
  EXPECT_TRUE(eventually([&] {
    return database.number("select count(*) from duty_turns where ended_at > now() - interval '1 hour'") >=
           duties;
  })) << database.value("select string_agg(duty, ', ') from duty_turns");
  // The process that merges search entries analyzes grown tables.
  tenant.sql.exec("insert into customers (business_id, name) select '" + tenant.id +
                  "', 'c' || n from generate_series(1, 1500) n");
  EXPECT_TRUE(eventually([&] {
    return database.number("select reltuples::bigint from pg_class where oid = 'customers'::regclass") >=
           1000;
  }));
  EXPECT_THAT(waybill.process().standard_error(), Not(HasSubstr("duty.failed")));

  const std::string report = examine(waybill).standard_output;
  for (const char* const check :
       {"ok schema: ", "ok privileges: ", "ok triggers: ", "ok ledger: ", "ok settings: "})
    EXPECT_THAT(report, HasSubstr(check)) << report;
  EXPECT_EQ(command(waybill, {"business", "delete", "--business", "Acme", "--yes"}).status, 0);
}

}  // namespace
}  // namespace waybill::tests
