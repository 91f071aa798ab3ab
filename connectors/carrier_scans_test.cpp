#include "connectors/carrier_scans.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <ostream>
#include <random>
#include <tuple>
#include <utility>

#include <gtest/gtest.h>

#include "base/json.hpp"
#include "connectors/easypost/trackers.hpp"
#include "connectors/karrio/exact_json.hpp"
#include "connectors/karrio/tracking.hpp"

namespace waybill::connectors {
namespace {

const Guid shipment = Guid::random();
const Time start = *parse_timestamp("2026-07-01T00:00:00Z");
const Time now = start + std::chrono::hours(240);

/// A shipment in memory, with the scans that are stored as the database has them.
class History {
 public:
  explicit History(std::string label_status = {}) : label_status_(std::move(label_status)) {}

  /// Applies an answer as apply_answer does.
  void apply(const TrackAnswer& answer, Time at = now) {
    const auto traces = traces_of(answer, shipment, return_since_, at);
    storage::ScanCourse course(status_, label_status_, moved_at(traces));
    for (const storage::ParcelScan& scan : traces) {
      const auto [outcome, status] = course.judge(scan, *scan.at, traces_.contains(*scan.external_id));
      if (outcome == storage::ScanOutcome::repeated) continue;
      traces_[*scan.external_id] = {*scan.at, status, outcome == storage::ScanOutcome::moved};
    }
    status_ = course.status();
    const auto told = return_in(answer, at);
    if (told && (!return_since_ || *told < *return_since_)) return_since_ = told;
  }

  const std::string& status() const { return status_; }
  std::size_t size() const { return traces_.size(); }
  bool operator==(const History&) const = default;
  friend void PrintTo(const History& history, std::ostream* out) {
    *out << history.status_;
    for (const auto& [id, trace] : history.traces_)
      *out << "\n"
           << id << " " << format_timestamp(std::get<0>(trace)) << " " << std::get<1>(trace) << " "
           << std::get<2>(trace);
  }

 private:
  using Trace = std::tuple<Time, std::string, bool>;

  // As storage/sql/scans/facts.sql reads it.
  std::optional<Time> moved_at(const std::vector<storage::ParcelScan>& told) const {
    std::optional<Time> last;
    for (const auto& [id, trace] : traces_) {
      Time at = std::get<0>(trace);
      for (const storage::ParcelScan& scan : told)
        if (scan.external_id == id) at = std::min(at, *scan.at);
      if (std::get<2>(trace)) last = std::max(last.value_or(at), at);
    }
    return last;
  }

  std::string status_ = "created";
  std::string label_status_;
  std::optional<Time> return_since_;
  std::map<std::string, Trace> traces_;
};

/// A scan as both gateways tell it.
struct Told {
  std::string status;
  int hour = 0;
};

std::string time_of(int hour) { return format_timestamp(start + std::chrono::hours(hour)); }

TrackAnswer karrio_answer(const std::vector<Told>& told) {
  json::array events;
  for (const Told& scan : told) {
    events.push_back(json::object{{"timestamp", time_of(scan.hour)},
                                  {"date", time_of(scan.hour).substr(0, 10)},
                                  {"time", time_of(scan.hour).substr(11, 5)},
                                  {"status", scan.status},
                                  {"code", "C" + std::to_string(scan.hour)}});
  }
  const json::object answer{{"tracking", {{"events", std::move(events)}}}};
  return karrio::read_tracking(*karrio::exact_json(to_json(answer)), "1Z", now);
}

TrackAnswer easypost_answer(const std::vector<Told>& told) {
  json::array details;
  for (const Told& scan : told) {
    details.push_back(json::object{{"datetime", time_of(scan.hour)},
                                   {"status", scan.status},
                                   {"message", "M" + std::to_string(scan.hour)}});
  }
  const json::object tracker{{"tracking_code", "1Z"}, {"tracking_details", std::move(details)}};
  return easypost::scans_in(tracker, now);
}

const std::vector<std::string> karrio_statuses = {"pending",          "picked_up",        "in_transit",
                                                  "out_for_delivery", "ready_for_pickup", "delivery_delayed",
                                                  "on_hold",          "delivery_failed",  "return_to_sender",
                                                  "delivered",        "cancelled",        "unknown"};
const std::vector<std::string> easypost_statuses = {"pre_transit",
                                                    "unknown",
                                                    "in_transit",
                                                    "available_for_pickup",
                                                    "out_for_delivery",
                                                    "delivered",
                                                    "failure",
                                                    "return_to_sender",
                                                    "error",
                                                    "cancelled"};

std::vector<Told> random_course(const std::vector<std::string>& statuses, std::minstd_rand& random) {
  std::vector<Told> told;
  const auto count = 1 + random() % 12;
  for (unsigned i = 0; i < count; ++i)
    told.push_back({statuses[random() % statuses.size()], static_cast<int>(i) * 3});
  return told;
}

template <typename AnswerOf>
void expect_one_history(const std::vector<std::string>& statuses, AnswerOf answer_of, unsigned seed) {
  std::minstd_rand random(seed);
  const std::vector<Told> in_order = random_course(statuses, random);
  History expected;
  expected.apply(answer_of(in_order));
  EXPECT_EQ(expected.size(), in_order.size()) << "none is dropped";
  History twice = expected;
  twice.apply(answer_of(in_order));
  EXPECT_EQ(twice, expected) << "twice";
  std::vector<Told> shuffled = in_order;
  std::ranges::shuffle(shuffled, random);
  History out_of_order;
  out_of_order.apply(answer_of(shuffled));
  EXPECT_EQ(out_of_order, expected) << "out of order";
  // A hint asks early, between the usual pulls, so that the answers grow by any number of scans.
  History with_hints;
  std::vector<Told> known;
  for (const Told& scan : in_order) {
    known.push_back(scan);
    if (random() % 2 == 0) with_hints.apply(answer_of(known));
  }
  with_hints.apply(answer_of(in_order));
  with_hints.apply(answer_of(shuffled));
  EXPECT_EQ(with_hints, expected) << "with hints";
}

TEST(CarrierScans, OfKarrioGiveTheSameHistoryInAnyOrderAndHoweverOften) {
  for (unsigned seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE(seed);
    expect_one_history(karrio_statuses, karrio_answer, seed);
  }
}

TEST(CarrierScans, OfEasyPostGiveTheSameHistoryInAnyOrderAndHoweverOften) {
  for (unsigned seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE(seed);
    expect_one_history(easypost_statuses, easypost_answer, seed);
  }
}

TEST(CarrierScans, LeaveTheSameStatusIfOlderOnesAreToldLate) {
  const std::vector<Told> whole = {{"picked_up", 1},  {"in_transit", 2},       {"return_to_sender", 3},
                                   {"in_transit", 4}, {"out_for_delivery", 5}, {"delivered", 6}};
  for (std::size_t late = 0; late + 1 < whole.size(); ++late) {
    std::vector<Told> first = whole;
    first.erase(first.begin() + static_cast<std::ptrdiff_t>(late));
    History history;
    history.apply(karrio_answer(first));
    history.apply(karrio_answer(whole));
    EXPECT_EQ(history.status(), "returned") << whole[late].status;
  }
}

TEST(CarrierScans, AReturnIsRememberedWhenTheGatewayNoLongerTellsIt) {
  History history;
  history.apply(karrio_answer({{"in_transit", 1}, {"return_to_sender", 2}}));
  EXPECT_EQ(history.status(), "exception") << "not from the first return scan";
  history.apply(karrio_answer({{"delivered", 3}}));
  EXPECT_EQ(history.status(), "returned");
}

TEST(CarrierScans, ADeliveryBeforeTheReturnStaysOne) {
  const std::vector<Told> told = {{"in_transit", 1}, {"delivered", 2}, {"return_to_sender", 3}};
  History history;
  history.apply(karrio_answer(told));
  history.apply(karrio_answer(told));
  EXPECT_EQ(history.status(), "delivered");
  EXPECT_EQ(history.size(), told.size());
}

TEST(CarrierScans, OfAHoldBeforeTheFirstMovementMoveNothing) {
  History history;
  history.apply(karrio_answer({{"pending", 1}, {"on_hold", 2}}));
  EXPECT_EQ(history.status(), "created");
  history.apply(karrio_answer({{"pending", 1}, {"on_hold", 2}, {"picked_up", 3}, {"on_hold", 4}}));
  EXPECT_EQ(history.status(), "exception");
}

TEST(CarrierScans, CancelOnlyAnUnmovedShipmentOrAVoidedLabel) {
  const auto status = [](const std::vector<Told>& told, std::string label) {
    History history(std::move(label));
    history.apply(karrio_answer(told));
    return history.status();
  };
  EXPECT_EQ(status({{"cancelled", 1}}, ""), "cancelled");
  EXPECT_EQ(status({{"cancelled", 1}}, "refused"), "cancelled");
  EXPECT_EQ(status({{"cancelled", 1}}, "voided"), "cancelled");
  EXPECT_EQ(status({{"cancelled", 1}}, "bought"), "exception");
  EXPECT_EQ(status({{"in_transit", 1}, {"cancelled", 2}}, ""), "exception");
  EXPECT_EQ(status({{"in_transit", 1}, {"delivery_failed", 2}, {"cancelled", 3}}, "voided"), "cancelled");
}

/// An answer of Karrio; the newest event is the first.
TrackAnswer karrio_events(std::string_view events, Time asked_at) {
  return karrio::read_tracking(
      *karrio::exact_json(R"({"tracking":{"events":[)" + std::string(events) + "]}}"), "1Z", asked_at);
}

TEST(CarrierScans, WithAMisreadZoneHoldNoParcelStill) {
  // 18:00 in Tokyo is 09:00 UTC. It is asked for at 09:30, and taken for 18:00 UTC, which counts as now.
  const std::string local = R"({"date":"2026-07-02","time":"18:00","status":"in_transit"})";
  const std::string exact = R"({"timestamp":"2026-07-02T09:10:00.000Z","status":"delivered"})";
  History history;
  history.apply(karrio_events(local, now), *parse_timestamp("2026-07-02T09:30:00Z"));
  EXPECT_EQ(history.status(), "in_transit");
  history.apply(karrio_events(exact + "," + local, now), *parse_timestamp("2026-07-02T11:30:00Z"));
  EXPECT_EQ(history.status(), "delivered");
}

TEST(CarrierScans, WithoutATimeHoldNoParcelStill) {
  const std::string undated = R"({"date":"soon","code":"A","status":"in_transit"})";
  const std::string newer =
      R"({"timestamp":"2026-07-02T10:00:00.000Z","code":"B","status":"out_for_delivery"})";
  const auto asked_at = *parse_timestamp("2026-07-02T11:00:00Z");
  History history;
  history.apply(karrio_events(undated, asked_at), asked_at);
  EXPECT_EQ(history.status(), "in_transit") << "it is the newest one";
  history.apply(karrio_events(newer + "," + undated, now), now);
  EXPECT_EQ(history.status(), "out_for_delivery");
  EXPECT_EQ(history.size(), 2U);
}

TEST(CarrierScans, SayThatTheirTimeIsNotExact) {
  const auto answer = karrio_events(
      R"({"timestamp":"2026-07-03T10:00:00.000Z","description":"Loaded"},
         {"date":"2026-07-02","time":"10:00","description":"Arrived"},{"date":"2026-07-01"})",
      now);
  const auto traces = traces_of(answer, shipment, std::nullopt, now);
  ASSERT_EQ(traces.size(), 3U);
  EXPECT_EQ(traces[0].description, "(exact time unknown)");
  EXPECT_EQ(traces[1].description, "Arrived (exact time unknown)");
  EXPECT_EQ(traces[2].description, "Loaded");
}

TEST(CarrierScans, InTheFutureCountAsNowAndWithoutAStatusHaveThatOfTheOneBefore) {
  const auto answer = karrio_answer({{"pending", 1}, {"in_transit", 2}, {"unknown", 3}, {"delivered", 999}});
  const auto traces = traces_of(answer, shipment, std::nullopt, now);
  ASSERT_EQ(traces.size(), 4U);
  EXPECT_EQ(traces[0].status, "created");
  EXPECT_FALSE(traces[0].tells_status);
  EXPECT_EQ(traces[2].status, "in_transit");
  EXPECT_FALSE(traces[2].tells_status);
  EXPECT_EQ(traces[3].at, now);
}

}  // namespace
}  // namespace waybill::connectors
