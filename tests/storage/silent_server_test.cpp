// Sessions on a server that holds its connections and answers nothing: its processes are stopped.
#include <chrono>
#include <csignal>
#include <functional>
#include <future>
#include <string>

#include <gtest/gtest.h>

#include "storage/blocking/connection.hpp"
#include "storage/session/call_watch.hpp"
#include "storage/session/session.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/harness/standby.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using storage::CallWatch;
using storage::DatabaseUnavailable;
using storage::lease_limits;
using storage::worker_limits;
using storage::blocking::Connection;
using storage::blocking::Transaction;

class SilentServer : public testing::Test {
 protected:
  SilentServer() { watch.start(); }
  ~SilentServer() override { servers.signal_primary(SIGCONT); }

  /// The time that the call takes, which must lose its session.
  static steady_clock::duration time_of_loss(const std::function<void()>& call) {
    const auto began = steady_clock::now();
    EXPECT_THROW(call(), DatabaseUnavailable);
    return steady_clock::now() - began;
  }
  static std::future<steady_clock::duration> losing(std::function<void()> call) {
    return std::async(std::launch::async, [call = std::move(call)] { return time_of_loss(call); });
  }

  PrimaryAndStandby servers;
  CallWatch watch;  // before the sessions
};

TEST_F(SilentServer, EachCallEndsAsIfTheConnectionWereLost) {
  storage::Session idle(servers.primary_url(), "idle", worker_limits);
  storage::Session copies(servers.primary_url(), "copies", worker_limits);
  copies.execute("create temp table numbers (number int)");
  storage::Session commits(servers.primary_url(), "commits", worker_limits);
  Connection plain(servers.primary_url(), "plain", worker_limits);
  Connection transacts(servers.primary_url(), "transacts", worker_limits);
  Connection leases(servers.primary_url(), "leases", lease_limits);
  storage::Work work(commits);
  commits.execute("create temp table t (n int)");
  servers.signal_primary(SIGSTOP);
  auto of_leases = losing([&] { leases.execute("select 1"); });
  std::future<steady_clock::duration> others[] = {
      losing([&] { idle.execute("select 1"); }),
      losing([&] { copies.copy("numbers (number)", std::string(1 << 24, 'x')); }),
      losing([&] { work.commit(); }), losing([&] { plain.execute("select 1"); }),
      losing([&] { transacts.transact([](Transaction& begun) { begun.execute("select 1"); }); })};
  EXPECT_LT(of_leases.get(), 4s);
  for (auto& other : others) {
    const auto time = other.get();
    EXPECT_GT(time, 4500ms);
    EXPECT_LT(time, 8s);
  }
  servers.signal_primary(SIGCONT);
  EXPECT_EQ(storage::Session(servers.primary_url(), "next").execute("select 7").get(0, 0), "7");
}

TEST_F(SilentServer, AStreamWhoseRowsAreNotWantedAnyMoreEnds) {
  constexpr storage::Statement rows{"test.rows", "select n from generate_series(1, 1000000) n"};
  storage::Session session(servers.primary_url(), "streams", worker_limits);
  const auto time = time_of_loss([&] {
    session.stream(rows, {}, [&](const storage::Rows&) {
      servers.signal_primary(SIGSTOP);
      return false;
    });
  });
  EXPECT_LT(time, 12s);
}

TEST_F(SilentServer, AStatementMayTakeLongerOnAServerThatAnswers) {
  storage::Session session(servers.primary_url(), "sleeps", worker_limits);
  Connection leases(servers.primary_url(), "leases", lease_limits);
  auto sleep = std::async(std::launch::async, [&] { session.execute("select pg_sleep(7)"); });
  EXPECT_NO_THROW(leases.execute("select pg_sleep(4)"));
  EXPECT_NO_THROW(sleep.get());
  session.execute("select 1");
}

TEST_F(SilentServer, AServerThatFreezesDuringALongStatementLosesIt) {
  storage::Session session(servers.primary_url(), "sleeps", worker_limits);
  auto loss = losing([&] { session.execute("select pg_sleep(60)"); });
  Session observer(servers.primary_url());
  // The check of the running statement is over once its session has come and gone.
  ASSERT_TRUE(eventually([&] {
    return observer.number(
               "select count(*) from pg_stat_activity where application_name = 'sleeps' and "
               "state = 'active' and clock_timestamp() - query_start > interval '3 s'") == 1;
  }));
  servers.signal_primary(SIGSTOP);
  EXPECT_LT(loss.get(), 14s);
}

TEST_F(SilentServer, OneProcessThatHangsLosesItsSessionOnly) {
  storage::Session session(servers.primary_url(), "hangs", worker_limits);
  storage::Session other(servers.primary_url(), "sleeps", worker_limits);
  const auto process = std::stoi(std::string(session.execute("select pg_backend_pid()").get(0, 0)));
  ::kill(process, SIGSTOP);
  auto loss = losing([&] { session.execute("select 1"); });
  EXPECT_NO_THROW(other.execute("select pg_sleep(6)"));
  EXPECT_LT(loss.get(), 8s);
  ::kill(process, SIGCONT);
}

TEST_F(SilentServer, AProcessThatEndsWaitsForNoFurtherAnswer) {
  storage::Session first(servers.primary_url(), "first", worker_limits);
  storage::Session second(servers.primary_url(), "second", worker_limits);
  servers.signal_primary(SIGSTOP);
  watch.hurry();
  EXPECT_LT(time_of_loss([&] { first.execute("select 1"); }), 4s);
  EXPECT_LT(time_of_loss([&] { second.execute("select 1"); }), 2s);
  EXPECT_LT(time_of_loss([&] { storage::Session(servers.primary_url(), "third"); }), 1s);
}

TEST_F(SilentServer, AProcessThatEndsWhileItsServerAnswersConnectsAndFinishes) {
  watch.hurry();
  storage::Session session(servers.primary_url(), "last", worker_limits);
  EXPECT_NO_THROW(session.execute("select pg_sleep(4)"));
}

TEST_F(SilentServer, ConnectingSkipsAHostThatIsSilent) {
  servers.promote();
  servers.signal_primary(SIGSTOP);
  const std::string silent_first =
      servers.primary_url() + "," + servers.standby_url().substr(servers.standby_url().find("host=") + 5);
  const auto began = steady_clock::now();
  storage::Session session(silent_first, "moves", worker_limits);
  EXPECT_EQ(session.execute("select pg_is_in_recovery()").get(0, 0), "f");
  EXPECT_LT(steady_clock::now() - began, 5s);
}

}  // namespace
}  // namespace waybill::tests
