// The contract of base/thread/service.hpp, for every service with a thread, on a real database. An outage
// closes all sessions and refuses new ones.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <gtest/gtest.h>

#include "api/accounts/password_hasher.hpp"
#include "api/route_plans/maps.hpp"
#include "api/threads/analysis.hpp"
#include "api/threads/background.hpp"
#include "app/node/database_keeper.hpp"
#include "app/node/mail_sender.hpp"
#include "app/node/presence.hpp"
#include "app/node/primary_check.hpp"
#include "base/thread/threads.hpp"
#include "net/mail/smtp.hpp"
#include "storage/session/call_watch.hpp"
#include "tests/app/service_rigs.hpp"
#include "tests/harness/eventually.hpp"
#include "worker/duties/duties.hpp"
#include "worker/purchases/purchaser.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;
using Kind = ThreadKind;
using Moment = Service::Moment;

constexpr auto soon = 5s;                   // the longest stop
constexpr Deadline longest_recovery = 30s;  // the longest pause of a service after a failure is 10 s

Moment after(Duration duration) { return std::chrono::steady_clock::now() + duration; }

struct Case {
  const char* name;
  std::function<std::unique_ptr<Rig>(Place&)> make;
  std::vector<ThreadKind> threads;
  /// The application names of the sessions that it has while it works, or opens when it is prompted.
  std::vector<std::string> sessions;
};

const Case cases[] = {
    {"Pauses",
     [](Place& place) { return std::make_unique<PausesRig>(place); },
     {Kind::pauses},
     {"waybill pauses"}},
    {"Recorder",
     [](Place& place) { return std::make_unique<RecorderRig>(place); },
     {Kind::recorder},
     {"waybill recorder"}},
    {"Leases",
     [](Place& place) { return std::make_unique<LeasesRig>(place); },
     {Kind::leases},
     {"waybill leases"}},
    {"Duties",
     [](Place& place) {
       return plain<worker::Duties>(
           worker::DutyOptions{.database_url = place.database.url(), .secrets = place.secrets});
     },
     {Kind::duties},
     {"waybill duties"}},
    {"Alerts",
     [](Place& place) { return std::make_unique<AlertsRig>(place); },
     {Kind::alerts},
     {"waybill alerts"}},
    {"Schedules",
     [](Place& place) { return std::make_unique<SchedulesRig>(place); },
     {Kind::schedules, Kind::slow_schedules},
     {}},
    {"Preparation",
     [](Place& place) { return std::make_unique<PreparationRig>(place); },
     {Kind::preparation},
     {}},
    {"Stores",
     [](Place& place) { return std::make_unique<StoresRig>(place); },
     {Kind::stores},
     {"waybill stores"}},
    {"Purchases",
     [](Place& place) {
       return plain<worker::Purchaser>(
           worker::Purchaser::Options{
               .database_url = place.database.url(), .worker = place.worker, .gateways = {}},
           place.secrets);
     },
     {Kind::purchases, Kind::http_client},
     {"waybill purchases"}},
    {"Tracking",
     [](Place& place) { return std::make_unique<TrackingRig>(place); },
     {Kind::tracking, Kind::http_client},
     {"waybill tracking"}},
    {"Push", [](Place& place) { return std::make_unique<PushRig>(place); }, {Kind::push}, {"waybill push"}},
    {"MailLimit",
     [](Place& place) { return std::make_unique<MailLimitRig>(place); },
     {Kind::mail_limit, Kind::mailer},
     {"waybill mails"}},
    {"Worker",
     whole_worker,
     {Kind::pump, Kind::workflows, Kind::preparation, Kind::recorder, Kind::leases, Kind::pauses,
      Kind::mail_limit, Kind::push, Kind::stores, Kind::purchases, Kind::tracking, Kind::duties, Kind::alerts,
      Kind::schedules, Kind::slow_schedules, Kind::mailer, Kind::http_client},
     {"waybill matcher", "waybill leases", "waybill duties", "waybill alerts", "waybill schedules",
      "waybill stores", "waybill purchases", "waybill tracking"}},
    {"MailSender",
     [](Place& place) {
       return plain<app::MailSender>(
           app::MailSender::Options{
               .database_url = place.database.url(),
               .from = "shop@example.com",
               .mail = {.smtp_url = {}, .directory = place.directory.path(), .ca_file = {}}},
           place.secrets);
     },
     {Kind::account_mails, Kind::mailer},
     {"waybill mail"}},
    {"Presence",
     [](Place& place) {
       return plain<app::Presence>(app::Presence::Options{.database_url = place.database.url(),
                                                          .roles = {.api = true},
                                                          .connections = 1,
                                                          .settings = "{}"},
                                   place.secrets);
     },
     {Kind::presence},
     {"waybill process"}},
    {"PrimaryCheck",
     [](Place& place) { return plain<app::PrimaryCheck>(place.database.url()); },
     {Kind::primaries},
     {}},
    {"DatabaseKeeper",
     [](Place& place) { return plain<app::DatabaseKeeper>(place.database.url()); },
     {Kind::database_keeper},
     {"waybill upkeep"}},
    {"Calls", [](Place&) { return plain<storage::CallWatch>(); }, {Kind::calls}, {}},
    {"Liveness", [](Place&) { return std::make_unique<LivenessRig>(); }, {Kind::liveness}, {}},
    {"HttpClient",
     [](Place&) { return plain<net::HttpClient>(net::HttpClient::Options()); },
     {Kind::http_client},
     {}},
    {"SmtpMailer",
     [](Place&) {
       return plain<net::SmtpMailer>(net::parse_smtp_url("smtp://127.0.0.1:1").value(), net::MailOptions());
     },
     {Kind::mailer},
     {}},
    {"Analysis",
     [](Place& place) { return plain<api::Analysis>(place.database.url()); },
     {Kind::analysis},
     {}},
    {"Background",
     [](Place&) { return plain<api::Background>(api::Background::Options()); },
     {Kind::background},
     {}},
    {"Passwords", [](Place&) { return plain<api::PasswordHasher>(); }, {Kind::passwords}, {}},
    {"Maps", [](Place&) { return plain<api::Maps>(api::Maps::Options()); }, {Kind::maps}, {}},
};

/// The kinds of threads without a case.
const Kind kinds_without_case[] = {
    Kind::cancel,       // lives for one request of a session
    Kind::signals,      // begins before all services, ends with the process
    Kind::io,           // of a server, which tests/api and tests/app start and stop
    Kind::metrics,      // as io
    Kind::bodies,       // of a Background
    Kind::drawing,      // as bodies
    Kind::merging,      // as bodies
    Kind::postgres,     // waits for the server that `up` starts
    Kind::destruction,  // destroys a node that has stopped
    Kind::doctor,       // of a command, like the next one
    Kind::demo,
};

/// The number of threads of a kind in this process.
int threads(ThreadKind kind) {
  int count = 0;
  std::error_code ended;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", ended)) {
    std::ifstream file(task.path() / "comm");
    std::string name;
    if (std::getline(file, name) && name == row_of(kind).name) ++count;
  }
  return count;
}

class Services : public testing::TestWithParam<Case> {
 protected:
  Services() {
    for (const ThreadKind kind : GetParam().threads) others_[kind] = threads(kind);
  }
  ~Services() override {
    admin_.exec("alter database " + place_.database.name() + " allow_connections true");
  }

  std::unique_ptr<Rig> make() { return GetParam().make(place_); }

  bool has_sessions(Rig& rig, Deadline deadline = longest_recovery) {
    for (const std::string& session : GetParam().sessions) {
      const bool found = eventually(
          [&] {
            rig.prompt();
            return sessions(session) > 0;
          },
          deadline);
      EXPECT_TRUE(found) << session;
      if (!found) return false;
    }
    return true;
  }

  std::int64_t sessions(const std::string& name) {
    return admin_.number("select count(*) from pg_stat_activity where datname = $1 and application_name = $2",
                         {place_.database.name(), name});
  }

  bool has_threads() {
    return std::ranges::all_of(GetParam().threads, [this](ThreadKind kind) {
      return eventually([&] { return threads(kind) > others_[kind]; });
    });
  }

  /// Stops the service, and checks that it takes little time and leaves no thread.
  void stop(Service& service) {
    const Moment began = std::chrono::steady_clock::now();
    service.stop(after(1s));
    EXPECT_LT(std::chrono::steady_clock::now() - began, soon);
    expect_no_threads();
  }

  void expect_no_threads() {
    for (const ThreadKind kind : GetParam().threads)
      EXPECT_TRUE(eventually([&] { return threads(kind) == others_[kind]; })) << row_of(kind).name;
  }

  void begin_outage() {
    admin_.exec("alter database " + place_.database.name() + " allow_connections false");
    place_.database.terminate_connections();
  }
  void end_outage() { admin_.exec("alter database " + place_.database.name() + " allow_connections true"); }

  std::map<ThreadKind, int> others_;  // the threads of other tests in this process
  Session admin_ = postgres().admin();
  Place place_;
};

TEST_P(Services, WorkFromTheirStartAndLeaveNoThreadAndNoSession) {
  auto rig = make();
  rig->service().start();
  EXPECT_TRUE(has_threads());
  EXPECT_TRUE(has_sessions(*rig));
  stop(rig->service());
  rig->service().stop(after(1s));  // has no effect
  rig.reset();
  for (const std::string& session : GetParam().sessions)
    EXPECT_TRUE(eventually([&] { return sessions(session) == 0; })) << session;
}

TEST_P(Services, StopAtOnce) {
  const auto rig = make();
  rig->service().start();
  rig->service().stop_accepting();
  rig->service().drain(after(1s));
  stop(rig->service());
}

TEST_P(Services, CanBeDestroyedWithoutAStart) {
  make().reset();
  expect_no_threads();
}

TEST_P(Services, StopDuringAnOutageAndStartAgainAfterIt) {
  auto rig = make();
  rig->service().start();
  EXPECT_TRUE(has_sessions(*rig));
  begin_outage();
  rig->prompt();
  stop(rig->service());
  rig = make();
  rig->service().start();
  rig->prompt();
  EXPECT_TRUE(has_threads());
  end_outage();
  EXPECT_TRUE(has_sessions(*rig));
  stop(rig->service());
}

TEST_P(Services, ContinueAfterAnOutage) {
  const auto rig = make();
  rig->service().start();
  EXPECT_TRUE(has_sessions(*rig));
  begin_outage();
  for (const std::string& session : GetParam().sessions)
    EXPECT_TRUE(eventually([&] { return sessions(session) == 0; })) << session;
  rig->prompt();
  end_outage();
  EXPECT_TRUE(has_sessions(*rig));
  stop(rig->service());
}

TEST(ServiceCases, HaveEachKindOfThread) {
  for (const ThreadRow& row : thread_rows()) {
    const bool has_case = std::ranges::any_of(cases, [&](const Case& each) {
      return std::ranges::find(each.threads, row.kind) != each.threads.end();
    });
    const bool is_other = std::ranges::find(kinds_without_case, row.kind) != std::end(kinds_without_case);
    EXPECT_NE(has_case, is_other) << row.name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Services, testing::ValuesIn(cases),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace waybill::tests
