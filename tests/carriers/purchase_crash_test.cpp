// Labels that are bought while the programs are killed. WAYBILL_CRASH_KILLS is the number of kills.
#include <array>
#include <future>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/carriers/purchase_stack.hpp"
#include "tests/crash/faults.hpp"
#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

constexpr Deadline settling_limit = std::chrono::minutes(4);  // a lease, and the look-up after it

// The numbers of both have no common divisor, so that all pairs occur in turn.
constexpr std::array points = {PurchasePoint::before_lookup, PurchasePoint::booked,
                               PurchasePoint::before_draft,  PurchasePoint::answered,
                               PurchasePoint::drafted,       PurchasePoint::before_booking,
                               PurchasePoint::storing};
constexpr std::array victims = {Victim::worker,       Victim::database, Victim::worker,     Victim::karrio,
                                Victim::api,          Victim::worker,   Victim::everything, Victim::database,
                                Victim::older_karrio, Victim::worker,   Victim::api};
static_assert(std::gcd(points.size(), victims.size()) == 1);

class PurchaseCrash : public testing::Test {
 protected:
  struct Purchase {
    bool is_karrio = false;
    std::string shipment, guid, round;
  };

  void SetUp() override {
    if (!KarrioServer::installed()) GTEST_SKIP() << no_karrio;
    stack = std::make_unique<PurchaseStack>();
    for (const bool is_karrio : {false, true}) {
      Buyer buyer(stack->up(), stack->gateway(is_karrio), is_karrio ? "karrio" : "easypost");
      clients.push_back(std::make_unique<SurvivingClient>(*stack, buyer.tenant.http.token(), buyer.carrier));
      accounts.push_back(buyer.account);
    }
    stack->keep_karrio();
  }

  SurvivingClient& client(bool is_karrio) { return *clients.at(is_karrio ? 1 : 0); }

  bool reaches(PurchasePoint point, bool is_karrio, std::size_t before) {
    return eventually([&] { return stack->arrivals(point, is_karrio) > before; }, settling_limit);
  }

  /// Requests a purchase, kills the victim at the point, and repairs.
  Purchase kill_during_purchase(PurchasePoint point, Victim victim, bool is_karrio) {
    Purchase made{.is_karrio = is_karrio,
                  .shipment = client(is_karrio).shipment(),
                  .guid = {},
                  .round = std::string(name_of(victim)) + ", " + std::string(name_of(point))};
    const auto gate = std::make_shared<Gate>();
    const std::size_t before = stack->arrivals(point, is_karrio);
    stack->stop_at(point, is_karrio, gate);
    if (victim == Victim::api) {
      // The API dies while it answers; the client asks again.
      auto lost = std::async(std::launch::async, [http = client(is_karrio).connection(), &made]() mutable {
        return http.post("/api/v1/shipments/" + made.shipment + "/label", {{"serviceLevel", "standard"}});
      });
      stack->kill(victim);
      stack->repair();
      lost.wait();
      made.guid = client(is_karrio).request(made.shipment);
      EXPECT_TRUE(reaches(point, is_karrio, before)) << made.round;
      gate->open();
    } else {
      made.guid = client(is_karrio).request(made.shipment);
      EXPECT_TRUE(reaches(point, is_karrio, before)) << made.round;
      if (point == PurchasePoint::storing) gate->open();
      stack->kill(victim);
      gate->open();
      stack->repair();
    }
    stack->gateway(is_karrio).stop_failing();
    return made;
  }

  /// True when nothing more happens by itself: the label and its file are there, the purchase is refused, or
  /// it is unknown and a look-up finds nothing.
  bool is_settled(const Purchase& made) {
    const json::value purchase = client(made.is_karrio).purchase(made.shipment, made.guid);
    const std::string status = text_at(purchase, "status");
    if (status == "refused") return true;
    if (status == "bought" && client(made.is_karrio).label(made.shipment).status == 200) return true;
    Session session = stack->connect();
    const bool is_looked_up =
        status == "unknown" &&
        session.number("select lookups from purchases where guid = $1", {made.guid}) > 0;
    if (is_looked_up &&
        !stack->gateway(made.is_karrio)
             .shows_label(accounts.at(made.is_karrio ? 1 : 0), text_at(purchase, "gatewayId")))
      return true;
    session.rows(
        "update purchases set next_at = now(), claim_at = now() where guid = $1 and lease_owner is null",
        {made.guid});
    return false;
  }
  bool settles(const Purchase& made) {
    return eventually(
        [&] {
          try {
            return is_settled(made);
          } catch (const std::runtime_error&) {
            return false;  // the API has no connection to the restarted database yet
          }
        },
        settling_limit);
  }

  /// Compares a purchase with the labels that the carrier has booked for it. Returns the status.
  std::string check(const Purchase& made) {
    auto& buyer = client(made.is_karrio);
    EXPECT_EQ(buyer.purchases(made.shipment).size(), 1U) << made.round;
    const std::string status = text_at(buyer.purchase(made.shipment, made.guid), "status");
    const auto labels = stack->gateway(made.is_karrio).labels(made.guid);
    EXPECT_LE(labels.size(), 1U) << "paid twice: " << made.round;
    if (status == "bought") {
      if (labels.size() != 1) {
        ADD_FAILURE() << "bought, but not booked: " << made.round;
        return status;
      }
      EXPECT_EQ(text_at(buyer.shown(made.shipment), "carrierTrackingNumber"), labels[0].numbers.at(0));
      EXPECT_EQ(buyer.label(made.shipment).text, PurchaseGateway::file(labels[0].numbers.at(0), "pdf"))
          << made.round;
    } else if (status == "refused") {
      EXPECT_TRUE(labels.empty()) << "paid, but refused: " << made.round;
    } else {
      EXPECT_EQ(status, "unknown") << made.round;
    }
    return status;
  }

  std::unique_ptr<PurchaseStack> stack;
  std::vector<std::unique_ptr<SurvivingClient>> clients;  // EasyPost's, then Karrio's
  std::vector<PurchaseGateway::Account> accounts;
};

TEST_F(PurchaseCrash, EachPaidLabelHasOneRecordAndEachBoughtOneItsFile) {
  const auto kills = from_environment("WAYBILL_CRASH_KILLS", victims.size());
  std::vector<Purchase> all;
  std::map<std::string, int> killed;
  for (std::size_t round = 0; round < kills; ++round) {
    const Victim victim = victims.at(round % victims.size());
    const PurchasePoint point = points.at(round % points.size());
    const bool needs_karrio = victim == Victim::karrio || victim == Victim::older_karrio;
    const bool is_karrio = needs_karrio || (round + round / (victims.size() * points.size())) % 2 == 0;
    all.push_back(kill_during_purchase(point, victim, is_karrio));
    ++killed[std::string(name_of(victim))];
    ASSERT_TRUE(settles(all.back())) << all.back().round;
  }
  std::map<std::string, std::size_t> statuses;
  for (const Purchase& made : all) {
    EXPECT_TRUE(settles(made)) << made.round;
    ++statuses[check(made)];
  }
  std::size_t booked = 0;
  std::size_t known = 0;
  for (const bool is_karrio : {false, true}) booked += stack->gateway(is_karrio).labels().size();
  for (const Purchase& made : all) known += stack->gateway(made.is_karrio).labels(made.guid).size();
  EXPECT_EQ(booked, known) << "each booked label belongs to a purchase";
  EXPECT_LE(booked, statuses["bought"] + statuses["unknown"]);
  for (const auto& [what, times] : killed) std::cout << "killed " << what << ": " << times << "\n";
  for (const auto& [status, count] : statuses) std::cout << status << ": " << count << "\n";
  std::cout << "booked by the carriers: " << booked << "\n";
}

}  // namespace
}  // namespace waybill::tests
