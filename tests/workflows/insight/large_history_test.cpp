// Reading the past events of large records.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

constexpr std::string_view large_items =
    "json_build_array(json_build_object('guid', gen_random_uuid(), 'description', repeat('x', 900000), "
    "'quantity', 1, 'price', 1))";

/// A business with a few large orders, and an API of its own, so that its memory can be measured.
class LargeHistory : public testing::Test {
 protected:
  /// Inserts orders of 900 kB and changes each of them several times.
  void make_orders(int orders, int changes) {
    tenant.write_long_values();
    tenant.sql.rows(
        "insert into orders (business_id, order_number, customer_id, items) select $1, "
        "gen_random_uuid(), $2, " +
            std::string(large_items) + " from generate_series(1, $3::int)",
        {tenant.id, customer, std::to_string(orders)});
    for (int i = 0; i < changes; ++i) tenant.update_orders("notes = '" + std::to_string(i) + "' where true");
    tenant.settle(std::chrono::minutes(1));  // up to 300 MB of records
  }

  /// Reads the feed from its beginning, or backwards from its end with `place` "&before=".
  void expect_feed_of(std::size_t events, std::string place) {
    const std::string direction = place.empty() ? "after" : "before";
    std::vector<std::int64_t> ids;
    for (bool has_more = true; has_more;) {
      const auto page = client.get("/api/events?entityType=Order&limit=500" + place);
      ASSERT_EQ(page.status, 200) << page.text;
      EXPECT_LT(page.text.size(), 12'000'000U);
      for (const auto& event : page.data().as_array())
        ids.push_back(event.at("eventId").to_number<std::int64_t>());
      place = "&" + direction + "=" + text_at(page.body, "nextCursor");
      has_more = at(page.body, "hasMore") == true;
    }
    EXPECT_EQ(ids.size(), events);
    if (direction == "before") std::ranges::reverse(ids);
    EXPECT_TRUE(std::ranges::is_sorted(ids));
    EXPECT_EQ(std::set(ids.begin(), ids.end()).size(), ids.size());
    expect_little_memory(api.process().pid());
  }

  json::object definition(json::object conditions) const {
    return {{"name", "watched"},
            {"entityType", "Order"},
            {"triggerId", trigger_guid("order_updated")},
            {"isActive", false},
            {"conditions", std::move(conditions)},
            {"action", {{"type", "webhook"}, {"recipient", receiver.url()}}}};
  }

  World world;
  Receiver receiver;
  Tenant tenant{world.waybill, "large"};
  Waybill api{world.waybill.database_url(),
              {.command = "api", .secret_key_file = world.waybill.secret_key_file()}};
  Http client = api.http(tenant.http.token());
  std::string customer = text_at(
      tenant.http.post("/api/v1/Customers", {{"name", "A"}, {"email", "a@example.com"}}).data(), "guid");
};

TEST_F(LargeHistory, TheFeedReadForwardsAndBackwardsHasEachEventOnceInSmallPages) {
  make_orders(40, 3);
  for (const auto* const place : {"", "&before="}) {
    SCOPED_TRACE(place);
    expect_feed_of(160, place);
  }
}

TEST_F(LargeHistory, ABacktestCountsAllEvents) {
  make_orders(40, 3);
  const auto tested =
      client.post("/api/workflows/backtest", {{"definition", definition({{"notes", {{"exists", true}}}})}});
  ASSERT_EQ(tested.status, 200) << tested.text;
  EXPECT_EQ(at(tested.data(), "events"), 160);
  EXPECT_EQ(at(tested.data(), "matches"), 120);
  const auto configured = client.post("/api/workflows/configure", definition({}));
  EXPECT_EQ(configured.status, 201) << configured.text;
  expect_little_memory(api.process().pid());
}

TEST_F(LargeHistory, ExplainShowsEachEventOnceInSmallPages) {
  for (int i = 0; i < 4; ++i) tenant.configure(definition({{"items.description", {{"contains", "x"}}}}));
  make_orders(1, 12);
  const auto order = tenant.sql.value("select guid from orders where business_id = $1", {tenant.id});
  std::vector<std::int64_t> ids;
  std::size_t pages = 0;
  bool has_note = false;
  std::string before;
  for (;;) {
    const auto page = client.get("/api/workflows/explain?entityId=" + order + before);
    ASSERT_EQ(page.status, 200) << page.text.substr(0, 300);
    EXPECT_LT(page.text.size(), 12'000'000U);
    has_note = has_note || page.text.find("too large to be shown") != std::string::npos;
    for (const auto& event : page.data().as_array())
      ids.push_back(event.at("eventId").to_number<std::int64_t>());
    if (page.data().as_array().empty()) break;
    before = "&before=" + std::to_string(ids.back());
    ++pages;
  }
  EXPECT_EQ(ids.size(), 13U);
  EXPECT_TRUE(std::ranges::is_sorted(ids, std::greater()));
  EXPECT_EQ(std::set<std::int64_t>(ids.begin(), ids.end()).size(), 13U);
  EXPECT_GT(pages, 1U);
  EXPECT_TRUE(has_note);
  expect_little_memory(api.process().pid());
}

TEST_F(LargeHistory, ExplainShowsFewLargeConditions) {
  json::array values;
  for (int i = 0; i < 400; ++i) values.emplace_back(std::to_string(i) + std::string(500, 'x'));
  for (int i = 0; i < 30; ++i) tenant.configure(definition({{"notes", {{"in", values}}}}));
  const std::string order = tenant.create_order();
  for (int i = 0; i < 5; ++i) tenant.update_orders("notes = '" + std::to_string(i) + "' where true");
  tenant.settle();
  const auto page = client.get("/api/workflows/explain?entityId=" + order);
  ASSERT_EQ(page.status, 200) << page.text.substr(0, 300);
  EXPECT_LT(page.text.size(), 6'000'000U) << "30 conditions of 200 kB at each event";
  EXPECT_NE(page.text.find("too large to be shown"), std::string::npos);
  EXPECT_EQ(page.data().as_array().size(), 1U);
  expect_little_memory(api.process().pid());
}

TEST_F(LargeHistory, AnExportBeyondTheLimitIsRefused) {
  make_orders(40, 2);
  const auto exported = client.get("/api/v1/Customers/" + customer + "/export");
  EXPECT_EQ(exported.status, 413) << exported.text.substr(0, 300);
  EXPECT_EQ(exported.error_code(), "PAYLOAD_TOO_LARGE");
  const std::string message = text_at(exported.body, "error.message");
  EXPECT_NE(message.find("waybill business export --customer " + customer), std::string::npos) << message;
  expect_little_memory(api.process().pid());

  const TempDirectory directory;
  const std::string output = directory / "customer.json";
  const Finished written =
      run({waybill_binary(), "business", "export", "--business", tenant.id, "--customer", customer,
           "--output", output, "--database-url", world.waybill.database_url()});
  ASSERT_EQ(written.status, 0) << written.standard_error;
  EXPECT_GT(std::filesystem::file_size(output), 48U * 1024 * 1024);
}

}  // namespace
}  // namespace waybill::tests
