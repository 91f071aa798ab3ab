#include "actions/web_push/web_push_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waybill::actions {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const Guid a = Guid::from_name(namespace_url, "a");
const Guid b = Guid::from_name(namespace_url, "b");
const Guid c = Guid::from_name(namespace_url, "c");

PushEntry entry(const Guid& guid, PushResult result, std::optional<int> status = {}, std::string code = "",
                std::optional<Duration> retry_after = {}) {
  return {guid, result, status, std::move(code), retry_after};
}

std::string text_of(const Outcome& outcome) {
  struct {
    std::string operator()(const Done&) const { return "done"; }
    std::string operator()(const Retry& it) const { return "retry " + it.code; }
    std::string operator()(const Dead& it) const { return "dead " + it.code; }
    std::string operator()(const Skip& it) const { return "skip " + it.code; }
    std::string operator()(const Pause& it) const { return "pause " + it.code; }
    std::string operator()(const storage::StatusChange& it) const { return "move to " + it.status; }
    std::string operator()(const storage::FieldChange& it) const { return "set " + it.changes; }
    std::string operator()(const storage::NewShipment&) const { return "new shipment"; }
    std::string operator()(const storage::LabelPurchase&) const { return "label purchase"; }
    std::string operator()(const storage::LabelVoid&) const { return "label void"; }
  } const text;
  return std::visit(text, outcome);
}

// The `tries` of a run with these responses.
std::string tries(const std::vector<json::value>& responses) {
  json::array list;
  for (const json::value& response : responses) {
    list.push_back(
        {{"number", list.size() + 1}, {"statusCode", nullptr}, {"response", response}, {"error", nullptr}});
  }
  return json::serialize(list);
}

TEST(PushReport, CountsResultsAndListsEachSubscription) {
  const std::vector<PushEntry> entries{entry(a, PushResult::delivered, 201),
                                       entry(b, PushResult::failed, 503, "HTTP_503"),
                                       entry(c, PushResult::waiting, {}, "SERVICE_DOWN")};
  EXPECT_EQ(json::parse(push_report(entries)),
            (json::value{
                {"delivered", 1},
                {"gone", 0},
                {"refused", 0},
                {"failed", 1},
                {"waiting", 1},
                {"subscriptions",
                 {{{"guid", a.to_string()}, {"result", "delivered"}, {"statusCode", 201}},
                  {{"guid", b.to_string()}, {"result", "failed"}, {"statusCode", 503}, {"code", "HTTP_503"}},
                  {{"guid", c.to_string()},
                   {"result", "waiting"},
                   {"statusCode", nullptr},
                   {"code", "SERVICE_DOWN"}}}}}));
  EXPECT_EQ(json::parse(push_report({})).at("subscriptions"), json::array());
}

TEST(PushHistory, FailedAndWaitingOnesOfTheLastReportRemain) {
  EXPECT_EQ(PushHistory::read("[]").remaining, std::nullopt);
  const std::vector<PushEntry> first{entry(a, PushResult::delivered, 201),
                                     entry(b, PushResult::failed, 503, "HTTP_503"),
                                     entry(c, PushResult::waiting, {}, "NOT_TRIED")};
  const std::vector<PushEntry> second{entry(b, PushResult::gone, 410, "HTTP_410"),
                                      entry(c, PushResult::failed, {}, "TIMEOUT")};
  const PushHistory once = PushHistory::read(tries({push_report(first).c_str()}));
  EXPECT_THAT(once.remaining.value(), ElementsAre(b, c));
  EXPECT_TRUE(once.delivered);
  // The worker of the last attempt crashed, and the attempt before it has no report.
  const PushHistory twice = PushHistory::read(
      tries({push_report(first).c_str(), push_report(second).c_str(), nullptr, "\"no report\""}));
  EXPECT_THAT(twice.remaining.value(), ElementsAre(c));
  EXPECT_TRUE(twice.delivered);
}

TEST(PushHistory, ARefusalIsKeptAsTheReasonForTheEnd) {
  const std::vector<PushEntry> first{entry(a, PushResult::refused, 403, "HTTP_403"),
                                     entry(b, PushResult::failed, 503, "HTTP_503")};
  const PushHistory history = PushHistory::read(tries({push_report(first).c_str()}));
  EXPECT_EQ(history.refusal, "HTTP_403");
  EXPECT_FALSE(history.delivered);
  EXPECT_THAT(history.remaining.value(), ElementsAre(b));
  const std::vector<PushEntry> gone{entry(b, PushResult::gone, 410, "HTTP_410")};
  EXPECT_EQ(text_of(push_outcome(gone, history)), "dead HTTP_403");
}

TEST(PushOutcome, FollowsFromAllSubscriptions) {
  const PushEntry delivered = entry(a, PushResult::delivered, 201);
  const PushEntry gone = entry(a, PushResult::gone, 410, "HTTP_410");
  const PushEntry refused = entry(b, PushResult::refused, 400, "HTTP_400");
  const PushEntry failed = entry(b, PushResult::failed, {}, "TIMEOUT");
  const PushEntry waiting = entry(c, PushResult::waiting, {}, "SERVICE_DOWN");
  const PushHistory none;
  PushHistory served;
  served.delivered = true;
  const auto outcome = [](std::vector<PushEntry> entries, const PushHistory& history) {
    return text_of(push_outcome(entries, history));
  };
  EXPECT_EQ(outcome({}, none), "skip NO_SUBSCRIPTION");
  EXPECT_EQ(outcome({gone}, none), "skip NO_SUBSCRIPTION");
  EXPECT_EQ(outcome({}, served), "done") << "the remaining ones have unsubscribed";
  EXPECT_EQ(outcome({gone}, served), "done");
  EXPECT_EQ(outcome({delivered}, none), "done");
  EXPECT_EQ(outcome({delivered, refused, gone}, none), "done");
  EXPECT_EQ(outcome({refused, gone}, none), "dead HTTP_400");
  EXPECT_EQ(outcome({delivered, refused, failed}, none), "retry TIMEOUT");
  EXPECT_EQ(outcome({waiting, failed}, none), "retry TIMEOUT");
  EXPECT_EQ(outcome({delivered, waiting}, served), "retry SERVICE_DOWN");
}

TEST(PushOutcome, TheLongestRetryAfterApplies) {
  using std::chrono::seconds;
  const std::vector<PushEntry> entries{entry(a, PushResult::failed, 429, "HTTP_429", seconds(30)),
                                       entry(b, PushResult::failed, 503, "HTTP_503", seconds(120)),
                                       entry(c, PushResult::failed, {}, "TIMEOUT")};
  EXPECT_EQ(std::get<Retry>(push_outcome(entries, {})).retry_after, Duration(seconds(120)));
  EXPECT_EQ(std::get<Retry>(push_outcome(std::span(entries).last(1), {})).retry_after, std::nullopt);
}

}  // namespace
}  // namespace waybill::actions
