#include <optional>
#include <string>
#include <vector>

#include "domain/workflows/retry.hpp"
#include "storage/blocking/connection.hpp"
#include "tests/worker/worker_database.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

/// Runs and other rows as a node with a wrong clock would have stored them.
class WrongTimes : public WorkerDatabase {
 protected:
  struct Row {
    std::string status;
    std::string due;  // an SQL expression, as are the next ones
    std::string created = "now()";
    std::string code = "null";
    int attempts = 0;
    std::string tries = "'[]'";
    std::string steps = "null";
    std::string postponed_until = "null";
  };

  void queue(const Row& row) {
    database_.exec(
        "insert into run_queue (business_id, guid, workflow_id, workflow_version, event_id, entity_type, "
        "entity_id, trigger_code, action, origin, request, status, due_at, created_at, code, attempts, "
        "tries, "
        "steps, postponed_until) select '" +
        business_.to_string() + "', gen_random_uuid(), guid, version, 1, 0, gen_random_uuid(), " +
        "'order_created', 'nothing', gen_random_uuid(), '{}', '" + row.status + "', " + row.due + ", " +
        row.created + ", " + row.code + ", " + std::to_string(row.attempts) + ", " + row.tries + ", " +
        row.steps + ", " + row.postponed_until + " from workflows where guid = '" + workflow_.to_string() +
        "'");
  }

  /// A run that failed `attempts` times, by a clock that is ahead by `skew` seconds.
  void queue_retry(std::int64_t skew, int attempts, double delay, const std::string& status_code = "null") {
    const std::string clock = "now() + " + std::to_string(skew) + " * interval '1 second'";
    queue({.status = "retrying",
           .due = clock + " + " + std::to_string(delay) + " * interval '1 second'",
           .attempts = attempts,
           .tries = "'[{\"number\":1},{\"number\":2,\"startedAt\":\"' || iso(" + clock +
                    ") || '\",\"durationMs\":0.0,\"statusCode\":" + status_code + "}]'"});
  }

  /// Stores the version of the workflow with the runs.
  void define(const std::string& definition) {
    database_.rows(
        "insert into workflow_versions (business_id, workflow_id, version, definition) "
        "select business_id, guid, version, $2::jsonb from workflows where guid = $1",
        {workflow_.to_string(), definition});
  }

  void bring_back() {
    const worker::DutyOptions options{
        .database_url = database_.url(), .secrets = secrets_, .retry_delays = schedule_.delays()};
    worker::bring_back_runs(session_, options);
    worker::bring_back_counts(session_, options);
  }

  /// The seconds until the only run is due.
  double wait() {
    return std::stod(database_.value("select extract(epoch from due_at - clock_timestamp()) from run_queue"));
  }
  std::string due() { return database_.value("select due_at from run_queue"); }

  void expect_unchanged(const Row& row) {
    database_.exec("delete from run_queue");
    queue(row);
    const auto before = due();
    bring_back();
    EXPECT_EQ(due(), before) << row.status << ' ' << row.code << ' ' << row.due;
  }

  const domain::RetrySchedule schedule_ = domain::RetrySchedule::standard();
  const Guid workflow_ = add_workflow("order_created");
  storage::blocking::Connection session_{database_.url(), "test"};
};

TEST_F(WrongTimes, ARetryWaitsForItsDelayHoweverFarTheClockWasAhead) {
  for (const std::int64_t skew : {120, 3'600, 86'400, 365 * 86'400}) {
    int attempts = 0;
    for (const Duration delay : schedule_.delays()) {
      const double seconds = std::chrono::duration<double>(delay).count() * 1.1;
      database_.exec("delete from run_queue");
      queue_retry(skew, ++attempts, seconds);
      bring_back();
      EXPECT_NEAR(wait(), seconds, 10) << skew << " s, attempt " << attempts;
    }
  }
}

TEST_F(WrongTimes, ARetryIsNeverLaterThanTheScheduleAllows) {
  int attempts = 0;
  for (const Duration delay : schedule_.delays()) {
    const double seconds = std::chrono::duration<double>(delay).count();
    database_.exec("delete from run_queue");
    queue_retry(0, ++attempts, seconds * 1.2 + 7'200);
    bring_back();
    EXPECT_NEAR(wait(), seconds * 1.2, 10) << attempts;
  }
}

TEST_F(WrongTimes, RetriesThatTheirRulesAllowStay) {
  int attempts = 0;
  for (const Duration delay : schedule_.delays()) {
    for (const double variation : {0.8, 1.0, 1.2}) {
      database_.exec("delete from run_queue");
      queue_retry(-30, attempts + 1, std::chrono::duration<double>(delay).count() * variation);
      const auto before = due();
      bring_back();
      EXPECT_EQ(due(), before) << attempts;
    }
    ++attempts;
  }
  database_.exec("delete from run_queue");
  queue_retry(0, 1, 86'400, "503");
  const auto before = due();
  bring_back();
  EXPECT_EQ(due(), before) << "a server may ask for a day";
}

TEST_F(WrongTimes, TheAttemptsOfARetryAreThoseOfItsStep) {
  queue({.status = "retrying",
         .due = "now() + interval '1 day'",
         .attempts = 6,
         .tries = "'[{\"startedAt\":\"' || iso(now()) || '\",\"durationMs\":1.0,\"statusCode\":null}]'",
         .steps = R"('{"number":2,"attemptsBefore":5}')"});
  bring_back();
  EXPECT_NEAR(wait(), 6, 3);
}

TEST_F(WrongTimes, ADelayEndsAtItsTime) {
  define(R"({"delay": "PT2H"})");
  const std::string two_hours = "now() + interval '2 hours'";
  for (const std::string late : {"1 minute 1 second", "1 hour", "400 days"}) {
    database_.exec("delete from run_queue");
    queue({.status = "waiting", .due = two_hours + " + interval '" + late + "'"});
    bring_back();
    EXPECT_NEAR(wait(), 7'200, 10) << late;
  }
  database_.exec("delete from run_queue");
  queue({.status = "waiting", .due = "now() + interval '26 hours'", .created = "now() + interval '1 day'"});
  bring_back();
  EXPECT_NEAR(wait(), 7'200, 10) << "of an event in the future";
  expect_unchanged({.status = "waiting", .due = two_hours});
  expect_unchanged({.status = "waiting", .due = two_hours + " - interval '1 hour'"});
}

TEST_F(WrongTimes, AWaitOfAStepEndsAtItsTimeAndOneUntilATimeOfTheRecordStays) {
  define(
      R"({"action": {"type": "steps", "steps": [{"type": "wait", "delay": "PT3H"}, {"type": "wait", "until": "collectionDate"}]}})");
  const auto steps = [](int number, const std::string& began) {
    return "'{\"number\":" + std::to_string(number) + ",\"attemptsBefore\":0,\"startedAt\":\"' || iso(" +
           began + ") || '\"}'";
  };
  queue({.status = "waiting",
         .due = "now() + interval '7 hours'",
         .steps = steps(1, "now() + interval '4 hours'")});
  bring_back();
  EXPECT_NEAR(wait(), 3 * 3'600, 10);
  expect_unchanged({.status = "waiting", .due = "now() + interval '3 hours'", .steps = steps(1, "now()")});
  expect_unchanged({.status = "waiting",
                    .due = "now() + interval '20 days'",
                    .steps = steps(2, "now() + interval '4 hours'")});
}

TEST_F(WrongTimes, AWaitForAWorkingDayEndsWithinTheDaysAmongWhichItIsLookedFor) {
  database_.exec(R"(update businesses set workdays = '["mon", "tue", "wed", "thu", "fri", "sat", "sun"]')");
  define(
      R"({"delay": null, "workdays": "P2D", "action": {"type": "steps", "steps": [
          {"type": "wait", "workdays": {"days": "P3D", "until": null}},
          {"type": "wait", "workdays": {"days": "P3D", "until": "collectionDate"}}]}})");
  const auto step = [](int number) {
    return "'{\"number\":" + std::to_string(number) +
           ",\"attemptsBefore\":0,\"startedAt\":\"' || iso(now()) || '\"}'";
  };
  queue({.status = "waiting", .due = "now() + interval '400 days'"});
  bring_back();
  EXPECT_NEAR(wait(), 2 * 86'400, 10);
  database_.exec("delete from run_queue");
  queue({.status = "waiting", .due = "now() + interval '400 days'", .steps = step(1)});
  bring_back();
  EXPECT_NEAR(wait(), 3 * 86'400, 10);
  expect_unchanged({.status = "waiting", .due = "now() + interval '59 days'"});
  expect_unchanged({.status = "waiting", .due = "now() + interval '59 days'", .steps = step(1)});
  expect_unchanged({.status = "waiting", .due = "now() + interval '400 days'", .steps = step(2)});
}

TEST_F(WrongTimes, LeasesAndQueuedRunsEndWithinTheirBounds) {
  queue({.status = "running", .due = "now() + interval '1 hour'"});
  bring_back();
  EXPECT_NEAR(wait(), 30, 10);
  database_.exec("delete from run_queue");
  queue({.status = "queued", .due = "now() + interval '1 hour'"});
  bring_back();
  EXPECT_LE(wait(), 0);
  database_.exec("delete from run_queue");
  queue({.status = "waiting", .due = "now() + interval '9 days'", .code = "'WINDOW'"});
  bring_back();
  EXPECT_LE(wait(), 0) << "the window is looked up again";
  database_.exec(R"(update workflows set time_window = '{"workdays": true}')");
  expect_unchanged({.status = "waiting", .due = "now() + interval '60 days'", .code = "'WINDOW'"});
  database_.exec("update workflows set time_window = null");
  database_.exec("delete from run_queue");
  queue({.status = "queued", .due = "'2199-01-01'", .postponed_until = "'2199-01-01'"});
  bring_back();
  EXPECT_LE(wait(), 0);
}

TEST_F(WrongTimes, RunsThatWaitForAWindowOrAnEarlierRunStay) {
  for (const std::string status : {"waiting", "queued", "retrying"})
    expect_unchanged({.status = status, .due = "now() + interval '7 days'", .code = "'WINDOW'"});
  const std::string soon = "now() + interval '5 minutes'";
  for (const std::string status : {"waiting", "queued", "retrying"})
    expect_unchanged({.status = status, .due = soon, .postponed_until = soon});
  expect_unchanged({.status = "held", .due = "now() + interval '30 days'"});
}

TEST_F(WrongTimes, LimitedRunsBeginInTheirOrderUntilNow) {
  database_.exec(
      "insert into limited_runs (business_id, run, workflow_id, value, begun_at, expires_at, number) select "
      "'" +
      business_.to_string() + "', gen_random_uuid(), '" + workflow_.to_string() +
      "', 'x', t, t + interval '1 day', n from (values (1, now() - interval '5 minutes'), "
      "(2, now() + interval '2 days'), (3, now() + interval '2 days 1 second')) v (n, t)");
  bring_back();
  EXPECT_EQ(database_.number("select count(*) from limited_runs where begun_at > clock_timestamp()"), 0);
  EXPECT_EQ(
      database_.number("select count(*) from limited_runs where expires_at - begun_at = interval '1 day'"),
      3);
  EXPECT_EQ(database_.value("select string_agg(number::text, '' order by begun_at) from limited_runs"),
            "123");
}

TEST_F(WrongTimes, SessionsMailedTokensAndKeysLiveNoLongerThanTheirs) {
  database_.exec(
      "insert into users (guid, email, password_hash, mail_token_hash, mail_token_expires_at) values "
      "('11111111-1111-4111-8111-111111111111', 'ada@example.com', 'h', decode(repeat('aa', 32), 'hex'), "
      "now() + interval '1 year');"
      "insert into user_sessions (user_id, token_hash, created_at, expires_at) select guid, "
      "decode(repeat('bb', 32), 'hex'), now() + interval '1 year', now() + interval '1 year 1 day' from "
      "users;"
      "insert into businesses (name) values ('Of links');"
      "insert into console_sessions (business_id, role, operator_name, secret_hash, started_at, expires_at) "
      "select b.guid, 'admin', 'root', decode(repeat(l.hash, 32), 'hex'), l.started_at, now() + interval '1 "
      "year' "
      "from businesses b, (values ('dd', null), ('ee', now() + interval '364 days')) l (hash, started_at) "
      "where b.name = 'Of links';"
      "insert into password_resets select guid, decode(repeat('cc', 32), 'hex'), now() + interval '1 year' "
      "from users;"
      "insert into idempotency_keys (business_id, token_id, key, request_hash, created_at) values ('" +
      business_.to_string() + "', gen_random_uuid(), 'k', '', now() + interval '1 year')");
  bring_back();
  EXPECT_EQ(
      database_.value("select round(extract(epoch from mail_token_expires_at - now()) / 86400) from users"),
      "7");
  EXPECT_EQ(database_.number("select count(*) from user_sessions where created_at <= clock_timestamp() and "
                             "expires_at <= clock_timestamp() + interval '24 hours'"),
            1);
  EXPECT_EQ(
      database_.number("select count(*) from console_sessions where created_at <= clock_timestamp() and "
                       "expires_at <= clock_timestamp() + case when started_at is null then interval '10 "
                       "minutes' else interval '24 hours' end"),
      2);
  EXPECT_EQ(database_.number("select count(*) from password_resets where expires_at <= clock_timestamp() + "
                             "interval '1 hour'"),
            1);
  EXPECT_EQ(database_.number("select count(*) from idempotency_keys where created_at <= clock_timestamp()"),
            1);
}

TEST_F(WrongTimes, WorkflowsThatWereSwitchedOnInTheFutureAreOnNow) {
  const Guid earlier = add_workflow("order_shipped");
  database_.exec("update workflows set active_since = now() - interval '1 day'");
  const auto kept =
      database_.value("select active_since from workflows where guid = '" + earlier.to_string() + "'");
  database_.exec(
      "update workflows set active_since = now() + interval '1 year', timer_since = now() + interval '1 "
      "year' "
      "where guid = '" +
      workflow_.to_string() + "'");
  bring_back();
  EXPECT_EQ(database_.number("select count(*) from workflows where greatest(active_since, timer_since) > "
                             "clock_timestamp()"),
            0);
  EXPECT_EQ(database_.value("select active_since from workflows where guid = '" + earlier.to_string() + "'"),
            kept);
}

TEST_F(WrongTimes, MailsAlertsAndImportsAreDueAgain) {
  const std::string business = "'" + business_.to_string() + "'";
  database_.exec(
      "insert into mail_outbox (guid, sealed, due_at, expires_at) values (gen_random_uuid(), '', now() + "
      "interval '1 year', now() + interval '1 year');"
      "insert into alerts (business_id, cause, subject_id, count, told_at, due_at) values (" +
      business +
      ", 'run_dead', gen_random_uuid(), 1, now() + interval '1 year', now() + interval '1 year 1 hour');"
      "insert into alert_messages (business_id, channel, cause, subject_id, count, due_at) values (" +
      business +
      ", 'email', 'run_dead', gen_random_uuid(), 1, now() + interval '1 year');"
      "insert into integrations (business_id, provider, store_url, api_key, due_at, lease_owner, "
      "lease_until, "
      "orders_swept_at) values (" +
      business +
      ", 'medusa', 'https://a.example', '', now() + interval '1 year', "
      "gen_random_uuid(), now() + interval '1 year', now() + interval '1 year'), (" +
      business +
      ", 'medusa', 'https://b.example', '', 'infinity', null, null, null);"
      "insert into import_failures (business_id, integration_id, external_id, reason, due_at, run_id) values "
      "(" +
      business +
      ", gen_random_uuid(), '1', 'r', now() + interval '1 year', gen_random_uuid());"
      "insert into tracking_pushes values (" +
      business + ", gen_random_uuid(), '1', gen_random_uuid(), now() + interval '1 year')");
  bring_back();
  EXPECT_EQ(database_.number("select count(*) from mail_outbox where due_at <= clock_timestamp() and "
                             "expires_at <= clock_timestamp() + interval '7 days'"),
            1);
  EXPECT_EQ(database_.number("select count(*) from alerts where due_at <= clock_timestamp() + interval '1 "
                             "hour' and told_at <= clock_timestamp()"),
            1);
  EXPECT_EQ(database_.number("select count(*) from alert_messages where due_at <= clock_timestamp()"), 1);
  EXPECT_EQ(database_.number(
                "select count(*) from integrations where due_at <= clock_timestamp() + interval '1 day' "
                "and lease_until <= clock_timestamp() + interval '1 minute' and orders_swept_at <= "
                "clock_timestamp()"),
            1);
  EXPECT_EQ(database_.number("select count(*) from integrations where due_at = 'infinity'"), 1);
  EXPECT_EQ(database_.number("select count(*) from integrations where products_swept_at is null"), 2)
      << "a time that is unknown stays unknown";
  EXPECT_EQ(database_.number("select count(*) from import_failures where due_at <= clock_timestamp()"), 1);
  EXPECT_EQ(database_.number("select count(*) from tracking_pushes where held_until <= clock_timestamp()"),
            1);
}

TEST_F(WrongTimes, PostponedTimersDigestsAndSchedulesAreLookedAtWhenTheyAreDue) {
  const std::string business = "'" + business_.to_string() + "'";
  database_.exec(
      "insert into timers (business_id, workflow_id, entity_id, shard, plan, value, due_at, check_at, "
      "event_id) select " +
      business +
      ", gen_random_uuid(), gen_random_uuid(), 0, 1, now(), due, look, 0 from (values "
      "(now() - interval '1 minute', now() + interval '1 year'), (now() + interval '1 hour', now() + "
      "interval '1 year'), (now() + interval '1 year', now() + interval '1 year')) v (due, look);"
      "insert into digests (business_id, guid, workflow_id, version, value_key, value, shard, began_at, "
      "last_at, due_at, check_at, count, bytes, is_full) values (" +
      business +
      ", gen_random_uuid(), gen_random_uuid(), 1, gen_random_uuid(), 'null', 0, now(), now(), now(), now() + "
      "interval '1 year', 1, 10, false);"
      "insert into schedules (business_id, workflow_id, plan, next_at, check_at) values (" +
      business + ", gen_random_uuid(), 1, null, now() + interval '1 year'), (" + business +
      ", gen_random_uuid(), 1, now() + interval '1 year', now() + interval '1 year'), (" + business +
      ", gen_random_uuid(), 1, null, 'infinity')");
  bring_back();
  EXPECT_EQ(database_.number("select count(*) from timers where check_at <= clock_timestamp()"), 1);
  EXPECT_EQ(database_.number("select count(*) from timers where check_at = due_at"), 2);
  EXPECT_EQ(database_.number("select count(*) from digests where check_at <= clock_timestamp()"), 1);
  EXPECT_EQ(database_.number("select count(*) from schedules where check_at <= clock_timestamp()"), 1);
  EXPECT_EQ(database_.number("select count(*) from schedules where check_at = next_at"), 1);
  EXPECT_EQ(database_.number("select count(*) from schedules where check_at = 'infinity'"), 1);
}

TEST_F(WrongTimes, PullsTheirLanesAndPausedAccountsAreDueWithinTheirBounds) {
  const std::string business = "'" + business_.to_string() + "'";
  database_.exec(
      "insert into tracking_pulls (business_id, shipment_id, number, carrier_id, due_at, asked_at, "
      "hinted_at) "
      "select " +
      business +
      ", gen_random_uuid(), number, gen_random_uuid(), due, asked, hinted from (values "
      "('asked', now() + interval '1 year 3 hours', now() + interval '1 year', null::timestamptz), "
      "('swept', now() + interval '1 year', null, null), "
      "('hinted', now() + interval '1 hour', null, now() + interval '1 year'), "
      "('right', now() + interval '6 hours', now(), null)) v (number, due, asked, hinted);"
      "insert into tracking_lanes (business_id, connector, look_at, swept_at, lease_owner, lease_until) "
      "values (" +
      business +
      ", 'a', now() + interval '1 year', now() + interval '1 year', gen_random_uuid(), now() + interval '1 "
      "year'), (" +
      business +
      ", 'b', now() + interval '10 minutes', null, null, null);"
      "insert into carrier_configurations (business_id, carrier_id, account_number, test_mode, "
      "tracking_paused_until) values (" +
      business + ", gen_random_uuid(), '1', false, now() + interval '1 year'), (" + business +
      ", gen_random_uuid(), '2', false, now() + interval '1 hour')");
  bring_back();
  const auto pull = [&](const std::string& number, const std::string& condition) {
    return database_.number("select count(*) from tracking_pulls where number = $1 and " + condition,
                            {number}) == 1;
  };
  EXPECT_TRUE(
      pull("asked",
           "asked_at <= clock_timestamp() and due_at - asked_at = interval '3 hours' and hinted_at is "
           "null"));
  EXPECT_TRUE(pull("swept", "asked_at is null and due_at <= clock_timestamp() + interval '2 hours'"));
  EXPECT_TRUE(
      pull("hinted", "asked_at is null and due_at <= clock_timestamp() and hinted_at <= clock_timestamp()"));
  EXPECT_TRUE(pull("right", "due_at - asked_at = interval '6 hours'"));
  EXPECT_EQ(database_.number("select count(*) from tracking_lanes where connector = 'a' and look_at <= "
                             "clock_timestamp() and swept_at <= clock_timestamp() and lease_until <= "
                             "clock_timestamp() + interval '2 minutes'"),
            1);
  EXPECT_EQ(database_.number("select count(*) from tracking_lanes where connector = 'b' and swept_at is null "
                             "and look_at > clock_timestamp()"),
            1);
  EXPECT_EQ(database_.value("select string_agg(account_number, '') from carrier_configurations where "
                            "tracking_paused_until > clock_timestamp()"),
            "2");
}

TEST_F(WrongTimes, PurchasesAndTheirLeasesAreDueWithinTheirBounds) {
  const auto add = [&](const std::string& status, const std::string& columns, const std::string& values) {
    return database_.value(
        "insert into purchases (business_id, guid, shipment_id, attempt, reference, shard, status, "
        "bought_at, " +
            columns +
            ") select $1, gen_random_uuid(), gen_random_uuid(), 1, gen_random_uuid(), 3, $2, case when $2 = "
            "'voiding' then now() end, " +
            values + " returning guid",
        {business_.to_string(), status});
  };
  const std::string late = "now() + interval '1 year'";
  const auto requested =
      add("requested", "requested_at, next_at, claim_at", late + ", " + late + ", " + late);
  const auto unknown = add("unknown", "unknown_since, next_at, claim_at", late + ", " + late + ", " + late);
  const auto postponed = add("requested", "next_at, claim_at", "now() - interval '1 minute', " + late);
  const auto leased = add("requested", "next_at, claim_at, lease_owner, lease_until",
                          "now(), " + late + ", gen_random_uuid(), " + late);
  const auto over = add("refused", "lease_owner, lease_until", "gen_random_uuid(), " + late);
  add("requested", "next_at, claim_at", "now() + interval '1 hour', now() + interval '1 hour'");
  add("voiding", "next_at, claim_at", "now() + interval '6 hours', now() + interval '6 hours'");
  const auto holds = [&](const std::string& purchase, const std::string& condition) {
    return database_.number("select count(*) from purchases where guid = $1 and " + condition, {purchase}) ==
           1;
  };
  bring_back();
  EXPECT_TRUE(holds(requested, "greatest(requested_at, next_at, claim_at) <= clock_timestamp()"));
  EXPECT_TRUE(holds(unknown, "greatest(unknown_since, next_at, claim_at) <= clock_timestamp()"));
  EXPECT_TRUE(holds(postponed, "claim_at = next_at and resolved_at is null and lease_until is null"));
  EXPECT_TRUE(holds(leased,
                    "claim_at = lease_until and lease_until <= clock_timestamp() + interval '3 minutes' and "
                    "next_at <= clock_timestamp()"));
  EXPECT_TRUE(holds(over, "claim_at is null and lease_until <= clock_timestamp() + interval '3 minutes'"));
  EXPECT_EQ(
      database_.number("select count(*) from purchases where next_at > clock_timestamp() and claim_at = "
                       "next_at"),
      2);
}

TEST_F(WrongTimes, ADigestWithEventsInTheFutureIsDueAsIfTheyWereOfNow) {
  const auto wait_of = [&](const std::string& terms, const std::string& began, const std::string& due) {
    const Guid workflow = add_workflow("6:order_created:" + terms);
    database_.exec("delete from digests");
    database_.rows(
        "insert into digests (business_id, guid, workflow_id, version, value_key, value, shard, began_at, "
        "last_at, due_at, check_at, count, bytes, is_full) select business_id, gen_random_uuid(), guid, "
        "version, gen_random_uuid(), 'null', shard_of(business_id), " +
            began + ", " + began + ", " + due + ", " + due + ", 1, 10, false from workflows where guid = $1",
        {workflow.to_string()});
    bring_back();
    EXPECT_EQ(database_.number("select count(*) from digests where check_at = due_at"), 1);
    return std::stod(database_.value("select extract(epoch from due_at - clock_timestamp()) from digests"));
  };
  const std::string every = R"({"by":null,"every":"PT1H","quiet":null,"atMost":null,"max":100})";
  const std::string quiet = R"({"by":null,"every":null,"quiet":"PT10M","atMost":"PT5M","max":100})";
  EXPECT_NEAR(wait_of(every, "now() + interval '1 day'", "now() + interval '25 hours'"), 3'600, 10);
  EXPECT_NEAR(wait_of(quiet, "now() + interval '1 day'", "now() + interval '1445 minutes'"), 300, 10);
  EXPECT_NEAR(wait_of(every, "now()", "now() + interval '2 hours'"), 7'200, 10)
      << "no event is in the future";
}

}  // namespace
}  // namespace waybill::tests
