// The duties that a worker performs when it starts.
#include <chrono>
#include <span>
#include <string>

#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/harness/postgres.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;
using storage::blocking::Connection;
using worker::Duty;
using worker::DutyOptions;

template <char name>
void perform(Connection& session, const DutyOptions& /*options*/) {
  session.execute("insert into performed (duty) values ('" + std::string(1, name) + "')");
}

bool perform_a_part(Connection& session, const DutyOptions& options) {
  perform<'p'>(session, options);
  return true;
}

constexpr Duty at_the_end{"each", 1h, perform<'e'>, Duty::By::each_worker};

class DutyStarts : public testing::Test {
 protected:
  DutyStarts() {
    database.exec(
        "create table performed (number serial, duty text, at timestamptz not null default "
        "clock_timestamp())");
  }

  void add_turn(const std::string& duty, const std::string& ended_at, const std::string& session = "null") {
    database.exec("insert into duty_turns (duty, session_pid, session_start, taken_at, ended_at) values ('" +
                  duty + "', " + session + ", now(), now(), " + ended_at + ")");
  }
  std::string performed() {
    return database.value("select coalesce(string_agg(duty, '' order by number), '') from performed");
  }
  /// Starts a worker's duties and waits until they have performed the last one of those that are due.
  std::string performed_at_the_start(std::span<const Duty> duties) {
    worker::Duties service({.database_url = database.url(), .secrets = secrets}, duties);
    service.start();
    EXPECT_TRUE(eventually([&] { return performed().ends_with('e'); })) << performed();
    service.stop({});
    return performed();
  }

  TestDatabase database;
  const SecretBox secrets{SecretBox::Key{}};
};

TEST_F(DutyStarts, PerformWhatNoWorkerHasPerformedForItsPeriod) {
  database.exec("update schema_migrations set applied_at = now() - interval '61 minutes'");
  add_turn("recent", "now() - interval '58 minutes'");
  add_turn("old", "now() - interval '61 minutes'");
  add_turn("future", "now() + interval '1 minute'");
  add_turn("interrupted", "now()", "1");
  add_turn("each", "now()");
  static constexpr Duty duties[] = {{"recent", 1h, perform<'r'>},
                                    {"old", 1h, perform<'o'>},
                                    {"never", 1h, perform<'n'>},
                                    {"seldom", 2h, perform<'s'>},
                                    {"future", 1h, perform<'f'>},
                                    {"interrupted", 1h, perform<'i'>},
                                    at_the_end};
  EXPECT_EQ(performed_at_the_start(duties), "onfie");
}

TEST_F(DutyStarts, PerformNothingThatIsSharedInADatabaseThatHasJustBeenMade) {
  static constexpr Duty duties[] = {{"never", 1h, perform<'n'>}, at_the_end};
  database.exec("update schema_migrations set applied_at = now()");
  EXPECT_EQ(performed_at_the_start(duties), "e");
}

TEST_F(DutyStarts, PerformADutyAPeriodAfterItsLastTurn) {
  database.exec(
      "insert into duty_turns (duty, ended_at) values ('soon', now() - interval '59 minutes 58 seconds')");
  const std::string due_at = database.value("select ended_at + interval '1 hour' from duty_turns");
  static constexpr Duty duties[] = {{"soon", 1h, perform<'s'>}};
  worker::Duties service({.database_url = database.url(), .secrets = secrets}, duties);
  service.start();
  EXPECT_TRUE(eventually([&] { return performed() == "s"; }));
  EXPECT_EQ(database.number("select count(*) from performed where at < $1::timestamptz", {due_at}), 0);
}

TEST_F(DutyStarts, ResumeWhatAnEndedWorkerHasLeft) {
  static constexpr Duty duties[] = {{"parts", 1h, perform_a_part}};
  const auto perform_parts = [&](std::size_t count) {
    worker::Duties service({.database_url = database.url(), .secrets = secrets}, duties);
    service.start();
    EXPECT_TRUE(eventually([&] { return performed().size() >= count; })) << performed();
    service.stop({});
  };
  database.make_duties_due();
  perform_parts(1);
  perform_parts(performed().size() + 1);
}

}  // namespace
}  // namespace waybill::tests
