#include <iostream>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "tests/crash/faults.hpp"
#include "tests/crash/ledger.hpp"
#include "tests/crash/stack.hpp"
#include "tests/crash/writers.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/harness/receiver.hpp"
#include "tests/workflows/fixtures/tenant.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t shops = 3;
constexpr std::size_t orders_of_a_shop = 20;

Shop open_shop(const Stack& stack, const Receiver& receiver, std::size_t number, bool ordered) {
  Tenant tenant(stack.up(), "shop " + std::to_string(number));
  for (const char* trigger : {"order_created", "order_updated"}) {
    tenant.webhook(receiver.url("/hook"), trigger,
                   {{"conditions", {{"deliveryAddress.city", matching_city}}}, {"ordered", ordered}});
  }
  Shop shop{tenant.id, tenant.http.token(), {}};
  for (std::size_t i = 0; i < orders_of_a_shop; ++i) {
    const std::string city = i % 2 == 0 ? matching_city : other_city;
    shop.orders.push_back(
        tenant.insert_order({{"delivery_city", "'" + city + "'"},
                             {"notes", "'first-" + std::to_string(number) + "-" + std::to_string(i) + "'"}}));
  }
  return shop;
}

// Records each request and refuses about one in thirty on its first attempt.
void keep_books(Receiver& receiver, Ledger& ledger) {
  receiver.on_request([&ledger](const Received& request) {
    const std::string id = request.header("webhook-id");
    ledger.received(text_at(request.json_body(), "data.entity.notes"), id);
    thread_local std::mt19937_64 random(std::hash<std::string>{}(id));
    return Reply::with_status(random() % 30 == 0 ? 503 : 200);
  });
}

// Random by seed: WAYBILL_CRASH_SEED repeats a choice of faults. WAYBILL_CRASH_SECONDS is the duration.
void write_through_crashes(bool ordered) {
  const auto seconds = std::chrono::seconds(from_environment("WAYBILL_CRASH_SECONDS", 15));
  const std::uint64_t seed = crash_seed();

  Ledger ledger;
  Receiver receiver;
  keep_books(receiver, ledger);
  Stack stack(seed);
  std::vector<Shop> all;
  all.reserve(shops);
  for (std::size_t i = 0; i < shops; ++i) all.push_back(open_shop(stack, receiver, i, ordered));

  std::mt19937_64 random(seed);
  std::map<std::string, int> faults;
  {
    Writers writers(ledger, all, stack.database_url(), [&] { return stack.api_port(); }, seed);
    const auto end = std::chrono::steady_clock::now() + seconds;
    while (std::chrono::steady_clock::now() < end) {
      ASSERT_TRUE(ledger.wait_for_progress(1 + random() % 300, recovery_limit))
          << "the deliveries did not go on";
      ++faults[stack.kill_one()];
      // Leaves some time without the killed process, so that others take over, if any can.
      ledger.wait_for_progress(random() % 100, 500ms);
      stack.repair();
    }
  }
  for (const auto& [what, times] : faults) std::cout << "killed " << what << ": " << times << "\n";

  Session database = stack.connect();
  ASSERT_TRUE(eventually([&] { return database.number("select count(*) from pending_events") == 0; }, 60s));
  ASSERT_TRUE(eventually([&] { return database.number("select count(*) from run_queue") == 0; }, 60s));
  ledger.check(database);
  if (ordered) ledger.check_order(database);
}

TEST(Crash, NoChangeIsLostInventedOrRepeatedUnderAnotherId) { write_through_crashes(false); }

TEST(Crash, TheChangesOfARecordArriveInTheirOrder) { write_through_crashes(true); }

}  // namespace
}  // namespace waybill::tests
