// Nodes whose clock is wrong, by libfaketime. The database's clock is right.
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "domain/workflows/retry.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/harness/faked_clock.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

class FakedClock : public testing::Test {
 protected:
  void SetUp() override {
    if (faketime_library().empty()) GTEST_SKIP() << "the package faketime is not installed";
  }

  static void expect_now(Time time) {
    EXPECT_LT(std::chrono::abs(time - system_clock().now()), Duration(30s)) << format_timestamp(time);
  }

  /// Refuses the first of two attempts to deliver an order.
  static void refuse_once(Receiver& receiver, const std::string& path) {
    receiver.answer_next(path, Reply::with_status(500));
    receiver.answer_next(path, Reply::with_status(200));
  }
};

/// The clocks of the nodes of these tests.
const std::string shifts[] = {"+1h", "-1h", "+400d"};

class WrongClock : public FakedClock, public testing::WithParamInterface<std::string> {};

TEST_P(WrongClock, EverythingThatANodeStoresAndSaysFollowsTheDatabase) {
  World world{{.retry_schedule = "2s,2s", .environment = shifted_clock(GetParam())}};
  Receiver receiver;
  Tenant tenant(world.waybill, "Acme");
  expect_now(domain::parse_http_date(tenant.http.get("/api/v1/Orders").header("Date")).value());

  const auto ends_in = [](Duration time) {
    return json::object{{"expiresAt", format_timestamp(system_clock().now() + time)}};
  };
  const auto token = tenant.http.post("/api/business/tokens", ends_in(10min));
  ASSERT_EQ(token.status, 201) << token.text;
  EXPECT_EQ(world.waybill.http(text_at(token.data(), "token")).get("/api/v1/Orders").status, 200);
  EXPECT_EQ(tenant.http.post("/api/business/tokens", ends_in(-10min)).status, 400);

  refuse_once(receiver, tenant.path());
  const auto workflow = tenant.webhook(receiver.url(tenant.path()), "order_created", {{"delay", "PT2S"}});
  tenant.insert_order();
  const auto received = receiver.wait_for(tenant.path(), 2);
  ASSERT_EQ(received.size(), 2U) << "the delay and the retry end at their times";
  expect_now(Time(std::chrono::seconds(std::stoll(received.back().header("webhook-timestamp")))));
  const json::value run = tenant.run_with_status(workflow, "succeeded");
  expect_now(parse_timestamp(text_at(run, "finishedAt")).value());
}

INSTANTIATE_TEST_SUITE_P(Shifts, WrongClock, testing::ValuesIn(shifts), [](const auto& shift) {
  std::string name = shift.param;
  name.front() = name.front() == '+' ? 'A' : 'B';
  return name;
});

/// All nodes in one test, and running until its end, because each needs the next window of the quota.
TEST_F(FakedClock, ATokenUsedOnSuchANodeWorksOnTheOthers) {
  const std::vector<std::string> plans{"--plans", "pro=40"};
  World world{{.arguments = plans}};
  std::vector<std::unique_ptr<Waybill>> wrong;
  std::vector<Http> used_elsewhere;
  for (const std::string& shift : shifts) {
    SCOPED_TRACE(shift);
    wrong.push_back(std::make_unique<Waybill>(
        world.database.url(), Waybill::Options{.command = "api",
                                               .arguments = plans,
                                               .environment = shifted_clock(shift),
                                               .secret_key_file = world.waybill.secret_key_file()}));
    auto http = world.waybill.business("Acme " + shift, "pro");
    auto there = wrong.back()->http(http.token());
    for (int count = 0; count < 45; ++count) there.get("/api/v1/Orders");
    const auto used = there.get("/api/v1/Orders");
    const auto reset = std::stoll(used.header("X-RateLimit-Reset"));
    EXPECT_LE(std::abs(reset - to_unix_seconds(system_clock().now())), 61);
    EXPECT_EQ(
        world.database.number("select count(*) from quota_windows where abs(window_start - extract(epoch "
                              "from now()) / 60) > 2"),
        0);
    used_elsewhere.push_back(std::move(http));
  }
  for (std::size_t i = 0; i < used_elsewhere.size(); ++i) {
    const auto works = [&] { return used_elsewhere[i].get("/api/v1/Orders").status == 200; };
    ASSERT_TRUE(poll(works, 70s, 500ms)) << shifts[i] << ": in the next minute at the latest";
  }
}

TEST_F(FakedClock, StepsOfTheClockWhileTheProgramRunsChangeNothing) {
  TempDirectory directory;
  const auto file = directory / "shift";
  const auto set = [&](std::string_view shift) { std::ofstream(file) << shift << '\n'; };
  set("+0");
  auto environment = shifted_clock("+0");
  environment[1] = {"FAKETIME_TIMESTAMP_FILE", file};
  environment.emplace_back("FAKETIME_NO_CACHE", "1");
  World world{{.retry_schedule = "1s,1s", .environment = environment}};
  Receiver receiver;
  Tenant tenant(world.waybill, "Acme");
  tenant.webhook(receiver.url(tenant.path()), "order_created");
  for (const std::string_view shift : {"+1h", "+0", "-1h", "+400d", "+0"}) {
    set(shift);
    refuse_once(receiver, tenant.path());
    const auto wanted = receiver.count(tenant.path()) + 2;
    tenant.insert_order();
    EXPECT_EQ(receiver.wait_for(tenant.path(), wanted).size(), wanted) << shift;
    expect_now(domain::parse_http_date(tenant.http.get("/api/v1/Orders").header("Date")).value());
  }
}

TEST_F(FakedClock, EachEventIsInOneDigestWhileTheClockOfTheWorkerSteps) {
  TempDirectory directory;
  const auto file = directory / "shift";
  const auto set = [&](std::string_view shift) { std::ofstream(file) << shift << '\n'; };
  set("+0");
  auto environment = shifted_clock("+0");
  environment[1] = {"FAKETIME_TIMESTAMP_FILE", file};
  environment.emplace_back("FAKETIME_NO_CACHE", "1");
  World world{{.environment = environment}};
  Receiver receiver;
  Tenant tenant(world.waybill, "Acme");
  tenant.configure({{"name", "digest"},
                    {"entityType", "Order"},
                    {"triggers", {"order_created"}},
                    {"digest", {{"quiet", "PT1S"}, {"atMost", "PT2S"}}},
                    {"action", {{"type", "webhook"}, {"recipient", receiver.url(tenant.path())}}}});
  std::multiset<std::string> orders;
  std::size_t closed = 0;
  for (const std::string_view shift : {"+1h", "+0", "-1h", "+400d", "+0"}) {
    orders.insert(tenant.insert_order());
    tenant.settle();
    set(shift);  // while the digest is open
    orders.insert(tenant.insert_order());
    const auto is_closed = [&] {
      return tenant.sql.number("select count(*) from digests where business_id = $1", {tenant.id}) == 0;
    };
    tenant.settle();
    ASSERT_TRUE(eventually(is_closed)) << shift;
    const auto received = receiver.wait_for(tenant.path(), ++closed);
    ASSERT_GE(received.size(), closed) << shift;
  }
  std::multiset<std::string> collected;
  const auto all_are_collected = [&] {
    collected.clear();
    for (const Received& request : receiver.received(tenant.path())) {
      const json::value body = request.json_body();
      for (const json::value& item : at(body, "data.items").as_array())
        collected.insert(text_at(item, "guid"));
    }
    return collected.size() >= orders.size();
  };
  EXPECT_TRUE(eventually(all_are_collected));
  EXPECT_EQ(collected, orders);
}

}  // namespace
}  // namespace waybill::tests
