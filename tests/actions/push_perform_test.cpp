#include <atomic>
#include <future>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actions/web_push/web_push_report.hpp"
#include "actions/web_push/web_push_sender.hpp"
#include "storage/statement/errors.hpp"
#include "tests/actions/no_mailer.hpp"
#include "tests/net/raw_server.hpp"

namespace waybill::actions {
namespace {

using storage::PushSubscription;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::SizeIs;
using tests::RawServer;
using Reply = RawServer::Reply;

/// A directory of subscriptions that the test controls, instead of a database.
struct SubscriptionScript {
  PushAudience audience;
  std::atomic<int> failures = 0;  // number of the next calls to fail as if the database were unreachable
  bool refuses = false;           // every call fails, although the database is reachable
  std::atomic<int> calls = 0;
  std::vector<Guid> removed;
};

class ScriptedDirectory : public SubscriptionDirectory {
 public:
  explicit ScriptedDirectory(SubscriptionScript& script) : script_(script) {}
  PushAudience find(const Guid&, const std::optional<Guid>&) override {
    ++script_.calls;
    if (script_.refuses) throw std::runtime_error("permission denied");
    if (script_.failures-- > 0) throw storage::DatabaseUnavailable("away");
    return script_.audience;
  }
  void remove(const Guid&, const PushSubscription& subscription) override {
    script_.removed.push_back(subscription.guid);
  }

 private:
  SubscriptionScript& script_;
};

/// Push messages sent to servers with scripted responses.
struct Performance {
  Performance() {
    script.audience.signer = std::make_shared<net::VapidSigner>(net::make_vapid_keys(), "");
    sender = std::make_unique<WebPushSender>(std::make_unique<ScriptedDirectory>(script));
    sender->start();
    client = std::make_unique<net::HttpClient>(net::HttpClient::Options{.policy = {.allow_private = true}});
  }
  ~Performance() { stop(); }

  // Stops in the same order as the worker.
  void stop() {
    if (!sender) return;
    sender->stop_accepting();
    client.reset();
    sender.reset();
  }

  void subscribe(const std::string& endpoint, std::size_t count = 1) {
    for (std::size_t i = 0; i < count; ++i) {
      script.audience.subscriptions.push_back({.guid = Guid::random(),
                                               .endpoint = endpoint + "/" + std::to_string(i),
                                               .p256dh = net::make_vapid_keys().public_key,
                                               .auth = "BTBZMqHH6r4Tts7J_aSIgg"});
    }
  }

  std::future<AttemptResult> start(std::string_view tries = "[]") {
    const json::object request{{"title", "t"}, {"url", nullptr},      {"subscriptions", "all"},
                               {"ttl", 60},    {"urgency", "normal"}, {"destination", "push:x"}};
    const Attempt attempt{
        .request = request, .body = "b", .message_id = "msg_1", .number = 1, .tries = tries};
    Effects effects{
        .http = *client, .clock = system_clock(), .mailer = mailer, .mail_from = "", .push = sender.get()};
    auto result = std::make_shared<std::promise<AttemptResult>>();
    find_action("send_push")->perform(attempt, effects, [result](AttemptResult made) {
      result->set_value(std::move(made));
    });
    return result->get_future();
  }
  AttemptResult perform(std::string_view tries = "[]") { return start(tries).get(); }

  SubscriptionScript script;
  tests::NoMailer mailer;
  std::unique_ptr<WebPushSender> sender;
  std::unique_ptr<net::HttpClient> client;
};

std::vector<std::string> codes(const AttemptResult& result) {
  std::vector<std::string> codes;
  const json::value report = json::parse(result.response.value());
  for (const json::value& entry : report.at("subscriptions").as_array()) {
    const auto* code = entry.as_object().if_contains("code");
    codes.emplace_back(code == nullptr ? "" : std::string_view(code->as_string()));
  }
  return codes;
}

TEST(PushPerform, ServesManySubscriptionsWithFewRequestsInFlight) {
  std::atomic<int> current = 0, most_in_flight = 0, all = 0;
  RawServer server([&](const RawServer::Request&) {
    const int in_flight = ++current;
    for (int seen = most_in_flight;
         in_flight > seen && !most_in_flight.compare_exchange_weak(seen, in_flight);) {
    }
    ++all;
    --current;
    return RawServer::answer(201);
  });
  Performance push;
  push.subscribe(server.url("/p"), 300);
  const AttemptResult result = push.perform();
  EXPECT_TRUE(std::holds_alternative<Done>(result.outcome));
  EXPECT_EQ(all, 300);
  EXPECT_LE(most_in_flight, 32);
  EXPECT_FALSE(result.destination_failed);
  EXPECT_THAT(codes(result), AllOf(SizeIs(300), Each("")));
}

TEST(PushPerform, AServiceThatIsDownIsSkippedAndTheOthersAreServed) {
  std::atomic<int> requests = 0, served = 0;
  RawServer down([&](const RawServer::Request&) {
    ++requests;
    return RawServer::answer(503);
  });
  RawServer up([&](const RawServer::Request&) {
    ++served;
    return RawServer::answer(201);
  });
  Performance push;
  push.subscribe(down.url("/p"), 200);
  push.subscribe(up.url("/p"), 50);
  const AttemptResult result = push.perform();
  EXPECT_EQ(std::get<Retry>(result.outcome).code, "HTTP_503");
  EXPECT_EQ(served, 50);
  EXPECT_LT(requests, 100) << "the breaker opens";
  EXPECT_EQ(result.status_code, 503);
  EXPECT_FALSE(result.destination_failed) << "one service responded successfully";
  EXPECT_EQ(std::ranges::count(codes(result), "SERVICE_DOWN"), 200 - requests);
  const PushHistory history =
      PushHistory::read(json::serialize(json::array{{{"response", result.response.value()}}}));
  EXPECT_THAT(history.remaining.value(), SizeIs(200));
}

TEST(PushPerform, OnlyAFailureOfAllServicesCountsAgainstTheDestination) {
  RawServer down([](const RawServer::Request&) { return RawServer::answer(500); });
  Performance push;
  push.subscribe(down.url("/p"), 2);
  EXPECT_TRUE(push.perform().destination_failed);
}

TEST(PushPerform, TheMessageOfTheFirstRefusalIsKept) {
  RawServer server([](const RawServer::Request&) { return RawServer::answer(403, "wrong key"); });
  Performance push;
  push.subscribe(server.url("/p"));
  const AttemptResult result = push.perform();
  EXPECT_EQ(std::get<Dead>(result.outcome).code, "HTTP_403");
  EXPECT_EQ(result.error, "A push service answered 403: wrong key");
  EXPECT_EQ(result.status_code, 403);
}

TEST(PushPerform, GoneSubscriptionsAreRemoved) {
  RawServer server([](const RawServer::Request& request) {
    return RawServer::answer(request.target.ends_with("/1") ? 410 : 201);
  });
  Performance push;
  push.subscribe(server.url("/p"), 3);
  EXPECT_TRUE(std::holds_alternative<Done>(push.perform().outcome));
  EXPECT_THAT(push.script.removed, ElementsAre(push.script.audience.subscriptions[1].guid));
}

TEST(PushPerform, ALaterAttemptServesOnlyTheRemainingSubscriptions) {
  std::atomic<int> requests = 0;
  RawServer server([&](const RawServer::Request&) {
    ++requests;
    return RawServer::answer(201);
  });
  Performance push;
  push.subscribe(server.url("/p"), 3);
  const std::string report = push_report(std::vector<PushEntry>{
      {push.script.audience.subscriptions[0].guid, PushResult::delivered, 201, ""},
      {push.script.audience.subscriptions[2].guid, PushResult::failed, 503, "HTTP_503"},
      {Guid::random(), PushResult::failed, 503, "HTTP_503"}});
  const AttemptResult result = push.perform(json::serialize(json::array{{{"response", report}}}));
  EXPECT_TRUE(std::holds_alternative<Done>(result.outcome));
  EXPECT_EQ(requests, 1);
}

TEST(PushPerform, ALostSessionIsReplaced) {
  RawServer server([](const RawServer::Request&) { return RawServer::answer(201); });
  Performance push;
  push.subscribe(server.url("/p"));
  push.script.failures = 1;
  EXPECT_TRUE(std::holds_alternative<Done>(push.perform().outcome));
}

TEST(PushPerform, NoAttemptCountsWhileTheDatabaseIsUnreachable) {
  Performance push;
  push.script.failures = 100;
  EXPECT_TRUE(push.perform().cancelled);
  EXPECT_LE(push.script.calls, 5);
}

TEST(PushPerform, ARefusalOfTheDirectoryIsRetriedAndItsMessageStaysInternal) {
  Performance push;
  push.script.refuses = true;
  const AttemptResult result = push.perform();
  EXPECT_EQ(std::get<Retry>(result.outcome).code, "INTERNAL_ERROR");
  EXPECT_FALSE(result.cancelled);
  EXPECT_EQ(result.error, "The subscriptions could not be read.");
}

TEST(PushPerform, AMessageThatCannotBeEncryptedOrSignedIsRefused) {
  RawServer server([](const RawServer::Request&) { return RawServer::answer(201); });
  Performance push;
  push.subscribe(server.url("/p"), 2);
  push.script.audience.subscriptions[0].p256dh = "AAAA";
  push.script.audience.subscriptions[1].endpoint = "nowhere";
  AttemptResult result = push.perform();
  EXPECT_EQ(std::get<Dead>(result.outcome).code, "MALFORMED");
  EXPECT_THAT(codes(result), ElementsAre("MALFORMED", "MALFORMED"));
  push.script.audience.signer = nullptr;
  result = push.perform();
  EXPECT_EQ(std::get<Dead>(result.outcome).code, "NO_VAPID_KEYS");
}

TEST(PushPerform, StoppingTheWorkerCancelsRequestsInFlightAndWaitsForThem) {
  std::promise<void> reached;
  std::once_flag once;
  RawServer server([&](const RawServer::Request&) {
    std::call_once(once, [&] { reached.set_value(); });
    return Reply{"", Reply::Then::hang};
  });
  Performance push;
  push.subscribe(server.url("/p"), 100);
  auto first = push.start();
  auto second = push.start();
  reached.get_future().wait();
  push.stop();
  EXPECT_TRUE(first.get().cancelled);
  EXPECT_TRUE(second.get().cancelled);
}

}  // namespace
}  // namespace waybill::actions
