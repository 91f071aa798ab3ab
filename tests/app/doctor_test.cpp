#include <algorithm>
#include <filesystem>
#include <fstream>
#include <signal.h>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/doctor/own_triggers.hpp"
#include "base/crypto.hpp"
#include "base/json.hpp"
#include "storage/blocking/connection.hpp"
#include "storage/schema/migrate.hpp"
#include "storage/schema/partitions.hpp"
#include "storage/statement/statement_list.hpp"
#include "tests/harness/server.hpp"
#include "tests/harness/smtp.hpp"
#include "tests/harness/standby.hpp"

namespace waybill::tests {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// The lines of one run of `waybill doctor`.
class Report {
 public:
  explicit Report(std::vector<std::string> arguments, const std::string& fonts = {}) {
    arguments.insert(arguments.begin(), {waybill_binary(), "doctor"});
    // The configuration of fontconfig.
    if (!fonts.empty()) arguments.insert(arguments.begin(), {"env", "FONTCONFIG_FILE=" + fonts});
    finished_ = run(arguments);
  }

  int status() const { return finished_.status; }
  const std::string& text() const { return finished_.standard_output; }

  /// The line of a check; "" if there is none.
  std::string line(const std::string& check) const {
    std::istringstream lines(text());
    for (std::string line; std::getline(lines, line);) {
      if (line.find(" " + check + ": ") == line.find(' ')) return line;
    }
    return finished_.standard_error;
  }

 private:
  Finished finished_;
};

/// A migrated database on the cluster of the tests, whose fsync is off.
class DoctorTest : public testing::Test {
 protected:
  DoctorTest() {
    std::ofstream(key_file) << hex(random_bytes(32));
    storage::blocking::Connection session(database.url(), "tested");
    storage::make_partitions(session);  // the database may have been made before midnight
  }

  Report examine(std::vector<std::string> more = {}) const {
    return examine_url(database.url(), std::move(more));
  }
  Report examine_url(const std::string& url, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"--database-url", url, "--secret-key-file", key_file});
    return Report(more);
  }

  TempDirectory directory;
  std::string key_file = directory / "key";
  TestDatabase database;
};

TEST(DoctorOfUp, FindsNoFailureInARunningUp) {
  const TempDirectory directory;
  Waybill up("", {.data_dir = directory / "data"});
  ASSERT_TRUE(up.process().wait_for_line("worker.lease_taken"));
  const Report report({"--data-dir", directory / "data"});
  EXPECT_EQ(report.status(), 0) << report.text();
  for (const char* const check :
       {"database",    "disk",          "version",    "settings", "durability", "standbys",
        "connections", "schema",        "key",        "options",  "privileges", "tables",
        "triggers",    "notifications", "partitions", "clock",    "ledger",     "workers",
        "duties",      "gateways",      "fonts",      "smtp"}) {
    EXPECT_THAT(report.line(check), StartsWith(std::string("ok ") + check + ": ")) << report.text();
  }
}

TEST_F(DoctorTest, FindsThatFsyncIsOffAndThatNoWorkerRuns) {
  const Report report = examine();
  EXPECT_EQ(report.status(), 1);
  EXPECT_THAT(report.line("durability"), StartsWith("failure durability: fsync is off"));
  EXPECT_THAT(report.line("workers"), StartsWith("warning workers: none is running, start"));
  EXPECT_THAT(report.line("standbys"), "ok standbys: a lone server");
}

TEST_F(DoctorTest, NamesTheScriptsWithoutAFontEvenWithoutADatabase) {
  const std::string no_fonts = directory / "fonts.conf";
  std::ofstream(no_fonts) << "<fontconfig></fontconfig>";
  const Report report({"--database-url", "postgresql://localhost:1/nothing", "--secret-key-file", key_file},
                      no_fonts);
  EXPECT_THAT(report.line("fonts"), StartsWith("warning fonts: this machine has no font for "));
  EXPECT_THAT(report.line("fonts"), HasSubstr("Han, Hangul"));
  EXPECT_THAT(report.line("fonts"), HasSubstr("Thai"));
  EXPECT_THAT(report.line("fonts"), Not(HasSubstr("Cyrillic"))) << "a script of the program's own font";
}

TEST_F(DoctorTest, PrintsJsonOnRequest) {
  const auto findings = json::parse(examine({"--json"}).text()).as_array();
  ASSERT_EQ(findings.size(), 22U);
  EXPECT_EQ(findings[0].at("name"), "database");
  EXPECT_EQ(findings[0].at("level"), "ok");
  EXPECT_EQ(findings[0].at("remedy"), nullptr);
}

TEST_F(DoctorTest, FindsAnEmptyDatabaseAndAnOldSchema) {
  const TestDatabase empty(TestDatabase::Content::empty);
  const Report nothing = examine_url(empty.url());
  EXPECT_EQ(nothing.status(), 1);
  EXPECT_THAT(nothing.line("schema"), HasSubstr("run `waybill migrate`"));
  EXPECT_THAT(nothing.line("version"), StartsWith("ok "));
  EXPECT_THAT(nothing.line("partitions"), StartsWith("failure partitions: the schema is missing or old"));

  const auto migrations = storage::migrations();
  storage::migrate(empty.url(), migrations.first(20));
  const Report old = examine_url(empty.url());
  EXPECT_EQ(old.status(), 1);
  EXPECT_THAT(old.line("schema"), StartsWith("failure schema: it lacks " + std::string(migrations[20].name)));
}

TEST_F(DoctorTest, FindsAKeyThatDoesNotOpenTheSecrets) {
  Waybill up(database.url());
  EXPECT_THAT(examine().line("key"), StartsWith("failure key: no --secret-key-file has the key"));
  EXPECT_THAT(
      Report({"--database-url", database.url(), "--secret-key-file", up.secret_key_file()}).line("key"),
      StartsWith("ok "));
  EXPECT_THAT(Report({"--database-url", database.url(), "--secret-key-file", "/nowhere"}).line("key"),
              HasSubstr("/nowhere"));
}

TEST_F(DoctorTest, NamesTheProcessesWhoseOptionsDiffer) {
  Waybill api(database.url(), {.command = "api", .arguments = {"--public-url", "https://way.example/"}});
  {
    const Waybill worker(database.url(), {.command = "worker",
                                          .arguments = {"--runs-retention-days", "7"},
                                          .secret_key_file = api.secret_key_file()});
    const std::string line = examine().line("options");
    EXPECT_THAT(line, StartsWith("warning options: --public-url is https://way.example in api "));
    EXPECT_THAT(line, HasSubstr(", none in worker "));
    EXPECT_THAT(line, HasSubstr("; --runs-retention-days is 30 in api "));
    EXPECT_THAT(line, HasSubstr(", 7 in worker "));
    EXPECT_THAT(line, EndsWith(", give all processes the same --public-url; give all processes the same "
                               "--runs-retention-days"));
    EXPECT_THAT(line, Not(HasSubstr("retry-schedule"))) << "only the worker uses it";
  }
  EXPECT_EQ(examine().line("options"), "ok options: the running processes have the same")
      << "the worker ended";
}

TEST_F(DoctorTest, NamesAnApiAndAWorkerWithoutPublicUrl) {
  Waybill api(database.url(), {.command = "api"});
  const Waybill worker(database.url(), {.command = "worker", .secret_key_file = api.secret_key_file()});
  EXPECT_THAT(examine().line("options"), HasSubstr("--public-url is http://127.0.0.1:0 in api "))
      << "the worker makes no links, and the API makes some";
}

TEST_F(DoctorTest, NamesTheCarriersWhoseGatewayDoesNotAnswer) {
  EXPECT_EQ(examine().line("gateways"), "ok gateways: no business reaches a carrier through one");
  database.exec(
      "insert into businesses (name) values ('Acme'), ('Gone'); update businesses set suspended_at = now() "
      "where "
      "name = 'Gone'; "
      "insert into carrier_configurations (business_id, carrier_id, account_number, test_mode, connector, "
      "api_url) "
      "select b.guid, c.guid, 'dhl', false, 'karrio', 'http://127.0.0.1:1' from businesses b, carriers c "
      "where b.name in ('Acme', 'Gone') and c.business_id = catalogue_business() and c.code = 'ups'");
  const Report own = examine({"--carrier-gateway", "http://127.0.0.1:1"});
  EXPECT_EQ(own.status(), 1);
  EXPECT_THAT(own.line("gateways"), StartsWith("failure gateways: UPS of Acme (karrio): "));
  EXPECT_THAT(own.line("gateways"), EndsWith("see that the gateway runs and can be reached from here"));
  EXPECT_THAT(own.line("gateways"), Not(HasSubstr("Gone")));
  EXPECT_THAT(examine().line("gateways"), StartsWith("warning gateways: UPS of Acme (karrio): "))
      << "one that the operator has not named";
}

TEST_F(DoctorTest, FindsARoleThatMayOnlyRead) {
  const std::string role = "reader_" + database.name();
  database.exec("create role " + role + " login; grant usage on schema public to " + role +
                "; grant select on all tables in schema public to " + role);
  std::string url = database.url();
  url.replace(url.find("//waybill@"), 10, "//" + role + "@");
  const Report report = examine_url(url);
  EXPECT_EQ(report.status(), 1);
  EXPECT_THAT(report.line("privileges"),
              StartsWith("failure privileges: " + role + " may not read and write "));
  database.exec("drop owned by " + role + "; drop role " + role);
}

TEST_F(DoctorTest, ChecksTheTablesOfWaybillAndNoOthers) {
  const std::string member = "member_" + database.name();
  const std::string stranger = "stranger_" + database.name();
  database.exec(
      "create role " + member + " login; grant waybill to " + member + "; create role " + stranger +
      "; create table notes_of_the_operator (text text); alter table notes_of_the_operator owner to " +
      stranger);
  std::string url = database.url();
  url.replace(url.find("//waybill@"), 10, "//" + member + "@");
  EXPECT_THAT(examine_url(url).line("privileges"), StartsWith("ok privileges: "));
  database.exec("alter table drivers owner to " + stranger);
  const std::string line = examine_url(url).line("privileges");
  EXPECT_THAT(line,
              StartsWith("failure privileges: " + member + " may not read and write drivers, give these"));
  database.exec(
      "alter table drivers owner to waybill; create table events_20010101 partition of events for "
      "values from ('2001-01-01Z') to ('2001-01-02Z'); alter table events_20010101 owner to " +
      member);
  EXPECT_THAT(examine_url(url).line("privileges"),
              StartsWith("failure privileges: the tables events_20010101 do not belong to waybill: "));
  database.exec("drop owned by " + stranger + "; drop role " + stranger + "; drop owned by " + member +
                "; drop role " + member);
}

TEST_F(DoctorTest, FindsSettingsOfTheRoleAndMissingPartitions) {
  database.exec("alter database " + database.name() + " set default_transaction_read_only = on");
  database.exec("alter database " + database.name() + " set synchronous_commit = off");
  database.exec("drop table if exists " +
                database.value("select 'runs' || to_char((now() + interval '5 days') at time zone 'UTC', "
                               "'_YYYYMMDD')"));
  const Report report = examine();
  EXPECT_THAT(report.line("settings"), HasSubstr("default_transaction_read_only is on"));
  EXPECT_THAT(report.line("durability"), HasSubstr("synchronous_commit is off"));
  EXPECT_THAT(report.line("partitions"), StartsWith("warning partitions: 1 of the coming days"));
}

TEST_F(DoctorTest, FindsTablesOnWhichStatementsDoNotDoWhatTheySay) {
  EXPECT_THAT(examine().line("tables"), StartsWith("ok tables: ")) << "quota_windows is unlogged by design";
  EXPECT_THAT(examine().line("settings"), StartsWith("ok settings: "));
  database.exec("drop index orders_by_tag");
  EXPECT_THAT(examine().line("tables"),
              StartsWith("failure tables: these indexes are missing or not valid: orders_by_tag, make them"));
  database.exec("create rule nothing as on insert to events do instead nothing");
  database.exec("alter table pending_events set unlogged");
  EXPECT_THAT(
      examine().line("tables"),
      StartsWith("failure tables: rules change statements: nothing on events; a crash of PostgreSQL empties "
                 "the unlogged pending_events"));
  database.exec("alter table orders enable row level security; alter table orders force row level security");
  const std::string role = "hidden_" + database.name();
  database.exec("create role " + role + " login; grant all on all tables in schema public to " + role +
                "; alter role " + role + " in database " + database.name() + " set waybill.notify = off");
  std::string url = database.url();
  url.replace(url.find("//waybill@"), 10, "//" + role + "@");
  const Report report = examine_url(url);
  EXPECT_THAT(report.line("tables"), StartsWith("failure tables: row level security hides rows of orders; "));
  EXPECT_THAT(report.line("settings"), StartsWith("warning settings: waybill.notify is off"));
  database.exec("drop owned by " + role + "; drop role " + role);
}

TEST_F(DoctorTest, FindsThatTheDiskIsFull) {
  // The error of PostgreSQL that cannot write the file of a large result.
  database.exec(
      "create function generate_series(integer, integer) returns setof integer language plpgsql as $$ begin "
      "raise exception 'could not write to file' using errcode = '53100'; end $$");
  database.exec("alter database " + database.name() + " set search_path = public, pg_catalog");
  EXPECT_EQ(examine().line("disk"),
            "failure disk: PostgreSQL's disk is full: reads work, writes fail, see docs/operations.md, Full "
            "disk");
}

TEST_F(DoctorTest, FindsMoreConnectionsThanPostgresqlOffers) {
  const Report report = examine({"--database-connections", "1000"});
  EXPECT_EQ(report.status(), 1);
  EXPECT_THAT(report.line("connections"), StartsWith("failure connections: --database-connections is 1000"));
}

TEST_F(DoctorTest, FindsEventsThatWait) {
  database.exec("insert into businesses (name) values ('Acme')");
  database.exec("insert into orders (business_id, order_number) select guid, '1' from businesses");
  database.exec("update pending_events set at = now() - interval '2 minutes'");
  const Report report = examine();
  EXPECT_EQ(report.status(), 1);
  EXPECT_THAT(report.line("workers"),
              StartsWith("failure workers: none is running, and an event has waited for 1"));
}

TEST_F(DoctorTest, KnowsEveryTriggerOfTheSchema) {
  std::vector<std::string> known;
  for (const app::OwnTrigger& trigger : app::own_triggers())
    known.push_back(std::string(trigger.table) + "." + std::string(trigger.name));
  const auto made = database.connect().column(
      "select tgrelid::regclass || '.' || tgname from pg_trigger where not tgisinternal and tgparentid = 0");
  EXPECT_THAT(known, testing::UnorderedElementsAreArray(made));
}

TEST_F(DoctorTest, FindsTriggersThatAreDisabledOrMissing) {
  EXPECT_EQ(examine().line("triggers"), "ok triggers: changes fire those of waybill");
  database.exec(
      "alter table orders disable trigger event_update; alter table products enable replica trigger touch; "
      "alter table shipments enable always trigger touch; drop trigger audit on carriers");
  const Report report = examine();
  EXPECT_EQ(report.status(), 1);
  EXPECT_EQ(report.line("triggers"),
            "failure triggers: carriers: audit missing (the audit log lacks changes); orders: event_update "
            "disabled (changes are not events); products: touch disabled (the time of the last change is "
            "wrong), `alter table orders enable trigger event_update`; `alter table products enable trigger "
            "touch`; make the missing triggers as they are in an empty database after `waybill migrate`");
}

TEST_F(DoctorTest, FindsThatAllTriggersOfATableAreDisabledAndItsRemedyHelps) {
  database.exec("alter table orders disable trigger all");
  const std::string line = examine().line("triggers");
  EXPECT_THAT(line, HasSubstr("constraints disabled (foreign keys are not checked)"));
  EXPECT_THAT(line, HasSubstr("event_delete, event_insert, event_update disabled (changes are not events)"));
  EXPECT_THAT(line, EndsWith(", `alter table orders enable trigger all` as a superuser"));
  database.exec("alter table orders enable trigger all");
  EXPECT_THAT(examine().line("triggers"), StartsWith("ok "));
}

TEST_F(DoctorTest, MissesNoTriggersOfAnOldSchemaAndNoneThatANewerVersionReplaced) {
  const TestDatabase old(TestDatabase::Content::empty);
  storage::migrate(old.url(), storage::migrations().first(20));
  EXPECT_EQ(examine_url(old.url()).line("triggers"),
            "failure triggers: the schema is missing or old, run `waybill migrate`");
  database.exec(
      "drop trigger touch on products; alter table orders disable trigger event_insert; insert into "
      "schema_migrations (name, checksum) select '9999_later', checksum from schema_migrations limit 1");
  EXPECT_THAT(examine().line("triggers"), StartsWith("failure triggers: orders: event_insert disabled "));
}

TEST_F(DoctorTest, NamesTheCauseForWhichTheServerRefusesTheSession) {
  const std::string role = "refused_" + database.name();
  database.exec("create role " + role + " login connection limit 0");
  std::string url = database.url();
  url.replace(url.find("//waybill@"), 10, "//" + role + "@");
  EXPECT_THAT(examine_url(url).line("database"),
              HasSubstr(", end sessions (see pg_stat_activity), or raise"));
  database.exec("alter role " + role + " nologin connection limit -1");
  EXPECT_THAT(examine_url(url).line("database"), HasSubstr(", permit the role to log in: "));
  database.exec("drop role " + role);

  TestDatabase closed(TestDatabase::Content::empty);
  database.exec("alter database " + closed.name() + " allow_connections false");
  const AtExit open([&] { database.exec("alter database " + closed.name() + " allow_connections true"); });
  EXPECT_THAT(examine_url(closed.url()).line("database"),
              EndsWith(", open the database with `alter database … allow_connections true`"));
}

TEST_F(DoctorTest, SaysHowToFindTheSessionThatHasLockedATable) {
  auto locker = database.connect();
  locker.exec("begin; lock table runs");
  const std::string line = examine().line("ledger");
  EXPECT_THAT(line, StartsWith("failure ledger: "));
  EXPECT_THAT(line, HasSubstr(", a session has locked a table or waits for its lock: `select pid, "));
  EXPECT_EQ(
      database.number(
          "select pid from (select pid, granted, relation::regclass from pg_locks where mode = "
          "'AccessExclusiveLock' and relation is not null and database = (select oid from pg_database where "
          "datname = current_database())) l where granted"),
      locker.backend_pid())
      << "the statement of the remedy";
}

TEST_F(DoctorTest, NamesASearchPathThatDoesNotLeadToTheTables) {
  const std::string role = "lost_" + database.name();
  database.exec("create role " + role + " login; grant waybill to " + role + "; alter role " + role +
                " set search_path = nowhere");
  const AtExit drop([&] { database.exec("drop role " + role); });
  std::string url = database.url();
  url.replace(url.find("//waybill@"), 10, "//" + role + "@");
  const Report report = examine_url(url);
  EXPECT_THAT(report.line("settings"), StartsWith("failure settings: search_path is nowhere, "));
  EXPECT_EQ(report.line("schema"), "failure schema: the schema is missing or old, see `settings`");
  EXPECT_THAT(run({waybill_binary(), "migrate", "--database-url", url}).standard_error,
              HasSubstr("search_path"));
}

TEST_F(DoctorTest, FindsAStandbyAndAnAsynchronousOne) {
  const PrimaryAndStandby servers;
  storage::migrate(servers.url());
  const Report standby = examine_url(servers.standby_url());
  EXPECT_EQ(standby.status(), 1);
  EXPECT_THAT(standby.line("database"),
              "failure database: the server is a standby, name the primary, too: "
              "postgresql://USER@HOST,HOST/DATABASE");
  const std::string any = servers.standby_url().find('?') == std::string::npos ? "?" : "&";
  EXPECT_EQ(examine_url(servers.standby_url() + any + "target_session_attrs=any").line("database"),
            standby.line("database"));
  EXPECT_THAT(examine_url(servers.url()).line("standbys"),
              StartsWith("warning standbys: 1 standbys replicate asynchronously"));
}

TEST_F(DoctorTest, NamesTheHostsThatAreBothPrimaries) {
  PrimaryAndStandby servers;
  storage::migrate(servers.url());
  EXPECT_THAT(examine_url(servers.url()).line("database"), "ok database: it accepts connections");
  servers.promote();
  const Report report = examine_url(servers.url());
  EXPECT_EQ(report.status(), 1);
  EXPECT_THAT(report.line("database"),
              testing::MatchesRegex("failure database: .*/standby:5432 and .*/primary:5432 "
                                    "are primaries at the same time.*"));
}

TEST_F(DoctorTest, EndsWhenTheDatabaseHangs) {
  Waybill up("", {.data_dir = directory / "data"});
  std::ifstream file(directory / "data/postgres/postmaster.pid");
  pid_t postmaster = 0;
  ASSERT_TRUE(file >> postmaster);
  ASSERT_EQ(::kill(postmaster, SIGSTOP), 0);
  const AtExit resume([&] { ::kill(postmaster, SIGCONT); });
  const Report report = examine_url(up.database_url());
  EXPECT_EQ(report.status(), 1);
  EXPECT_THAT(report.line("database"), StartsWith("failure database: "));
}

TEST_F(DoctorTest, FindsThatTheDatabaseIsAway) {
  const Report away = examine_url("postgresql://waybill@/x?host=/nowhere");
  EXPECT_EQ(away.status(), 1);
  EXPECT_THAT(away.line("database"), StartsWith("failure database: "));
  EXPECT_EQ(std::ranges::count(away.text(), '\n'), 3) << "one line for each check: " << away.text();
  EXPECT_THAT(away.line("fonts"), StartsWith("ok "));
  EXPECT_THAT(away.line("smtp"), StartsWith("ok ")) << "what does not need the database is still checked";
}

TEST_F(DoctorTest, FindsThatTheFileOfCertificatesCannotBeRead) {
  const Report report = examine({"--ca-file", "/nowhere.pem"});
  EXPECT_EQ(report.status(), 1);
  EXPECT_THAT(report.line("certificates"),
              "failure certificates: --ca-file: cannot read the CA certificates of /nowhere.pem");
}

TEST_F(DoctorTest, FindsThatMailsCannotBeWrittenAndMakesNoDirectory) {
  const std::string mails = directory / "mails";
  EXPECT_EQ(examine({"--mail-dir", mails}).line("smtp"),
            "ok smtp: no server, so mails are written to " + mails);
  EXPECT_FALSE(std::filesystem::exists(mails));
  std::ofstream(mails) << "a file";
  EXPECT_THAT(examine({"--mail-dir", mails + "/new"}).line("smtp"),
              StartsWith("failure smtp: no server, and mails cannot be written to " + mails +
                         "/new: Not a directory, set --smtp-url, "));
}

TEST_F(DoctorTest, ChecksConnectionTlsAndLoginOfTheMailServerAndSendsNothing) {
  SmtpServer server({{"user", "u"}, {"password", "p"}, {"starttls", false}});
  const auto line = [&](const std::string& credentials) {
    return examine({"--smtp-url", server.url(credentials) + "?tls=none"}).line("smtp");
  };
  EXPECT_THAT(line("u:p"), StartsWith("ok smtp: "));
  EXPECT_THAT(line("u:wrong"), StartsWith("failure smtp: "));
  EXPECT_THAT(line("u:wrong"), Not(HasSubstr("wrong")));
  EXPECT_THAT(examine({"--smtp-url", server.url("u:p")}).line("smtp"), StartsWith("failure smtp: "))
      << "credentials need TLS";
  EXPECT_THAT(examine({"--smtp-url", server.url("u:p"), "--ca-file", "/nowhere"}).line("smtp"),
              StartsWith("failure smtp: cannot read the CA certificates of /nowhere, correct --smtp-url or "
                         "--ca-file"));
}

}  // namespace
}  // namespace waybill::tests
