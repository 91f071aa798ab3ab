// Every user of the database can take its advisory locks. None of them stops the service.
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "base/crypto.hpp"
#include "storage/schema/migrate.hpp"
#include "storage/schema/partitions.hpp"
#include "storage/sql/duties.sql.hpp"
#include "storage/sql/pacing.sql.hpp"
#include "storage/statement/statement_list.hpp"
#include "tests/harness/server.hpp"
#include "tests/worker/worker_database.hpp"
#include "tests/workflows/fixtures/tenant.hpp"
#include "worker/duties/duties.hpp"
#include "worker/duties/overdue.hpp"

namespace waybill::tests {
namespace {

using testing::HasSubstr;

/// A role without any right, which holds the advisory locks that earlier releases took.
class Stranger {
 public:
  explicit Stranger(const TestDatabase& database) : name_("stranger_" + database.name()) {
    Session(database.url()).exec("create role " + name_ + " login");
    std::string url = database.url();
    url.replace(url.find("//waybill@"), 10, "//" + name_ + "@");
    session_.emplace(url);
  }
  ~Stranger() {
    session_.reset();
    postgres().admin().exec("drop role " + name_);
  }
  Stranger(const Stranger&) = delete;
  Stranger& operator=(const Stranger&) = delete;

  void lock(const std::string& key) { session_->exec("select pg_advisory_lock(" + key + ")"); }
  void lock_text(const std::string& text) { lock("hashtextextended('" + text + "', 0)"); }

 private:
  std::string name_;
  std::optional<Session> session_;
};

class StrangerLocks : public WorkerDatabase {
 protected:
  StrangerLocks() { session_.execute("set lock_timeout = '1s'"); }

  Stranger stranger_{database_};
  storage::blocking::Connection session_{database_.url(), "test"};
};

TEST_F(StrangerLocks, StopNoDuty) {
  int count = 0;
  for (const worker::Duty& duty : worker::all_duties()) {
    stranger_.lock_text("waybill.duty." + std::string(duty.name));
    count += duty.by == worker::Duty::By::one_worker ? 1 : 0;
  }
  database_.make_duties_due();
  worker::Duties duties({.database_url = database_.url(), .secrets = secrets_});
  duties.start();
  EXPECT_TRUE(eventually([&] {
    return database_.number("select count(*) from duty_turns where ended_at is not null") == count;
  })) << database_.value("select string_agg(duty, ', ') from duty_turns");
}

TEST_F(StrangerLocks, StopNoPartition) {
  storage::make_partitions(session_);
  const std::string newest = database_.value(
      "select max(inhrelid::regclass::text) from pg_inherits where inhparent = "
      "'runs'::regclass and inhrelid::regclass::text ~ '_[0-9]{8}$'");
  stranger_.lock("hashtext('waybill.make_partitions')");
  EXPECT_EQ(database_.value("select drop_partition($1)", {newest}), "t");
  storage::make_partitions(session_);
  EXPECT_EQ(database_.value("select to_regclass($1)", {newest}), newest);
}

TEST_F(StrangerLocks, StopNoLimitAndNoRate) {
  const Guid workflow = add_workflow("order_created");
  stranger_.lock_text("waybill.limit." + workflow.to_string());
  stranger_.lock_text("waybill.rate.a");
  session_.run(storage::sql::pacing::BeginLimited{.businesses = std::vector{business_},
                                                  .workflows = std::vector{workflow},
                                                  .runs = std::vector{Guid::random()},
                                                  .counts = std::vector<std::int64_t>{1},
                                                  .periods = std::vector<std::string>{"PT1H"}});
  const auto taken =
      session_.run(storage::sql::pacing::TakeRequests{.businesses = std::vector{business_},
                                                      .workflows = std::vector{workflow},
                                                      .destinations = std::vector<std::string>{"a"},
                                                      .wanted = std::vector<std::int64_t>{1},
                                                      .per_second = std::vector<std::string>{"1"}});
  EXPECT_EQ(taken.front().granted, 1);
}

TEST_F(StrangerLocks, LeaveTheWorkersTheirNamesAndWakeUps) {
  const Guid guid = Guid::random();
  stranger_.lock("(" + database_.value("select worker_lock($1::uuid)", {guid.to_string()}) + ")");
  stranger_.lock_text("waybill.idle_until");
  auto lost = std::make_unique<storage::ServerLeases>(database_.url(), guid, "lost", std::chrono::hours(1));
  ASSERT_TRUE(lost->enter());
  database_.exec("update shards set owner = null");
  EXPECT_EQ(lost->take(storage::shard_count, false).size(), storage::shard_count);
  database_.exec("insert into worker_words (worker, idle) values ('" + guid.to_string() + "', true)");
  storage::ServerLeases living(database_.url(), Guid::random(), "living", std::chrono::hours(1));
  ASSERT_TRUE(living.enter());
  EXPECT_EQ(living.take(storage::shard_count, true).size(), 0U) << "the session of the other worker exists";
  lost.reset();
  EXPECT_TRUE(
      eventually([&] { return living.take(storage::shard_count, true).size() == storage::shard_count; }));
}

TEST_F(StrangerLocks, StopNoMigration) {
  const TestDatabase empty(TestDatabase::Content::empty);
  Stranger stranger(empty);
  stranger.lock("33602696198581356");
  stranger.lock("hashtext('waybill.make_partitions')");
  EXPECT_EQ(storage::migrate(empty.url()).size(), storage::migrations().size());
}

TEST_F(StrangerLocks, StopNoCommandThatCreatesABusiness) {
  const TempDirectory directory;
  std::ofstream(directory / "key") << hex(random_bytes(32));
  stranger_.lock_text("waybill:business:Acme Ltd");
  const Finished created = run({waybill_binary(), "token", "create", "--business", "Acme Ltd",
                                "--database-url", database_.url(), "--secret-key-file", directory / "key"});
  EXPECT_EQ(created.status, 0) << created.standard_error;
}

TEST_F(StrangerLocks, StopNoRequestWithAnIdempotencyKey) {
  const Waybill api(database_.url(), {.command = "api"});
  Tenant tenant(api, "idempotent");
  const std::string token =
      database_.value("select guid from api_tokens where business_id = $1", {tenant.id});
  stranger_.lock_text("waybill.idempotency." + token + ".k");
  const json::object preset{{"name", "Box"}, {"length", 1}, {"width", 1}, {"height", 1}};
  for (int i = 0; i < 2; ++i) {
    const Response made = tenant.http.post("/api/v1/dimension-presets", preset, {{"Idempotency-Key", "k"}});
    EXPECT_EQ(made.status, 201) << made.text;
  }
  EXPECT_EQ(tenant.sql.number("select count(*) from dimension_presets where business_id = $1", {tenant.id}),
            1);
}

/// Duties that another session has taken and does not perform.
class OverdueDuties : public WorkerDatabase {
 protected:
  void add_process(const std::string& role, const std::string& age) {
    database_.exec(
        "insert into processes (guid, name, role, connections, key_ids, sealing_key, started_at, settings, "
        "session_pid, "
        "session_start) values (gen_random_uuid(), 'old', '" +
        role + "', 1, '{}', 0, now() - interval '" + age + "', '{}', pg_backend_pid(), own_session_start())");
  }
  std::vector<std::string> overdue() {
    std::vector<std::string> names;
    for (const auto& duty : worker::overdue_duties(session_)) names.push_back(duty.name);
    return names;
  }

  storage::blocking::Connection session_{database_.url(), "test"};
};

TEST_F(OverdueDuties, AreThoseNotPerformedForFivePeriodsOfALivingProcess) {
  EXPECT_THAT(overdue(), testing::IsEmpty()) << "no process lives";
  add_process("worker", "4 minutes");
  EXPECT_THAT(overdue(), testing::IsEmpty()) << "it has had no time";
  add_process("worker", "51 minutes");
  EXPECT_THAT(overdue(), testing::Contains("partitions")) << "never performed";
  EXPECT_THAT(overdue(), testing::Not(testing::Contains("expire_history"))) << "once an hour";
  EXPECT_THAT(overdue(), testing::Not(testing::Contains("merge_search_entries"))) << "by the API";
  EXPECT_THAT(overdue(), testing::Not(testing::Contains("check_floors"))) << "by each worker";
  database_.exec(
      "insert into duty_turns (duty, ended_at) values ('partitions', now() - interval '49 minutes'), "
      "('fold_counts', now() + interval '1 hour')");
  EXPECT_THAT(overdue(), testing::Not(testing::Contains("partitions")));
  EXPECT_THAT(overdue(), testing::Contains("fold_counts")) << "a time in the future is none";
}

TEST_F(OverdueDuties, AreTakenFromASessionThatHasEndedOrHangs) {
  const storage::sql::duties::TakeTurn take{.duty = "expire"};
  storage::blocking::Connection other(database_.url(), "test");
  EXPECT_FALSE(session_.run(take).empty());
  EXPECT_FALSE(session_.run(take).empty()) << "it has it already";
  EXPECT_TRUE(other.run(take).empty());
  database_.exec("update duty_turns set taken_at = now() - interval '11 minutes'");
  EXPECT_FALSE(other.run(take).empty()) << "the first one hangs";
  EXPECT_TRUE(session_.run(storage::sql::duties::NoteTurn{.duty = "expire"}).empty());
  session_.run(storage::sql::duties::EndTurn{.duty = "expire"});
  EXPECT_TRUE(session_.run(take).empty()) << "only the owner ends its turn";
  database_.exec("update duty_turns set taken_at = now() + interval '1 day'");
  EXPECT_FALSE(session_.run(take).empty()) << "the clock was ahead";
}

TEST_F(OverdueDuties, AreInTheMetricsTheLogAndTheReportOfTheDoctor) {
  add_process("api", "6 minutes");
  database_.exec(
      "insert into duty_turns (duty, session_pid, session_start, taken_at) values "
      "('merge_search_entries', pg_backend_pid(), own_session_start(), now())");
  Waybill api(database_.url(), {.command = "api", .arguments = {"--metrics-listen", "127.0.0.1:0"}});
  EXPECT_TRUE(api.process().wait_for_line("duty.overdue duty=merge_search_entries"));
  constexpr std::string_view host = "metrics=http://127.0.0.1:";
  const auto line = api.process().wait_for_line(host);
  ASSERT_TRUE(line);
  Http metrics("127.0.0.1", std::stoi(line->substr(line->find(host) + host.size())));
  EXPECT_TRUE(eventually([&] {
    return metrics.get("/metrics").text.find("\nwaybill_duties_overdue 1\n") != std::string::npos;
  }));
  const Finished report = run({waybill_binary(), "doctor", "--database-url", database_.url(),
                               "--secret-key-file", api.secret_key_file()});
  EXPECT_THAT(report.standard_output,
              HasSubstr("failure duties: merge_search_entries was never performed, see docs/operations.md"));
}

}  // namespace
}  // namespace waybill::tests
