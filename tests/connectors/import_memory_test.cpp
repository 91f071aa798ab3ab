// The memory and the concurrency of imports, which businesses share.

#include "tests/connectors/import_fixture.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t mebibyte = 1024UL * 1024;
constexpr std::size_t every_call = 1'000'000;

Time an_hour_ago() { return std::chrono::floor<std::chrono::seconds>(system_clock().now()) - 1h; }

/// A response of `bytes` with one JSON array that repeats `entry`.
Fault array_of(std::string_view entry, std::size_t bytes) {
  std::string body = "[";
  body.reserve(bytes);
  while (body.size() + entry.size() + 2 < bytes) body.append(entry).append(",");
  body.append(entry).append("]");
  return {.spoil = [body = std::move(body)](Reply& reply) { reply.body = body; }};
}

/// A separate worker, whose memory nothing else uses.
class ImportMemory : public testing::Test {
 protected:
  std::string business(const std::string& name) {
    create_token(database.url(), name);
    return database.value("select guid from businesses where name = $1", {name});
  }

  Connection connect(const std::string& business, const WooCommerceSimulator& store) {
    return {sql, business, worker.secret_key_file(), store, {}};
  }

  /// Runs one concurrent sweep over each of 6 stores of 2 businesses; returns their errors.
  std::vector<std::string> sweep_all(const Fault& fault) {
    std::vector<std::unique_ptr<WooCommerceSimulator>> stores;
    std::vector<Connection> connections;
    std::vector<std::string> runs;
    for (int number = 0; number < 6; ++number) {
      if (number % 3 == 0) businesses.push_back(business("hostile " + std::to_string(businesses.size())));
      stores.push_back(std::make_unique<WooCommerceSimulator>());
      stores.back()->fail(fault, every_call);
      connections.push_back(connect(businesses.back(), *stores.back()));
    }
    for (auto& connection : connections) runs.push_back(connection.request());
    std::vector<std::string> reasons;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const auto run = connections[i].finished(runs[i], 60s);
      reasons.push_back(run.errors.empty() ? "" : text_at(run.errors.at(0), "reason"));
    }
    return reasons;
  }

  TestDatabase database;
  Session sql{database.url()};
  Waybill worker{database.url(), {.command = "worker", .arguments = {"--import-interval", "1"}}};
  std::vector<std::string> businesses;
};

TEST_F(ImportMemory, IsLimitedWithHugePages) {
  for (const auto& reason : sweep_all(array_of(R"({"id":1})", 32 * mebibyte)))
    EXPECT_NE(reason.find("larger than"), std::string::npos) << reason;
  expect_little_memory(worker.process().pid());
}

TEST_F(ImportMemory, IsLimitedWithPagesOfVeryManyValues) {
  for (const auto& reason : sweep_all(array_of("[]", 7 * mebibyte))) {
    const bool is_refused = reason.find("too many values") != std::string::npos ||
                            reason.find("larger than") != std::string::npos;
    EXPECT_TRUE(is_refused) << reason;
  }
  expect_little_memory(worker.process().pid());
}

TEST_F(ImportMemory, IsLimitedWithPagesOfVeryManyItems) {
  std::string items = R"({"name":"x","quantity":1})";
  for (int i = 0; i < 14; ++i) items = items + "," + items;
  sweep_all(
      array_of(R"({"id":7,"number":"7","status":"pending","line_items":[)" + items + "]}", 3 * mebibyte));
  expect_little_memory(worker.process().pid());
}

TEST_F(ImportMemory, APageThatIsTooLargeIsRequestedInSmallerPages) {
  WooCommerceSimulator store;
  // 100 of them are 10 MB.
  store.add_orders(60, an_hour_ago(), 1s);
  const json::object large{{"customer_note", std::string(200'000, 'x')}};
  for (int i = 0; i < 60; ++i) store.add_order(large, an_hour_ago() + 100s + i * 1s);
  auto connection = connect(business("large"), store);
  const auto run = connection.sync(60s);
  EXPECT_EQ(run.imported, 120) << run.counts() << json::serialize(run.errors);
  EXPECT_EQ(connection.orders(), 120);
}

TEST_F(ImportMemory, ABusinessRunsAtMostThreeSweepsAtOnce) {
  std::vector<std::unique_ptr<WooCommerceSimulator>> stores;
  const auto gate = std::make_shared<Gate>();
  const AtExit open([&] { gate->open(); });
  const auto slow = business("slow");
  for (int number = 0; number < 5; ++number) {
    stores.push_back(std::make_unique<WooCommerceSimulator>());
    stores.back()->fail(slow_answer(gate), every_call);
    connect(slow, *stores.back()).request();
  }
  const auto stores_called = [&] {
    return std::ranges::count_if(stores, [](const auto& store) { return store->count("GET", "orders") > 0; });
  };
  ASSERT_TRUE(eventually([&] { return stores_called() == 3; }));
  WooCommerceSimulator store;
  store.add_order();
  auto quick = connect(business("quick"), store);
  EXPECT_EQ(quick.sync().imported, 1);
  EXPECT_EQ(stores_called(), 3);
}

}  // namespace
}  // namespace waybill::tests
