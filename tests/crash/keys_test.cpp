#include <atomic>
#include <chrono>
#include <iostream>
#include <map>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/crash/faults.hpp"
#include "tests/crash/stack.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/tenant.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t client_count = 4;
/// Clients that post orders, each with its own key, and repeat a request until the answer is 201.
class KeyedClients {
 public:
  KeyedClients(const Stack& stack, const std::string& token) : stack_(stack), token_(token) {
    for (std::size_t client = 0; client < client_count; ++client) {
      threads_.emplace_back([this, client] { post_orders(client); });
    }
  }

  int made() const { return made_; }
  int repeated() const { return repeated_; }

  /// The order returned for each key.
  std::map<std::string, std::string> stop() {
    stopped_ = true;
    threads_.clear();
    std::map<std::string, std::string> all;
    for (auto& told : told_) all.merge(told);
    return all;
  }

 private:
  void post_orders(std::size_t client) {
    for (int n = 0; !stopped_; ++n) {
      const auto key = std::to_string(client) + "-" + std::to_string(n);
      std::string order;
      int attempts = 0;
      EXPECT_TRUE(eventually([&] { return ++attempts, !(order = post(key)).empty(); }, recovery_limit))
          << key;
      repeated_ += attempts - 1;
      told_[client][key] = order;
      ++made_;
    }
  }

  /// The order's guid; empty without a successful response.
  std::string post(const std::string& key) const {
    try {
      Http http("127.0.0.1", stack_.api_port(), token_);
      http.set_deadline(5s);
      const Response response =
          http.post("/api/v1/Orders",
                    {{"customer", {{"name", "Ada"}}},
                     {"items", {{{"description", "Lamp"}, {"quantity", 1}, {"price", 5}}}},
                     {"deliveryAddress", {{"street", "Rua 1"}, {"city", "Lisbon"}}},
                     {"notes", key}},
                    {{"Idempotency-Key", key}});
      return response.status == 201 ? text_at(response.data(), "guid") : "";
    } catch (const std::runtime_error&) {
      return "";
    }
  }

  const Stack& stack_;
  std::string token_;
  std::atomic<bool> stopped_ = false;
  std::atomic<int> made_ = 0;
  std::atomic<int> repeated_ = 0;
  std::vector<std::map<std::string, std::string>> told_{client_count};
  std::vector<std::jthread> threads_;
};

// Random by seed, like the test of crashes.
TEST(CrashOfKeys, AKeyCreatesOneOrderAndAlwaysReturnsIt) {
  const auto seconds = std::chrono::seconds(from_environment("WAYBILL_CRASH_SECONDS", 5));
  const std::uint64_t seed = crash_seed();
  Stack stack(seed);
  const Tenant tenant(stack.up(), "keys");
  KeyedClients clients(stack, tenant.http.token());
  const auto end = std::chrono::steady_clock::now() + seconds;
  int kills = 0;
  for (int goal = 20; std::chrono::steady_clock::now() < end; goal = clients.made() + 20) {
    ASSERT_TRUE(eventually([&] { return clients.made() >= goal; }, recovery_limit))
        << "the deliveries did not go on";
    stack.kill_one();
    ++kills;
    stack.repair();
  }
  const auto told = clients.stop();

  std::map<std::string, std::vector<std::string>> made;
  ASSERT_TRUE(eventually(
      [&] {
        try {
          Session session(stack.database_url());
          for (auto& row : session.rows("select notes, guid from orders")) made[*row[0]].push_back(*row[1]);
          return true;
        } catch (const std::runtime_error&) {
          return false;
        }
      },
      recovery_limit));
  std::size_t orders = 0;
  for (const auto& [key, guids] : made) orders += guids.size();
  std::cout << kills << " kills; " << told.size() << " keys, " << clients.repeated() << " requests repeated, "
            << orders << " orders\n";
  EXPECT_EQ(made.size(), told.size());
  for (const auto& [key, guid] : told) EXPECT_EQ(made[key], std::vector<std::string>{guid}) << key;
}

}  // namespace
}  // namespace waybill::tests
