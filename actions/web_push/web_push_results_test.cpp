#include "actions/web_push/web_push_results.hpp"

#include <gtest/gtest.h>

#include "base/json.hpp"

namespace waybill::actions {
namespace {

const Time now = *parse_timestamp("2026-07-01T10:00:00Z");
const Guid browser_a = Guid::from_name(namespace_url, "a");
const Guid browser_b = Guid::from_name(namespace_url, "b");

net::HttpResponse answer(int status, std::string body = "") {
  net::HttpResponse response;
  response.status = status;
  response.body = std::move(body);
  return response;
}

net::HttpResponse no_answer() {
  net::HttpResponse response;
  response.failure = net::HttpFailure::connect;
  response.error = "connection refused";
  return response;
}

AttemptResult reported(PushResults& results) {
  AttemptResult result;
  result.outcome = results.outcome({});
  results.report(result);
  return result;
}

TEST(PushResults, SubscriptionsWaitUntilTheyHaveAResult) {
  PushResults results;
  EXPECT_FALSE(results.any_waiting());
  EXPECT_EQ(results.add(browser_a), 0U);
  EXPECT_EQ(results.add(browser_b), 1U);
  results.refuse(0, "MALFORMED");
  EXPECT_TRUE(results.any_waiting());
  EXPECT_EQ(results.respond(1, answer(201), now), PushResult::delivered);
  EXPECT_FALSE(results.any_waiting());
  const json::value report = json::parse(reported(results).response.value());
  EXPECT_EQ(report.at("delivered"), 1);
  EXPECT_EQ(report.at("refused"), 1);
}

TEST(PushResults, AResultFollowsFromTheStatus) {
  PushResults results;
  results.add(browser_a);
  const auto result = [&](int status) { return results.respond(0, answer(status), now); };
  EXPECT_EQ(result(200), PushResult::delivered);
  EXPECT_EQ(result(404), PushResult::gone);
  EXPECT_EQ(result(410), PushResult::gone);
  EXPECT_EQ(result(400), PushResult::refused);
  EXPECT_EQ(result(408), PushResult::failed);
  EXPECT_EQ(result(429), PushResult::failed);
  EXPECT_EQ(result(500), PushResult::failed);
  EXPECT_EQ(results.respond(0, no_answer(), now), PushResult::failed);
}

TEST(PushResults, TheTimeThatAPushServiceAsksForApplies) {
  PushResults results;
  results.add(browser_a);
  net::HttpResponse response = answer(429);
  response.headers.emplace_back("retry-after", "30");
  results.respond(0, response, now);
  EXPECT_EQ(std::get<Retry>(results.outcome({})).retry_after, Duration(std::chrono::seconds(30)));
}

TEST(PushResults, TheFirstErrorIsReportedUnlessTheAttemptSucceeds) {
  PushResults failed;
  failed.add(browser_a);
  failed.add(browser_b);
  failed.respond(0, answer(503, std::string(PushResults::max_reason_bytes + 1, 'x')), now);
  failed.respond(1, no_answer(), now);
  const AttemptResult result = reported(failed);
  EXPECT_EQ(result.error, "A push service answered 503: " + std::string(PushResults::max_reason_bytes, 'x'));
  EXPECT_EQ(result.status_code, 503);
  PushResults served;
  served.add(browser_a);
  served.add(browser_b);
  served.respond(0, answer(400), now);
  served.respond(1, answer(201), now);
  EXPECT_EQ(reported(served).error, std::nullopt);
}

TEST(PushResults, TheStatusCodeIsThatOfTheWorstResult) {
  PushResults results;
  results.add(browser_a);
  results.add(browser_b);
  results.respond(0, answer(201), now);
  EXPECT_EQ(reported(results).status_code, 201);
  results.respond(1, answer(403), now);
  EXPECT_EQ(reported(results).status_code, 403);
}

TEST(PushResults, TheDestinationFailedIfNoPushServiceAnswered) {
  PushResults none;
  none.add(browser_a);
  EXPECT_FALSE(reported(none).destination_failed);
  none.respond(0, no_answer(), now);
  EXPECT_TRUE(reported(none).destination_failed);
  PushResults down;
  down.service_is_down({down.add(browser_a)});
  EXPECT_TRUE(down.any_waiting());
  EXPECT_TRUE(reported(down).destination_failed);
  PushResults one;
  one.add(browser_a);
  one.add(browser_b);
  one.respond(0, no_answer(), now);
  one.respond(1, answer(201), now);
  EXPECT_FALSE(reported(one).destination_failed);
}

TEST(PushResults, ASkippedAttemptSaysThatNoBrowserIsSubscribed) {
  PushResults results;
  const AttemptResult result = reported(results);
  EXPECT_TRUE(std::holds_alternative<Skip>(result.outcome));
  EXPECT_EQ(result.error, "No browser is subscribed to receive the message.");
}

TEST(PushResults, AnAttemptWithoutSubscriptionsHasNoReport) {
  PushResults results;
  results.unreadable();
  results.cancel();
  EXPECT_TRUE(results.is_cancelled());
  AttemptResult result;
  result.outcome = Retry{"INTERNAL_ERROR"};
  results.report(result);
  EXPECT_TRUE(result.cancelled);
  EXPECT_EQ(result.response, std::nullopt);
  EXPECT_EQ(result.error, "The subscriptions could not be read.");
}

}  // namespace
}  // namespace waybill::actions
