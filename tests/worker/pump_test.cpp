#include "worker/pump.hpp"

#include "tests/worker/worker_database.hpp"
#include "worker/delivery/recorder.hpp"
#include "worker/queue/preparation.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

class NoMailer final : public net::Mailer {
  void transmit(net::MailMessage, Done) override { throw std::logic_error("no test sends a mail"); }
};

/// A pump with the parts of the worker that it feeds, and without leases: the test gives it the shards.
class PumpTest : public WorkerDatabase {
 protected:
  PumpTest() {
    preparation_.start();
    pump_.start();
  }
  ~PumpTest() override {
    pump_.stop();
    preparation_.stop();
    runner_.stop();
    recorder_.flush(5s);
  }

  worker::Catalogue catalogue_{secrets_};
  net::HttpClient http_{{}};
  NoMailer mailer_;
  worker::PauseWriter pauses_{database_.url(), secrets_};
  worker::Recorder recorder_{{.database_url = database_.url(), .worker = worker_},
                             pauses_,
                             [this](const auto& events, auto next_due) { pump_.settled(events, next_due); }};
  worker::Runner runner_{{},
                         catalogue_,
                         {.http = http_, .clock = system_clock(), .mailer = mailer_},
                         recorder_,
                         [](const storage::ClaimedRun&) { return false; }};
  worker::Preparation preparation_{
      {.database_url = database_.url(), .worker = worker_}, catalogue_, runner_, system_clock(), [this] {
        pump_.note_room();
      }};
  worker::BlastGuard guard_{{}, pauses_, system_clock()};
  worker::Pump pump_{{.database_url = database_.url(), .worker = worker_},
                     catalogue_,
                     guard_,
                     pauses_,
                     runner_,
                     preparation_,
                     system_clock()};
};

TEST_F(PumpTest, AnEventOfAHeldShardBecomesARun) {
  add_workflow("order_created");
  pump_.hold(all_shards());
  add_order();
  EXPECT_TRUE(eventually([&] { return runs("succeeded") == 1; }));
  EXPECT_EQ(pending(), 0);
}

TEST_F(PumpTest, EventsThatCameBeforeTheShardsAreMatched) {
  add_workflow("order_created");
  add_order();
  pump_.hold(all_shards());
  EXPECT_TRUE(eventually([&] { return runs("succeeded") == 1; }));
}

TEST_F(PumpTest, EventsOfOtherShardsAreLeftToTheirWorkers) {
  add_workflow("order_created");
  storage::HeldShards others = all_shards();
  const auto shard =
      static_cast<std::int16_t>(database_.number("select shard_of($1)", {business_.to_string()}));
  others.erase(shard);
  pump_.hold(others);
  EXPECT_TRUE(eventually([&] { return pump_.can_match(); }));
  add_order();
  EXPECT_TRUE(throughout([&] { return pending() == 1; }, 200ms));
  EXPECT_EQ(runs("succeeded"), 0);
}

TEST_F(PumpTest, GoesOnAfterItsConnectionBroke) {
  add_workflow("order_created");
  pump_.hold(all_shards());
  add_order("A-1");
  EXPECT_TRUE(eventually([&] { return runs("succeeded") == 1; }));
  database_.terminate_connections();
  add_order("A-2");
  EXPECT_TRUE(eventually([&] { return runs("succeeded") == 2; }));
}

TEST_F(PumpTest, AChangedWorkflowActsOnTheNextEvent) {
  const Guid workflow = add_workflow("order_created");
  pump_.hold(all_shards());
  add_order("A-1");
  EXPECT_TRUE(eventually([&] { return runs("succeeded") == 1; }));
  database_.exec("update workflows set is_active = false where guid = '" + workflow.to_string() + "'");
  add_order("A-2");
  EXPECT_TRUE(eventually([&] { return pending() == 0; }));
  EXPECT_EQ(runs("succeeded"), 1);
}

TEST_F(PumpTest, TakesNothingAfterItsEnd) {
  pump_.hold(all_shards());
  EXPECT_TRUE(eventually([&] { return pump_.can_match(); }));
  pump_.stop();
  add_order();
  EXPECT_TRUE(throughout([&] { return pending() == 1; }, 200ms));
}

}  // namespace
}  // namespace waybill::tests
