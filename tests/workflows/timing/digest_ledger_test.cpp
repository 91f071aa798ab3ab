// The ledger of digests, and random sequences of events, changes and closings.
#include <map>
#include <random>
#include <set>

#include "tests/workflows/timing/digests_fixture.hpp"

namespace waybill::tests {
namespace {

class DigestLedger : public DigestTest {
 protected:
  /// The two equations of the ledger for a period, whose last millisecond belongs to it, with the sum of the
  /// counts by the times of the events.
  void check_period(const std::string& from, const std::string& to) {
    const json::value all = ledger("?from=" + from + "&to=" + to);
    const auto number = [&](const char* path) { return at(all, path).to_number<std::int64_t>(); };
    EXPECT_EQ(number("matched"), number("runs.total") - number("digests.runs") + number("digests.events"));
    const std::int64_t in_runs = tenant.sql.number(
        "select count(*) from digest_events e join all_runs r on r.business_id = e.business_id and r.guid = "
        "e.digest_id where e.business_id = $1 and not e.is_dropped and e.event_at >= $2 and e.event_at < "
        "$3::timestamptz + interval '1 millisecond'",
        {tenant.id, from, to});
    EXPECT_EQ(number("digests.events"), number("digests.collected") + number("digests.dropped") + in_runs);
  }
};

TEST_F(DigestLedger, BalancesForEveryPeriodWhateverItCuts) {
  const std::string dropped = collecting({{"every", "PT1H"}, {"max", 4}});
  collecting({{"every", "PT1H"}, {"by", "notes"}, {"max", 4}});
  tenant.webhook(url("plain"), "order_created");
  for (int i = 0; i < 15; ++i) tenant.create_order({{"notes", std::to_string(i % 2)}});
  tenant.settle();
  ASSERT_TRUE(eventually([&] {
    return tenant.sql.number("select count(*) from digests where workflow_id = $1", {dropped}) == 1;
  })) << "the full digests have closed";
  ASSERT_EQ(tenant.http.del("/api/workflows/configured/" + dropped).status, 200);
  ASSERT_TRUE(eventually([&] {
    return tenant.sql.number("select count(*) from digests where workflow_id = $1", {dropped}) == 0;
  }));
  const auto times = tenant.sql.column("select iso(at) from events where business_id = '" + tenant.id +
                                       "' and entity_type = 0 order by id");
  ASSERT_EQ(times.size(), 15U);
  for (std::size_t from = 0; from < times.size(); from += 2) {
    for (std::size_t to = from + 1; to < times.size(); to += 3) {
      if (times[from] < times[to]) check_period(times[from], times[to]);
    }
  }
  jump();
  ASSERT_TRUE(eventually([&] { return open() == 0; }));
  const json::value all = ledger();
  EXPECT_EQ(at(all, "digests.events"), json::value(30));
  EXPECT_EQ(at(all, "digests.dropped"), json::value(3)) << "three digests were full";
  EXPECT_EQ(at(all, "digests.collected"), json::value(0));
  EXPECT_EQ(at(all, "matched"), json::value(45));
}

// A reference knows which orders were created while the workflow was on. Each is in exactly one list, whose
// entries keep the order, and each list has one version.
TEST_F(DigestLedger, EachEventIsInOneDigestThroughVersionsSwitchesAndClosings) {
  const std::string workflow = collecting({{"every", "PT1H"}, {"by", "notes"}, {"max", 5}});
  std::mt19937 random(7);
  std::vector<std::string> expected;
  bool is_on = true;
  int name = 0;
  for (int step = 0; step < 40; ++step) {
    switch (random() % 6) {
      case 0:
        tenant.settle();
        ASSERT_EQ(
            tenant.http.post("/api/workflows/configured/" + workflow + "/toggle", json::object{}).status,
            200);
        is_on = !is_on;
        break;
      case 1:
        tenant.settle();
        tenant.configure({{"guid", workflow}, {"name", "version " + std::to_string(++name)}});
        break;
      case 2:
        jump();
        break;
      default:
        for (unsigned i = 0; i <= random() % 3; ++i) {
          const std::string order = tenant.create_order({{"notes", std::to_string(random() % 2)}});
          if (is_on) expected.push_back(order);
        }
    }
  }
  jump();
  ASSERT_TRUE(eventually([&] {
    return open() == 0 &&
           tenant.sql.number("select count(*) from run_queue where business_id = $1", {tenant.id}) == 0;
  }));
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < expected.size(); ++i) places[expected[i]] = i;
  std::set<std::string> seen;
  for (const Received& request : receiver.received(tenant.path())) {
    std::size_t last = 0;
    for (const std::string& order : orders_of(request.json_body())) {
      ASSERT_TRUE(places.contains(order)) << "created while the workflow was off";
      EXPECT_TRUE(seen.insert(order).second) << order;
      EXPECT_GE(places[order], last);
      last = places[order];
    }
  }
  EXPECT_EQ(seen.size(), expected.size());
  EXPECT_EQ(at(ledger(), "digests.events"), json::value(expected.size()));
}

}  // namespace
}  // namespace waybill::tests
