#include "app/doctor/findings.hpp"

#include <gtest/gtest.h>

namespace waybill::app {
namespace {

using namespace std::chrono_literals;

TEST(Doctor, ALineHasLevelNameTextAndRemedy) {
  EXPECT_EQ((Finding{Level::failure, "durability", "fsync is off", "set fsync = on"}.line()),
            "failure durability: fsync is off, set fsync = on");
  EXPECT_EQ((Finding{.name = "version", .text = "PostgreSQL 15.1"}.line()), "ok version: PostgreSQL 15.1");
}

TEST(Doctor, AnErrorOfSeveralLinesIsOneLine) {
  EXPECT_EQ(
      (Finding{Level::failure, "database",
               "connection to \"a\" failed: refused\n\tIs it running?\nconnection to \"b\" failed\n",
               "start it"}
           .line()),
      "failure database: connection to \"a\" failed: refused Is it running?; connection to \"b\" failed, "
      "start it");
}

TEST(Doctor, VersionsFrom15To18AreSupported) {
  EXPECT_EQ(judge_version({.version = "14.9", .version_number = 140009}).level, Level::failure);
  EXPECT_EQ(judge_version({.version = "15.0", .version_number = 150000}).level, Level::ok);
  EXPECT_EQ(judge_version({.version = "18.1", .version_number = 180001}).level, Level::ok);
  EXPECT_EQ(judge_version({.version = "19.0", .version_number = 190000}).level, Level::warning);
}

TEST(Doctor, SettingsThatBreakWaybillAreFailures) {
  const ServerFacts good{.encoding = "UTF8"};
  EXPECT_EQ(judge_settings(good).level, Level::ok);
  const auto level = [&good](auto member, auto value) {
    ServerFacts facts = good;
    facts.*member = value;
    return judge_settings(facts).level;
  };
  EXPECT_EQ(level(&ServerFacts::encoding, "SQL_ASCII"), Level::failure);
  EXPECT_EQ(level(&ServerFacts::is_read_only, true), Level::failure);
  EXPECT_EQ(level(&ServerFacts::autovacuum, false), Level::warning);
  EXPECT_EQ(level(&ServerFacts::idle_session_limit, "1min"), Level::warning);
  EXPECT_EQ(level(&ServerFacts::notifies, false), Level::warning);
}

TEST(Doctor, ASearchPathWithoutTheTablesIsAFailureThatNamesIt) {
  EXPECT_EQ(
      judge_settings({.encoding = "UTF8", .search_path = "nowhere", .schema = "", .has_tables = false})
          .line(),
      "failure settings: search_path is nowhere, and the role may use none of these schemas, create one "
      "of them, or set another one with `alter role … set search_path = …`");
  EXPECT_EQ(
      judge_settings({.encoding = "UTF8",
                      .search_path = "other",
                      .schema = "other",
                      .has_tables = false,
                      .schemas_with_tables = "public, \"Shop\""})
          .line(),
      "failure settings: search_path is other, and the tables of waybill are in public, \"Shop\", set it "
      "with `alter role … set search_path = …`, or run `waybill migrate` if other is a new installation");
  EXPECT_EQ(judge_settings({.encoding = "UTF8", .has_tables = false}).level, Level::ok)
      << "a database before its first migration";
  EXPECT_EQ(judge_settings({.encoding = "UTF8", .schemas_with_tables = "other"}).level, Level::ok)
      << "two installations in one database";
}

TEST(Doctor, ARefusedSessionHasTheRemedyOfItsCause) {
  EXPECT_NE(remedy_of_refusal("53300").find("connection limit"), std::string::npos);
  EXPECT_NE(remedy_of_refusal("28000").find("alter role … login"), std::string::npos);
  EXPECT_NE(remedy_of_refusal("28P01").find("password"), std::string::npos);
  EXPECT_NE(remedy_of_refusal("55000").find("allow_connections true"), std::string::npos);
  EXPECT_NE(remedy_of_refusal("57P03").find("wait"), std::string::npos);
  EXPECT_EQ(remedy_of_refusal(""), "correct --database-url, or start the server");
  EXPECT_EQ(remedy_of_refusal("XX000"), remedy_of_refusal(""));
}

TEST(Doctor, ATableThatASessionHasLockedHasTheStatementThatFindsTheSession) {
  EXPECT_NE(remedy_of_error("55P03").find("from pg_locks"), std::string::npos);
  EXPECT_NE(remedy_of_error("42501").find("owner"), std::string::npos);
  EXPECT_EQ(remedy_of_error("58030"), "see the server's log");
}

TEST(Doctor, ATriggerThatDoesNotFireIsAFailureWithItsLossAndItsCure) {
  EXPECT_EQ(judge_triggers({}).line(), "ok triggers: changes fire those of waybill");
  EXPECT_EQ(
      judge_triggers({{"orders", "event_insert", "changes are not events"},
                      {"orders", "event_update", "changes are not events"},
                      {"orders", "keep_times", "times are wrong"},
                      {"users", "audit", "the audit log lacks changes"}})
          .line(),
      "failure triggers: orders: event_insert, event_update disabled (changes are not events), keep_times "
      "disabled (times are wrong); users: audit disabled (the audit log lacks changes), `alter table "
      "orders enable trigger event_insert, enable trigger event_update, enable trigger keep_times`; "
      "`alter table users enable trigger audit`");
}

TEST(Doctor, TablesOnWhichStatementsDoNotDoWhatTheySayAreFailures) {
  EXPECT_EQ(judge_tables({}).level, Level::ok);
  EXPECT_EQ(judge_tables({.lost_indexes = "orders_by_text"}).level, Level::failure);
  EXPECT_EQ(
      judge_tables(
          {.hidden = "orders", .rules = "nothing on events", .unlogged = "pending_events, run_queue"})
          .line(),
      "failure tables: row level security hides rows of orders; rules change statements: nothing on events; "
      "a crash of PostgreSQL empties the unlogged pending_events, run_queue, `alter table … disable row "
      "level "
      "security`, or give the role bypassrls; `drop rule … on …`; `alter table … set logged`");
}

TEST(Doctor, SeveralPrimariesAreAFailureThatNamesThem) {
  EXPECT_EQ(judge_database({}).line(), "ok database: it accepts connections");
  EXPECT_EQ(judge_database({"a:5432"}).level, Level::ok);
  EXPECT_EQ(
      judge_database({"a:5432", "b:5432"}).line(),
      "failure database: a:5432 and b:5432 are primaries at the same time: processes that use different ones "
      "do not see each other's records, see docs/operations.md, SeveralPrimaries");
}

TEST(Doctor, DisabledConstraintsNeedASuperuserAndMissingTriggersAreMadeAgain) {
  EXPECT_EQ(
      judge_triggers({{"users", "", "foreign keys are not checked"}, {"users", "audit", "no audit"}}).remedy,
      "`alter table users enable trigger all` as a superuser");
  const Finding finding = judge_triggers({{"carriers", "audit", "no audit", true}});
  EXPECT_EQ(finding.text, "carriers: audit missing (no audit)");
  EXPECT_EQ(finding.remedy,
            "make the missing triggers as they are in an empty database after `waybill migrate`");
}

TEST(Doctor, SeveralFaultsOfOneCheckAreOneLineOfTheWorstLevel) {
  const Finding finding = judge_settings({.encoding = "LATIN1", .autovacuum = false});
  EXPECT_EQ(
      finding.line(),
      "failure settings: the database's encoding is LATIN1; autovacuum is off, create the database with "
      "encoding UTF8 and restore into it; switch it on: the tables of pending events and queued runs grow "
      "without it");
}

TEST(Doctor, ASettingThatLosesCommitsIsAFailure) {
  EXPECT_EQ(judge_durability({}).level, Level::ok);
  EXPECT_EQ(judge_durability({.synchronous_commit = "remote_apply"}).level, Level::ok);
  EXPECT_EQ(judge_durability({.fsync = false}).level, Level::failure);
  EXPECT_EQ(judge_durability({.full_page_writes = false}).level, Level::failure);
  EXPECT_EQ(judge_durability({.synchronous_commit = "off"}).level, Level::failure);
}

TEST(Doctor, CommitsThatDoNotWaitForTheDiskOfASynchronousStandbyAreAWarning) {
  for (const auto* const weak : {"local", "remote_write"}) {
    EXPECT_EQ(judge_durability({.synchronous_commit = weak}).level, Level::ok) << weak << " of a lone server";
    const Finding finding = judge_durability({.synchronous_commit = weak, .standby_names = "ANY 1 (*)"});
    EXPECT_EQ(finding.level, Level::warning) << weak;
    EXPECT_EQ(finding.remedy, "set synchronous_commit = on") << weak;
  }
  for (const auto* const strong : {"on", "remote_apply"}) {
    EXPECT_EQ(judge_durability({.synchronous_commit = strong, .standby_names = "ANY 1 (*)"}).level, Level::ok)
        << strong;
  }
}

TEST(Doctor, ALoneServerIsOkAndAnAsynchronousStandbyAWarning) {
  EXPECT_EQ(judge_standbys({}).line(), "ok standbys: a lone server");
  EXPECT_EQ(judge_standbys({.connected = 2}).level, Level::warning);
  EXPECT_EQ(judge_standbys({.needed = 1, .connected = 2, .synchronous = 1}).level, Level::ok);
  EXPECT_EQ(judge_standbys({.needed = 1}).level, Level::failure) << "commits wait";
  EXPECT_EQ(judge_standbys({.needed = 1, .connected = 1, .hidden = 1}).level, Level::warning);
}

TEST(Doctor, FewerSynchronousStandbysThanCommitsWaitForAreAFailure) {
  EXPECT_EQ(judge_standbys({.needed = 3, .connected = 2, .synchronous = 2}).line(),
            "failure standbys: commits wait for 3 synchronous standbys, and 2 are connected, start standbys "
            "that synchronous_standby_names names, or change that setting");
  EXPECT_EQ(judge_standbys({.needed = 2, .connected = 2, .synchronous = 2}).level, Level::ok);
}

TEST(Doctor, AFullDiskIsAFailureAndLittleRoomAWarning) {
  constexpr std::uint64_t mebibyte = 1024UL * 1024;
  EXPECT_EQ(judge_disk({.is_full = false}).line(), "ok disk: PostgreSQL can write");
  EXPECT_EQ(judge_disk({.is_full = false, .free_bytes = 1024 * mebibyte}).line(),
            "ok disk: PostgreSQL can write, 1024 MiB are free");
  EXPECT_EQ(judge_disk({.free_bytes = 1024 * mebibyte}).line(), "ok disk: 1024 MiB are free");
  EXPECT_EQ(judge_disk({.free_bytes = 1024 * mebibyte - 1}).line(),
            "warning disk: only 1023 MiB are free, see docs/operations.md, Full disk");
  EXPECT_EQ(judge_disk({.free_bytes = 100 * mebibyte}).level, Level::warning);
  EXPECT_EQ(judge_disk({.free_bytes = 100 * mebibyte - 1}).level, Level::failure);
  EXPECT_EQ(judge_disk({.is_full = true}).line(),
            "failure disk: PostgreSQL's disk is full: reads work, writes fail, see docs/operations.md, Full "
            "disk");
}

TEST(Doctor, ConnectionsAreComparedWithAllLimits) {
  const ConnectionFacts good{.most = 100, .available = 97, .used = 20, .allowed = 80, .wanted = 40};
  EXPECT_EQ(judge_connections(good).level, Level::ok);
  const auto level = [&good](auto member, std::int64_t value) {
    ConnectionFacts facts = good;
    facts.*member = value;
    return judge_connections(facts).level;
  };
  EXPECT_EQ(level(&ConnectionFacts::wanted, 98), Level::failure);
  EXPECT_EQ(level(&ConnectionFacts::allowed, 98), Level::warning);
  EXPECT_EQ(level(&ConnectionFacts::used, 88), Level::warning);
  EXPECT_EQ(level(&ConnectionFacts::role_limit, 39), Level::failure);
  EXPECT_EQ(level(&ConnectionFacts::role_limit, 40), Level::warning) << "all processes together";
  EXPECT_EQ(level(&ConnectionFacts::role_limit, 79), Level::warning);
  EXPECT_EQ(level(&ConnectionFacts::role_limit, 80), Level::ok);
  EXPECT_EQ(level(&ConnectionFacts::database_limit, 0), Level::failure);
}

TEST(Doctor, AMissingMigrationIsAFailureAndANewerOneAWarning) {
  EXPECT_EQ(judge_schema({}).level, Level::ok);
  EXPECT_EQ(judge_schema({.missing = "0031_keys"}).line(),
            "failure schema: it lacks 0031_keys, run `waybill migrate`");
  EXPECT_EQ(judge_schema({.unknown = "0099_later"}).level, Level::warning);
}

TEST(Doctor, OptionsThatDifferAreAWarningThatNamesThem) {
  EXPECT_EQ(judge_options({}).level, Level::ok);
  EXPECT_EQ(
      judge_options({{"plans", "free=1 in api a:1, free=2 in api b:2"},
                     {"public-url", "https://way.example in api a:1, none in worker c:3"}})
          .line(),
      "warning options: --plans is free=1 in api a:1, free=2 in api b:2; --public-url is "
      "https://way.example in api a:1, none in worker c:3, give all processes the same --plans; give all "
      "processes the same --public-url");
}

TEST(Doctor, AKeyThatDoesNotOpenTheSecretsIsAFailure) {
  EXPECT_EQ(judge_key({}).level, Level::ok) << "no process has started yet";
  EXPECT_EQ(judge_key({.has_check_value = true, .check_key = 0}).level, Level::ok);
  EXPECT_EQ(judge_key({.has_check_value = true}).level, Level::failure);
  EXPECT_EQ(judge_key({.has_check_value = true, .check_key = 0, .missing = 1}).level, Level::failure);
  EXPECT_EQ(judge_key({.has_check_value = true, .check_key = 1}).level, Level::warning);
  EXPECT_EQ(judge_key({.has_check_value = true, .check_key = 0, .without = "api a:1"}).level, Level::warning);
}

TEST(Doctor, ARoleWithoutTheRightsOfTheOwnerIsAFailure) {
  EXPECT_EQ(judge_privileges({.role = "w", .owner = "w", .has_owner = true, .may_create = true}).level,
            Level::ok);
  EXPECT_EQ(judge_privileges({.role = "r", .owner = "w", .closed = "orders"}).level, Level::failure);
  EXPECT_EQ(judge_privileges({.role = "r", .owner = "w"}).level, Level::failure);
  EXPECT_EQ(judge_privileges({.role = "w", .owner = "w", .has_owner = true}).level, Level::failure);
  EXPECT_EQ(judge_privileges(
                {.role = "m", .owner = "w", .has_owner = true, .may_create = true, .foreign = "events_2"})
                .level,
            Level::failure);
  EXPECT_EQ(
      judge_privileges({.role = "w", .owner = "w", .has_owner = true, .closed = "timers"}).line(),
      "failure privileges: w may not read and write timers, give these tables the owner w with `alter table "
      "… owner to`");
}

TEST(Doctor, ANotificationMustArrive) {
  EXPECT_EQ(judge_notifications(2ms).level, Level::ok);
  EXPECT_EQ(judge_notifications(std::nullopt).level, Level::failure);
}

TEST(Doctor, MissingPartitionsAreAWarning) {
  EXPECT_EQ(judge_partitions(0).level, Level::ok);
  EXPECT_EQ(judge_partitions(1).level, Level::warning);
}

TEST(Doctor, ClocksMayDifferByASecond) {
  EXPECT_EQ(judge_clock({.skew = -999ms}).level, Level::ok);
  EXPECT_EQ(judge_clock({.skew = 1001ms}).level, Level::warning);
  EXPECT_EQ(judge_clock({.skew = 1001ms, .uncertainty = 100ms}).level, Level::ok);
  EXPECT_EQ(judge_clock({.skew = -31s}).level, Level::failure);
}

TEST(Doctor, AnUnbalancedLedgerIsAFailure) {
  EXPECT_EQ(judge_ledger(0).level, Level::ok);
  EXPECT_EQ(judge_ledger(1).level, Level::failure);
}

TEST(Doctor, NoWorkerIsAWarningAndWaitingEventsAFailure) {
  EXPECT_EQ(judge_workers({.living = 1, .lag = 60}).level, Level::ok);
  EXPECT_EQ(judge_workers({.living = 1, .lag = 61}).level, Level::failure);
  EXPECT_EQ(judge_workers({.living = 0, .lag = 60}).line(),
            "warning workers: none is running, start `waybill worker`");
  EXPECT_EQ(judge_workers({.living = 0, .lag = 61}).line(),
            "failure workers: none is running, and an event has waited for 61 s, start `waybill worker`");
}

TEST(Doctor, AScriptWithoutAFontIsAWarning) {
  EXPECT_EQ(judge_fonts({}).level, Level::ok);
  EXPECT_EQ(judge_fonts({"Han", "Thai"}).line(),
            "warning fonts: this machine has no font for Han, Thai: a server here refuses labels with such "
            "letters, install one, such as the packages fonts-noto-core and fonts-noto-cjk, and start the "
            "server again");
}

TEST(Doctor, DutiesThatNoProcessPerformsAreAFailure) {
  EXPECT_EQ(judge_duties({}).level, Level::ok);
  EXPECT_EQ(
      judge_duties({{.name = "expire", .seconds = 7'230}, {.name = "partitions", .seconds = {}}}).line(),
      "failure duties: expire was last performed 120 minutes ago; partitions was never performed, see "
      "docs/operations.md, DutiesOverdue");
}

TEST(Doctor, GatewaysThatAnswerAreCounted) {
  EXPECT_EQ(judge_gateways({}).line(), "ok gateways: no business reaches a carrier through one");
  EXPECT_EQ(judge_gateways({.configured = 3, .asked = 3}).line(),
            "ok gateways: 3 of 3 carriers can be reached");
  EXPECT_EQ(judge_gateways({.configured = 70, .asked = 50}).line(),
            "ok gateways: 50 of 50 carriers can be reached, and 20 more were not asked");
}

TEST(Doctor, AGatewayOfTheOperatorThatIsAwayIsAFailureAndAllElseAWarning) {
  const GatewayFault refused{"UPS", "Acme", "karrio", "Karrio refuses the token."};
  GatewayFault away{"DHL", "Beta", "karrio", "no route to host", true};
  EXPECT_EQ(
      judge_gateways({.configured = 2, .asked = 2, .faults = {refused, away}}).line(),
      "warning gateways: DHL of Beta (karrio): no route to host; UPS of Acme (karrio): Karrio refuses the "
      "token, see that the gateway runs and can be reached from here; the business configures the carrier "
      "again with what the gateway accepts");
  away.is_operators = true;
  EXPECT_EQ(judge_gateways({.configured = 1, .asked = 1, .faults = {refused, away}}).level, Level::failure);
  GatewayFault own = refused;
  own.is_operators = true;
  EXPECT_EQ(judge_gateways({.configured = 1, .asked = 1, .faults = {own}}).level, Level::warning);
}

TEST(Doctor, ManyGatewaysWithFaultsAreNotAllNamed) {
  const std::vector<GatewayFault> faults(12, {"DHL", "Acme", "easypost", "busy", true});
  const std::string line = judge_gateways({.configured = 12, .asked = 12, .faults = faults}).line();
  EXPECT_NE(line.find("; and 7 more, see that the gateway runs and can be reached from here"),
            std::string::npos)
      << line;
}

TEST(Doctor, AMailServerThatRefusesIsAFailure) {
  EXPECT_EQ(judge_smtp(std::nullopt).level, Level::ok);
  EXPECT_EQ(judge_smtp("Login denied").line(),
            "failure smtp: Login denied, correct --smtp-url or --ca-file, or repair the mail server");
}

TEST(Doctor, AMailDirectoryThatCannotBeWrittenIsAFailure) {
  EXPECT_EQ(judge_mail_directory("/srv/mail", std::nullopt).line(),
            "ok smtp: no server, so mails are written to /srv/mail");
  EXPECT_EQ(judge_mail_directory("/srv/mail", "Read-only file system").line(),
            "failure smtp: no server, and mails cannot be written to /srv/mail: Read-only file system, set "
            "--smtp-url, or name a directory in --mail-dir that the processes may write");
}

}  // namespace
}  // namespace waybill::app
