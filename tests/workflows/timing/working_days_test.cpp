// The calendar of the business, and what counts its working days.
#include "domain/time/working_days.hpp"

#include <chrono>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/timing/explained.hpp"
#include "tests/workflows/timing/pacing_fixture.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;
using std::chrono::days;
using std::chrono::sys_days;
using testing::ElementsAre;

sys_days day_of(Time time) { return std::chrono::floor<days>(time); }

std::string weekday(sys_days day) {
  return std::string(domain::weekday_names.at(std::chrono::weekday(day).iso_encoding() - 1));
}

std::string date(sys_days day) { return format_timestamp(Time(day)).substr(0, 10); }

/// A calendar, and the count of its days one after another.
struct Calendar {
  std::set<std::string> workdays, holidays;

  json::object shown() const {
    return {{"workdays", json::array(workdays.begin(), workdays.end())},
            {"holidays", json::array(holidays.begin(), holidays.end())}};
  }
  bool works_on(sys_days day) const {
    return workdays.contains(weekday(day)) && !holidays.contains(date(day));
  }
  std::optional<sys_days> nth_after(sys_days day, int n) const {
    const days step(n < 0 ? -1 : 1);
    for (int distance = 1; distance <= 60; ++distance) {
      day += step;
      if (works_on(day)) n -= static_cast<int>(step.count());
      if (n == 0) return day;
    }
    return std::nullopt;
  }
};

/// The next days, all of which are holidays.
Calendar never(int count) {
  Calendar calendar{.workdays = {"mon", "tue", "wed", "thu", "fri", "sat", "sun"}, .holidays = {}};
  for (int day = -1; day <= count; ++day)
    calendar.holidays.insert(date(day_of(system_clock().now()) + days(day)));
  return calendar;
}

/// Workflows that count working days.
class WorkingDays : public PacingTest {
 protected:
  void set_calendar(const json::object& calendar) {
    const Response changed = tenant.http.put("/api/business", {{"calendar", calendar}});
    ASSERT_EQ(changed.status, 200) << changed.text;
  }
  /// The business works only on this weekday, which is in `distance` days.
  void work_only_in(int distance) {
    set_calendar({{"workdays", {weekday(day_of(system_clock().now()) + days(distance))}}});
  }
  json::object definition(const json::object& more) const {
    json::object body{{"name", "counts"},
                      {"entityType", "Order"},
                      {"triggers", {"order_created"}},
                      {"action", {{"type", "webhook"}, {"recipient", url()}}}};
    for (const auto& [name, value] : more) body[name] = value;
    if (more.contains("timer")) body.erase("triggers");
    if (more.contains("steps")) body.erase("action");
    return body;
  }
  std::string counting(const json::object& more) {
    return text_at(tenant.configure(definition(more)), "guid");
  }
  std::vector<std::string> refused_fields(const json::object& more) {
    const Response refused = tenant.http.post("/api/workflows/configure", definition(more));
    EXPECT_EQ(refused.status, 400) << refused.text;
    std::vector<std::string> fields;
    if (refused.status != 400) return fields;
    for (const auto& [field, message] : at(refused.body, "error.details").as_object())
      fields.emplace_back(field);
    return fields;
  }
  json::object wait(const json::object& members) const {
    json::object step{{"type", "wait"}};
    for (const auto& [name, value] : members) step[name] = value;
    return step;
  }
  json::array wait_and_send(const json::object& members) const {
    return {wait(members), {{"type", "webhook"}, {"recipient", url()}}};
  }
  static Time time_at(const json::object& run, std::string_view member) {
    return parse_timestamp(text_at(run, member)).value();
  }
  /// The code of the only run, once it is dead.
  std::string dead_code(const std::string& workflow) {
    return text_at(tenant.run_with_status(workflow, "dead"), "code");
  }
  void make_runs_due() {
    tenant.sql.exec("update run_queue set due_at = now() where business_id = '" + tenant.id + "'");
  }

  std::string due_of_timer() {
    return tenant.sql.value(
        "select to_char(due_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI') from timers where business_id = $1",
        {tenant.id});
  }
  bool are_scanned() {
    return tenant.sql.number("select count(*) from timer_scans where business_id = $1", {tenant.id}) == 0;
  }
  bool come_due(const std::string& time) {
    return eventually([&] { return are_scanned() && due_of_timer() == time; });
  }
};

/// PostgreSQL counts the days, because it has the time zones.
class CountedDays : public WorkingDays {
 protected:
  std::string counted(const std::string& start, int count, const std::string& zone,
                      const json::object& calendar) {
    return tenant.sql.value(
        "select to_char(working_day_from($1::timestamptz, $2::integer, $3, $4::jsonb, $5::jsonb) "
        "at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS')",
        {start, std::to_string(count), zone, to_json(calendar.at("workdays")),
         to_json(calendar.at("holidays"))});
  }
};

/// The rule for times that a zone skips or repeats: the first moment at which its clock shows this time or a
/// later one.
TEST_F(CountedDays, AreThoseOfACountDayByDay) {
  std::mt19937 random(74);
  const auto any = [&](int least, int most) { return std::uniform_int_distribution(least, most)(random); };
  const std::vector<std::string> zones = {"UTC",          "Europe/Lisbon",       "America/New_York",
                                          "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Kiritimati",
                                          "Africa/Cairo", "Antarctica/Troll"};
  for (int trial = 0; trial < 2'000; ++trial) {
    Calendar calendar;
    for (int i = any(1, 6); i > 0; --i)
      calendar.workdays.insert(std::string(domain::weekday_names.at(static_cast<std::size_t>(any(0, 6)))));
    const Time start = Time(sys_days(2026y / 1 / 1)) + std::chrono::seconds(any(0, 366 * 86'400)) + 250ms;
    const bool is_busy = any(0, 9) == 0;
    for (int i = any(0, is_busy ? 300 : 20); i > 0; --i)
      calendar.holidays.insert(date(day_of(start) + days(any(-70, 70))));
    const int n = any(1, 20) * (any(0, 1) == 0 ? 1 : -1);
    const std::string zone = zones.at(static_cast<std::size_t>(any(0, static_cast<int>(zones.size()) - 1)));
    const json::object shown = calendar.shown();
    constexpr const char* form = "'YYYY-MM-DD HH24:MI:SS.US'";
    const auto row = tenant.sql.rows(
        std::string("select to_char(s at time zone z, ") + form + "), to_char(m at time zone z, " + form +
            "), to_char((m - interval '1 microsecond') at time zone z, " + form +
            "), exists (select from unnest(array['30 minutes', '1 hour', '2 hours']::interval[]) e (back) "
            "where (m - back) at time zone z = m at time zone z) "
            "from (select $1::timestamptz as s, $3 as z, "
            "working_day_from($1::timestamptz, $2::integer, $3, $4::jsonb, $5::jsonb) as m) c",
        {format_timestamp(start), std::to_string(n), zone, to_json(shown.at("workdays")),
         to_json(shown.at("holidays"))})[0];
    const std::string local = row[0].value();
    const sys_days local_day = day_of(parse_date(local.substr(0, 10)).value());
    const auto expected_day = calendar.nth_after(local_day, n);
    SCOPED_TRACE(zone + " " + local + " " + std::to_string(n) + " " + to_json(shown));
    ASSERT_EQ(row[1].has_value(), expected_day.has_value());
    if (!expected_day) continue;
    const std::string expected = date(*expected_day) + local.substr(10);
    if (row[1] == expected) {
      ASSERT_EQ(row[3], "f") << "the first of two moments";
    } else {
      ASSERT_GT(row[1].value(), expected);
      ASSERT_LT(row[2].value(), expected) << "the next time that exists";
    }
  }
}

TEST_F(CountedDays, KeepTheTimeOfDayOfTheZone) {
  const json::object calendar{{"workdays", {"mon", "tue", "wed", "thu", "fri"}},
                              {"holidays", {"2026-12-25"}}};
  EXPECT_EQ(counted("2026-12-24 10:00Z", 1, "UTC", calendar), "2026-12-28 10:00:00.000");
  EXPECT_EQ(counted("2026-12-26 10:00Z", 1, "UTC", calendar), "2026-12-28 10:00:00.000") << "a Saturday";
  EXPECT_EQ(counted("2026-12-28 10:00Z", -1, "UTC", calendar), "2026-12-24 10:00:00.000");
  EXPECT_EQ(counted("2026-03-27 10:00:01.5Z", 1, "Europe/Lisbon", calendar), "2026-03-30 09:00:01.500")
      << "the clocks went forward";
  EXPECT_EQ(counted("2026-12-23 23:30Z", 1, "Asia/Tokyo", calendar), "2026-12-27 23:30:00.000")
      << "it is Thursday in Tokyo, and Friday is a holiday";
  EXPECT_EQ(counted("2026-12-28 10:00Z", 1, "No/Zone", calendar), "2026-12-29 10:00:00.000")
      << "counts as UTC";
  const json::object all{{"workdays", every_day}, {"holidays", json::array()}};
  EXPECT_EQ(counted("2026-03-28 01:30:15Z", 1, "Europe/Lisbon", all), "2026-03-29 01:00:00.000")
      << "01:30 does not exist";
  EXPECT_EQ(counted("2026-10-24 00:30Z", 1, "Europe/Lisbon", all), "2026-10-25 00:30:00.000")
      << "01:30 exists twice";
}

TEST_F(CountedDays, AreLookedForAmongSixty) {
  const json::object mondays{{"workdays", {"mon"}}, {"holidays", json::array()}};
  EXPECT_EQ(counted("2026-11-27 10:00Z", 8, "UTC", mondays), "2027-01-18 10:00:00.000");
  EXPECT_EQ(counted("2026-11-27 10:00Z", 10, "UTC", mondays), "");
}

TEST_F(WorkingDays, ADelayEndsAtTheSameTimeOfTheNthWorkingDay) {
  work_only_in(3);
  const std::string workflow =
      counting({{"delay", "P1D"}, {"workdays", true}, {"conditions", {{"status", "pending"}}}});
  const std::string order = tenant.create_order();
  const json::object run = tenant.run_with_status(workflow, "waiting");
  const Duration waits = time_at(run, "nextAttemptAt") - time_at(run, "createdAt");
  EXPECT_GE(waits, days(3));
  EXPECT_LT(waits, days(3) + 1min);
  work_only_in(1);
  EXPECT_EQ(at(tenant.run_with_status(workflow, "waiting"), "nextAttemptAt"), at(run, "nextAttemptAt"))
      << "a changed calendar holds for delays that begin later";
  make_runs_due();
  EXPECT_EQ(wait_for(1).size(), 1U);
  tenant.run_with_status(workflow, "succeeded");

  const std::string checked =
      counting({{"delay", "P1D"}, {"workdays", true}, {"conditions", {{"status", "pending"}}}});
  tenant.create_order();
  tenant.run_with_status(checked, "waiting");
  tenant.update_orders("status = 'processing' where true");
  make_runs_due();
  EXPECT_EQ(tenant.run_with_status(checked, "skipped").at("code"), "CONDITION");
}

TEST_F(WorkingDays, AWaitCountsFromItsBeginningOrFromAField) {
  work_only_in(2);
  const std::string after = counting({{"steps", wait_and_send({{"delay", "P1D"}, {"workdays", true}})}});
  const std::string before = counting(
      {{"steps", wait_and_send({{"until", "collectionDate"}, {"offset", "-P1D"}, {"workdays", true}})}});
  const std::string order = tenant.create_order();
  tenant.run_with_status(before, "succeeded");
  const json::object run = tenant.run_with_status(after, "waiting");
  const Duration waits = time_at(run, "nextAttemptAt") - time_at(run, "createdAt");
  EXPECT_GE(waits, days(2));
  EXPECT_LT(waits, days(2) + 1min);

  const json::value tested = this->tested(after, order);
  const Duration shown =
      parse_timestamp(text_at(tested, "steps.0.until")).value() - time_at(run, "createdAt");
  EXPECT_GE(shown, days(2));
  EXPECT_LT(shown, days(2) + 1min);

  tenant.sql.exec("delete from run_queue where business_id = '" + tenant.id + "'");
  const sys_days collected = day_of(system_clock().now()) + days(10);
  tenant.insert_order({{"collection_date", "'" + date(collected) + " 12:00Z'"}});
  ASSERT_TRUE(
      eventually([&] { return tenant.runs("workflowId=" + before + "&status=waiting").size() == 1; }));
  EXPECT_EQ(
      text_at(tenant.runs("workflowId=" + before + "&status=waiting")[0], "nextAttemptAt").substr(0, 16),
      date(collected - days(1)) + "T12:00")
      << "the working day in nine days";
}

TEST_F(WorkingDays, ATimeAtTheEndOfTheCalendarStopsNoBusiness) {
  struct Edge {
    std::string offset, time, end;  // the end of a run that waits
  };
  for (const Edge& edge :
       {Edge{"-P2D", "0001-01-01T00:00:01Z", "succeeded"}, Edge{"P2D", "9999-12-31T12:00:00Z", "dead"}}) {
    SCOPED_TRACE(edge.time);
    const json::object timer{{"field", "collectionDate"}, {"offset", edge.offset}};
    json::object counted = timer;
    counted["workdays"] = true;
    const std::string plain = counting({{"timer", timer}});
    const std::string working = counting({{"timer", counted}});
    std::vector<std::string> waiting;
    for (const bool workdays : {false, true}) {
      const json::object until{{"until", "collectionDate"}, {"offset", edge.offset}, {"workdays", workdays}};
      waiting.push_back(
          counting({{"triggers", {"order_collection_scheduled"}}, {"steps", wait_and_send(until)}}));
    }
    const std::string order = tenant.create_order();
    tenant.put_order(order, {{"collectionDate", edge.time}});
    for (const std::string& workflow : waiting) tenant.run_with_status(workflow, edge.end);
    tenant.settle();
    for (const std::string& path : {"upcoming?workflowId=" + plain, "upcoming?workflowId=" + working,
                                    "upcoming?entityId=" + order, "explain?entityId=" + order})
      EXPECT_EQ(tenant.http.get("/api/workflows/" + path).status, 200) << path;
    for (const std::string& workflow : {plain, working, waiting[0], waiting[1]}) {
      this->tested(workflow, order);
      const Response tried = tenant.http.post("/api/workflows/backtest", {{"workflowId", workflow}});
      EXPECT_EQ(tried.status, 200) << tried.text;
    }
  }
}

TEST_F(WorkingDays, ARunWithoutOneIsDead) {
  set_calendar(never(61).shown());
  const std::string delayed = counting({{"delay", "P1D"}, {"workdays", true}});
  const std::string waiting = counting({{"steps", wait_and_send({{"delay", "P1D"}, {"workdays", true}})}});
  json::object window = open_window();
  window["workdays"] = true;
  const std::string windowed = counting({{"window", window}});
  const std::string order = tenant.create_order();
  for (const std::string& workflow : {delayed, windowed})
    EXPECT_EQ(text_at(tested(workflow, order), "code"), "EXPIRED") << "a test says so";
  EXPECT_TRUE(at(tested(windowed, order), "windowOpensAt").is_null());
  const json::value wait_shown = at(tested(waiting, order), "steps").as_array().at(0);
  EXPECT_TRUE(at(wait_shown, "until").is_null());
  EXPECT_EQ(text_at(wait_shown, "code"), "EXPIRED");
  EXPECT_EQ(dead_code(delayed), "EXPIRED");
  EXPECT_EQ(dead_code(waiting), "EXPIRED");
  EXPECT_EQ(dead_code(windowed), "EXPIRED");
  EXPECT_EQ(receiver.count(tenant.path()), 0U);
}

TEST_F(WorkingDays, AWindowOpensOnThemOnly) {
  json::object window = open_window();
  const sys_days opened = day_of(system_clock().now() - 2h);  // the present opening belongs to this day
  window["workdays"] = true;
  set_calendar({{"workdays", {weekday(opened + days(2))}}});
  const std::string workflow = counting({{"window", window}});
  EXPECT_EQ(at(tenant.workflow(workflow), "window"), json::value(window));
  const std::string order = tenant.create_order();
  const auto opening = [&] {
    return text_at(tenant.run_with_status(workflow, "waiting"), "nextAttemptAt").substr(0, 16);
  };
  const std::string expected = date(opened + days(2)) + 'T' + text_at(window, "from");
  EXPECT_TRUE(eventually([&] { return opening() == expected; })) << opening();
  EXPECT_EQ(tenant.run_with_status(workflow, "waiting").at("code"), "WINDOW");
  EXPECT_EQ(text_at(tested(workflow, order), "windowOpensAt").substr(0, 16), expected);

  set_calendar({{"workdays", every_day},
                {"holidays", {date(opened), date(opened + days(1)), date(opened + days(2))}}});
  EXPECT_TRUE(eventually([&] { return opening().starts_with(date(opened + days(3))); }))
      << "holidays are no working days";
  set_calendar({{"holidays", json::array()}});
  EXPECT_EQ(wait_for(1).size(), 1U) << "a changed calendar holds at once";
  tenant.run_with_status(workflow, "succeeded");
}

TEST_F(WorkingDays, AWindowUsesItsOwnZoneAndIsLookedForAmongSixty) {
  const auto opening = [&](const std::string& zone, const std::string& from, const std::string& to,
                           const std::string& at, const std::string& holidays) {
    return tenant.sql.value(
        "select concat_ws(' ', to_char(opens_at at time zone 'UTC', 'MM-DD\"T\"HH24:MI'), is_known) "
        "from next_opening($1, array[1,2,3,4,5,6,7], $2::text::time, $3::text::time, $4::timestamptz, "
        "'[\"mon\", \"tue\", \"wed\", \"thu\", \"fri\"]', $5::jsonb)",
        {zone, from, to, at, holidays});
  };
  EXPECT_EQ(opening("UTC", "09:00", "18:00", "2026-11-28 10:00Z", "[]"), "11-30T09:00 t");
  EXPECT_EQ(opening("UTC", "09:00", "18:00", "2026-11-27 10:00Z", "[]"), "11-27T09:00 t");
  EXPECT_EQ(opening("UTC", "22:00", "06:00", "2026-11-28 01:00Z", "[]"), "11-27T22:00 t")
      << "the opening belongs to Friday";
  EXPECT_EQ(opening("Asia/Tokyo", "09:00", "18:00", "2026-11-27 10:00Z", "[]"), "11-30T00:00 t");
  EXPECT_EQ(opening("Asia/Tokyo", "00:00", "06:00", "2026-11-27 16:00Z", R"(["2026-11-30"])"),
            "11-30T15:00 t");
  EXPECT_EQ(opening("No/Zone", "09:00", "18:00", "2026-11-27 10:00Z", "[]"), "f");
  json::array holidays;
  for (int i = 0; i <= 61; ++i) holidays.emplace_back(date(sys_days(2026y / 11 / 27) + days(i)));
  EXPECT_EQ(opening("UTC", "09:00", "18:00", "2026-11-27 10:00Z", to_json(holidays)), "t");
}

TEST_F(WorkingDays, ATimerMovesAtOnceWithTheCalendarAndTheZone) {
  const json::object timer{{"field", "collectionDate"}, {"offset", "P2D"}, {"workdays", true}};
  const std::string workflow = counting({{"timer", timer}});
  EXPECT_EQ(at(tenant.workflow(workflow), "timer"), json::value(timer));
  const std::string order = tenant.insert_order({{"collection_date", "'2095-01-06 23:30Z'"}});  // a Thursday
  ASSERT_TRUE(come_due("2095-01-10 23:30")) << due_of_timer();
  set_calendar({{"holidays", {"2095-01-07", "2095-01-11"}}});
  EXPECT_TRUE(come_due("2095-01-12 23:30")) << due_of_timer();
  set_calendar({{"workdays", every_day}, {"holidays", json::array()}});
  EXPECT_TRUE(come_due("2095-01-08 23:30")) << due_of_timer();
  set_calendar({{"workdays", {"mon", "tue", "wed", "thu", "fri"}}});
  EXPECT_TRUE(come_due("2095-01-10 23:30")) << due_of_timer();
  tenant.sql.exec("update businesses set timezone = 'Asia/Tokyo' where guid = '" + tenant.id + "'");
  EXPECT_TRUE(come_due("2095-01-10 23:30")) << "Friday in Tokyo, then Monday and Tuesday " << due_of_timer();
  tenant.update_orders("collection_date = collection_date - interval '1 day' where true");
  EXPECT_TRUE(come_due("2095-01-09 23:30")) << due_of_timer();
  EXPECT_THAT(explained(tenant, "timer", order), ElementsAre("timer_waiting", "timer_moved"));
}

TEST_F(WorkingDays, ATimerFollowsACalendarThatWasChangedWhenItComesDue) {
  set_calendar({{"workdays", every_day}});
  counting({{"timer", {{"field", "createdAt"}, {"offset", "P1D"}, {"workdays", true}}}});
  tenant.create_order();
  tenant.settle();
  ASSERT_TRUE(eventually([&] { return are_scanned() && !due_of_timer().empty(); }));
  const std::string right = due_of_timer();
  // As if the scan for a changed calendar had not reached the timer yet.
  tenant.sql.exec("update timers set due_at = now(), check_at = now() where business_id = '" + tenant.id +
                  "'");
  EXPECT_TRUE(come_due(right)) << due_of_timer();
  EXPECT_TRUE(tenant.runs("").empty());
}

TEST_F(WorkingDays, ATimerFiresOnceAndAChangedCalendarDoesNotRepeatIt) {
  const Time now = system_clock().now();
  set_calendar({{"workdays", every_day}});
  const std::string workflow =
      counting({{"timer", {{"field", "collectionDate"}, {"offset", "-P1D"}, {"workdays", true}}}});
  tenant.insert_order({{"collection_date", "'" + format_timestamp(now + days(1) + 1500ms) + "'"}});
  EXPECT_EQ(wait_for(1).size(), 1U);
  tenant.run_with_status(workflow, "succeeded");
  const std::string passed =
      tenant.insert_order({{"collection_date", "'" + format_timestamp(now + 1h) + "'"}});
  tenant.settle();
  EXPECT_THAT(explained(tenant, "timer", passed), ElementsAre("timer_passed"));
  set_calendar({{"holidays", {date(day_of(now) + days(5))}}});
  ASSERT_TRUE(eventually([&] { return are_scanned(); }));
  EXPECT_EQ(tenant.sql.number("select count(*) from timers where business_id = $1", {tenant.id}), 0)
      << "what was due before the change is not set by it";
  EXPECT_EQ(tenant.runs("workflowId=" + workflow).size(), 1U);

  const Response backtested = tenant.http.post("/api/workflows/backtest", {{"workflowId", workflow}});
  ASSERT_EQ(backtested.status, 200) << backtested.text;
  EXPECT_EQ(at(backtested.body, "data.matches"), 1) << backtested.text;
}

TEST_F(WorkingDays, ATimerThatAChangedCalendarMovesIntoThePastIsExplainedOnce) {
  const Time now = system_clock().now();
  const json::object timer{{"timer", {{"field", "collectionDate"}, {"offset", "P1D"}, {"workdays", true}}}};
  set_calendar({{"workdays", every_day}, {"holidays", {date(day_of(now - 2h))}}});
  const std::string older = counting(timer);
  tenant.sql.exec(
      "update workflows set created_at = now() - interval '1 day', active_since = now() - "
      "interval '1 day' where guid = '" +
      older + "'");
  counting(timer);
  const std::string order =
      tenant.insert_order({{"collection_date", "'" + format_timestamp(now - 26h) + "'"}});
  tenant.settle();
  EXPECT_THAT(explained(tenant, "timer", order), ElementsAre("timer_waiting", "timer_waiting"));
  set_calendar({{"holidays", json::array()}});
  ASSERT_TRUE(eventually([&] {
    return tenant.sql.number("select count(*) from timer_results where business_id = $1", {tenant.id}) == 2;
  }));
  const json::object run = tenant.run_with_status(older, "succeeded");
  EXPECT_THAT(explained(tenant, "timer", order),
              testing::UnorderedElementsAre("fired " + text_at(run, "guid"), "newer_than_event"));
}

TEST_F(WorkingDays, AWaitForWhatHasComeNeedsNone) {
  set_calendar(never(61).shown());
  const json::object shipped{{"triggers", {"order_shipped"}}};
  const auto waiting_for = [&](const json::object& awaited) {
    return counting({{"steps", wait_and_send({{"for", awaited}, {"atMost", "P1D"}, {"workdays", true}})}});
  };
  const std::string holds = waiting_for({{"conditions", {{"status", "pending"}}}});
  const std::string never_comes = waiting_for(shipped);
  const std::string order = tenant.create_order();
  tenant.run_with_status(holds, "succeeded");
  EXPECT_EQ(dead_code(never_comes), "EXPIRED");
  const std::string comes =
      counting({{"delay", "PT1H"},
                {"steps", wait_and_send({{"for", shipped}, {"atMost", "P1D"}, {"workdays", true}})}});
  const std::string second = tenant.create_order();
  tenant.run_with_status(comes, "waiting");
  tenant.move_order(second, "shipped");
  tenant.settle();
  make_runs_due();
  tenant.run_with_status(comes, "succeeded");
}

TEST_F(WorkingDays, ATimerWithoutOneHasADeadRunWhenTheSearchIsOver) {
  set_calendar(never(61).shown());
  const std::string workflow =
      counting({{"timer", {{"field", "createdAt"}, {"offset", "P1D"}, {"workdays", true}}}});
  tenant.create_order();
  ASSERT_TRUE(eventually([&] { return are_scanned() && !due_of_timer().empty(); }));
  EXPECT_EQ(due_of_timer().substr(0, 10), date(day_of(system_clock().now()) + days(60)));
  tenant.sql.exec("update timers set due_at = now(), check_at = now() where business_id = '" + tenant.id +
                  "'");
  EXPECT_EQ(dead_code(workflow), "EXPIRED");
}

TEST_F(WorkingDays, ATimerCanHaveADelayOfThem) {
  work_only_in(2);
  const std::string workflow = counting(
      {{"timer", {{"field", "createdAt"}, {"offset", "PT1S"}}}, {"delay", "P1D"}, {"workdays", true}});
  tenant.create_order();
  const json::object run = tenant.run_with_status(workflow, "waiting");
  const Duration waits = time_at(run, "nextAttemptAt") - time_at(run, "createdAt");
  EXPECT_GE(waits, days(2));
  EXPECT_LT(waits, days(2) + 1min);
  const std::string plan = tenant.sql.value("select timer_plan from workflows where guid = $1", {workflow});
  ASSERT_EQ(change(workflow, {{"delay", "PT2H"}, {"workdays", false}}).status, 200);
  EXPECT_EQ(tenant.sql.value("select timer_plan from workflows where guid = $1", {workflow}), plan)
      << "a changed delay leaves the timer as it is";
}

TEST_F(WorkingDays, AreWholeDaysFromOneToTwenty) {
  for (const auto* const bad : {"PT24H", "P1DT1H", "P21D", "P0D"}) {
    EXPECT_THAT(refused_fields({{"delay", bad}, {"workdays", true}}), ElementsAre("delay")) << bad;
    EXPECT_THAT(refused_fields({{"steps", wait_and_send({{"delay", bad}, {"workdays", true}})}}),
                ElementsAre("steps[0].delay"))
        << bad;
    EXPECT_THAT(
        refused_fields(
            {{"steps", wait_and_send({{"until", "createdAt"}, {"offset", bad}, {"workdays", true}})}}),
        ElementsAre("steps[0].offset"))
        << bad;
    EXPECT_THAT(refused_fields({{"timer", {{"field", "createdAt"}, {"offset", bad}, {"workdays", true}}}}),
                ElementsAre("timer.offset"))
        << bad;
  }
  EXPECT_THAT(refused_fields({{"steps", wait_and_send({{"until", "createdAt"}, {"workdays", true}})}}),
              ElementsAre("steps[0].offset"));
  EXPECT_THAT(refused_fields({{"workdays", true}}), ElementsAre("workdays"));
  EXPECT_THAT(refused_fields({{"delay", "P1D"}, {"workdays", "yes"}}), ElementsAre("workdays"));
  EXPECT_THAT(refused_fields({{"steps", wait_and_send({{"delay", "P1D"}, {"workdays", 1}})}}),
              ElementsAre("steps[0].workdays"));
  EXPECT_THAT(refused_fields({{"timer", {{"field", "createdAt"}, {"offset", "P1D"}, {"workdays", 1}}}}),
              ElementsAre("timer.workdays"));
  json::object window = open_window();
  window["workdays"] = "yes";
  EXPECT_THAT(refused_fields({{"window", window}}), ElementsAre("window.workdays"));
}

TEST_F(WorkingDays, CountTowardTheRetention) {
  const auto counted = [&](std::string_view delay) { return wait({{"delay", delay}, {"workdays", true}}); };
  const json::object send{{"type", "webhook"}, {"recipient", url()}};
  EXPECT_THAT(refused_fields({{"delay", "P6D"}, {"workdays", true}}), ElementsAre("delay"))
      << "32 of 30 days";
  EXPECT_THAT(refused_fields({{"steps", {counted("P6D"), send}}}), ElementsAre("steps[0].delay"));
  EXPECT_THAT(refused_fields({{"steps", {counted("P1D"), counted("P1D"), send}}}),
              ElementsAre("steps[1].delay"))
      << "17 each";
  EXPECT_THAT(
      refused_fields({{"delay", "P1D"}, {"workdays", true}, {"steps", {wait({{"delay", "P13D"}}), send}}}),
      ElementsAre("steps[0].delay"));
  counting({{"delay", "P1D"}, {"workdays", true}, {"steps", {wait({{"delay", "P12D"}}), send}}});
  counting({{"timer", {{"field", "createdAt"}, {"offset", "P20D"}, {"workdays", true}}}});
}

TEST_F(WorkingDays, ADelayIsShownStoredAndRestoredWithThem) {
  const std::string workflow = counting({{"delay", "P3D"}, {"workdays", true}});
  const auto expect_counting = [&] {
    const json::value shown = tenant.workflow(workflow);
    EXPECT_EQ(at(shown, "delay"), "P3D");
    EXPECT_EQ(at(shown, "workdays"), true);
    EXPECT_EQ(at(shown, "trigger"), "order_created");
  };
  expect_counting();
  ASSERT_EQ(change(workflow, {{"delay", "P3D"}, {"workdays", true}}).status, 200);
  EXPECT_EQ(at(tenant.workflow(workflow), "version"), 1) << "it changes nothing";
  EXPECT_EQ(tenant.sql.value("select trigger_code from workflows where guid = $1", {workflow}),
            "4:any:order_created")
      << "earlier versions hold it";

  EXPECT_EQ(change(workflow, {{"delay", "PT2H"}}).status, 400) << "a change keeps what it does not name";
  ASSERT_EQ(change(workflow, {{"delay", "PT2H"}, {"workdays", false}}).status, 200);
  EXPECT_EQ(at(tenant.workflow(workflow), "workdays"), false);
  const Response versions = tenant.http.get("/api/workflows/configured/" + workflow + "/versions");
  EXPECT_EQ(at(versions.body, "data.0.definition.workdays"), false) << versions.text;
  EXPECT_EQ(at(versions.body, "data.0.definition.delay"), "PT2H");
  EXPECT_EQ(at(versions.body, "data.1.definition.workdays"), true);
  EXPECT_EQ(at(versions.body, "data.1.definition.delay"), "P3D");
  const Response restored =
      tenant.http.post("/api/workflows/configured/" + workflow + "/versions/1/restore", json::object());
  ASSERT_EQ(restored.status, 200) << restored.text;
  expect_counting();
  ASSERT_EQ(change(workflow, {{"delay", nullptr}}).status, 200);
  EXPECT_EQ(at(tenant.workflow(workflow), "workdays"), false) << "without a delay nothing is counted";
}

TEST_F(WorkingDays, AWaitIsShownStoredAndRestoredWithThem) {
  for (const json::object& members :
       {json::object{{"delay", "P2D"}, {"until", nullptr}, {"offset", nullptr}},
        {{"delay", nullptr}, {"until", "collectionDate"}, {"offset", "-P1D"}}}) {
    json::object counted = wait(members);
    counted["workdays"] = true;
    const std::string workflow = counting({{"steps", wait_and_send(counted)}});
    EXPECT_EQ(at(tenant.workflow(workflow), "steps.0"), json::value(counted));
    ASSERT_EQ(change(workflow, {{"steps", wait_and_send(counted)}, {"entityType", "Order"}}).status, 200);
    EXPECT_EQ(at(tenant.workflow(workflow), "version"), 1) << "what is shown can be sent back";
    ASSERT_EQ(change(workflow, {{"entityType", "Order"}}).status, 200)
        << "the stored steps are checked again";
    EXPECT_EQ(tenant.sql.value("select (action -> 'steps' -> 0 ->> 'delay') is null and "
                               "(action -> 'steps' -> 0 ->> 'until') is null from workflows where guid = $1",
                               {workflow}),
              "t")
        << "earlier versions cannot read the wait and hold the workflow";
    counted["workdays"] = false;
    ASSERT_EQ(change(workflow, {{"steps", wait_and_send(counted)}}).status, 200);
    EXPECT_EQ(at(tenant.workflow(workflow), "steps.0"), json::value(wait(members)));
    ASSERT_EQ(
        tenant.http.post("/api/workflows/configured/" + workflow + "/versions/1/restore", json::object())
            .status,
        200);
    EXPECT_EQ(at(tenant.workflow(workflow), "steps.0.workdays"), true);
  }
}

}  // namespace
}  // namespace waybill::tests
