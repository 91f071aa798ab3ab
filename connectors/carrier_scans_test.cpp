#include "connectors/carrier_scans.hpp"

#include <algorithm>
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
#include "domain/records/state_machines.hpp"
#include "storage/carriers/list_course.hpp"

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
    const auto plan = storage::plan_list(state(), traces, at);
    for (const storage::ListStep& step : plan.steps) {
      for (const std::size_t scan : step.scans) add(plan.scans[scan], step.kind);
    }
    for (const storage::ListedScan& scan : plan.scans) {
      if (scan.known && !plan.is_course) continue;
      Trace& trace = *find(scan.external_id);
      trace.status = scan.status;
      trace.at = scan.at;
      trace.is_move = scan.is_move;
      trace.tells_status = scan.tells_status;
      trace.read_at = scan.read_at;
    }
    EXPECT_EQ(status_, plan.status);
    if (plan.is_course && plan.has_known) {
      changed_at_ = plan.changed_at;
      delivered_at_ = plan.delivered_at;
    }
    if (const auto told = return_in(answer, at)) return_since_ = told;
  }

  /// A move that somebody makes.
  void move(const std::string& status, Time at) {
    traces_.push_back({.external_id = {}, .status = status, .at = at, .is_move = true});
    set_status(status, at);
  }

  const std::string& status() const { return status_; }
  std::optional<Time> delivered_at() const { return delivered_at_; }
  std::size_t size() const { return traces_.size(); }
  bool operator==(const History& other) const {
    return status_ == other.status_ && changed_at_ == other.changed_at_ &&
           delivered_at_ == other.delivered_at_ && sorted() == other.sorted();
  }
  friend void PrintTo(const History& history, std::ostream* out) {
    *out << history.status_;
    if (history.changed_at_) *out << " since " << format_timestamp(*history.changed_at_);
    if (history.delivered_at_) *out << ", delivered at " << format_timestamp(*history.delivered_at_);
    for (const auto& [at, id, status, is_move] : history.sorted())
      *out << "\n" << id << " " << format_timestamp(at) << " " << status << " " << is_move;
  }

 private:
  struct Trace {
    std::string external_id;
    std::string status;
    Time at{};
    bool is_move = false;
    std::optional<bool> tells_status = {};
    std::optional<Time> read_at = {};
  };

  std::vector<Trace>::iterator find(const std::string& external_id) {
    return std::ranges::find(traces_, external_id, &Trace::external_id);
  }

  // As ListWriter reads it.
  storage::ListState state() const {
    storage::ListState state{.status = status_, .label_status = label_status_};
    for (const Trace& trace : traces_) {
      if (trace.read_at) {
        state.known.push_back({.external_id = trace.external_id,
                               .status = trace.status,
                               .at = trace.at,
                               .is_move = trace.is_move,
                               .tells_status = trace.tells_status,
                               .read_at = trace.read_at});
      } else {
        state.base_status = trace.status;
        state.base_at = trace.at;
        for (storage::KnownScan& known : state.known) known.is_closed = true;
      }
    }
    state.changed_at = changed_at_;
    state.delivered_at = delivered_at_;
    return state;
  }

  void add(const storage::ListedScan& scan, storage::ListStep::Kind kind) {
    using Kind = storage::ListStep::Kind;
    Trace trace;
    const auto found = find(scan.external_id);
    EXPECT_EQ(found != traces_.end(), kind == Kind::renew) << "one trace of each scan";
    if (kind == Kind::renew) {
      trace = *found;
      traces_.erase(found);
    } else {
      trace.external_id = scan.external_id;
      trace.read_at = scan.read_at;
      trace.tells_status = scan.tells_status;
    }
    trace.status = scan.status;
    trace.at = scan.at;
    trace.is_move = kind != Kind::store;
    traces_.push_back(trace);
    if (kind == Kind::store) return;
    EXPECT_TRUE(domain::shipment_states().allows(status_, scan.status)) << status_ << " to " << scan.status;
    set_status(scan.status, scan.at);
  }

  // As the trigger of the table does.
  void set_status(const std::string& status, Time at) {
    status_ = status;
    changed_at_ = at;
    if (status == "delivered") delivered_at_ = at;
    if (status != "delivered" && status != "returned") delivered_at_.reset();
  }

  std::vector<std::tuple<Time, std::string, std::string, bool>> sorted() const {
    std::vector<std::tuple<Time, std::string, std::string, bool>> traces;
    for (const Trace& trace : traces_)
      traces.emplace_back(trace.at, trace.external_id, trace.status, trace.is_move);
    std::ranges::sort(traces);
    return traces;
  }

  std::string status_ = "created";
  std::string label_status_;
  std::optional<Time> return_since_, changed_at_, delivered_at_;
  std::vector<Trace> traces_;  // in the order in which they were stored
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

TEST(CarrierScans, FromLongBeforeThePurchaseOfTheLabelAreOfAnotherParcel) {
  const Time bought = start + std::chrono::hours(100);
  const auto answers = [](const std::vector<Told>& told) {
    return std::vector{karrio_answer(told), easypost_answer(told)};
  };
  for (TrackAnswer& answer : answers({{"return_to_sender", 2},
                                      {"delivered", 4},
                                      {"in_transit", 77},
                                      {"out_for_delivery", 101},
                                      {"delivered", 102}})) {
    answer.estimated_delivery = bought;
    const TrackAnswer own = of_label(answer, bought);
    EXPECT_EQ(own.estimated_delivery, bought);
    History history;
    history.apply(own);
    EXPECT_EQ(history.size(), 3U) << "a scan of the day before is of this parcel";
    EXPECT_EQ(history.status(), "delivered") << "the return was that of another parcel";
    EXPECT_EQ(history.delivered_at(), start + std::chrono::hours(102));
    History again = history;
    again.apply(own);
    EXPECT_EQ(again, history);
  }
  for (const TrackAnswer& answer :
       answers({{"delivered", 4}, {"return_to_sender", 101}, {"delivered", 102}})) {
    History history;
    history.apply(of_label(answer, bought));
    EXPECT_EQ(history.status(), "returned");
  }
  for (TrackAnswer& answer : answers({{"in_transit", 2}, {"delivered", 4}})) {
    answer.estimated_delivery = start;
    const TrackAnswer own = of_label(answer, bought);
    EXPECT_TRUE(own.scans.empty());
    EXPECT_FALSE(own.estimated_delivery);
  }
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

/// A scan of a list whose times may be wrong: the written time, or none.
struct Written {
  std::string status;
  int hour = 0;  // when it happened
  std::string time;
};

enum class Clock : std::uint8_t { fixed, running };

std::string without_zone(int hour) { return time_of(hour).substr(0, 19); }

std::string written_time(int hour, Clock clock, std::minstd_rand& random) {
  switch (random() % (clock == Clock::fixed ? 6 : 5)) {
    case 0:
      return "2099-01-01T00:00:00.000Z";
    case 1:
      return "soon";
    case 5:
      return without_zone(hour - 8 + static_cast<int>(random() % 18));
    default:
      return time_of(hour);
  }
}

TrackAnswer karrio_list(const std::vector<Written>& list, Time asked_at) {
  json::array events;
  for (auto scan = list.rbegin(); scan != list.rend(); ++scan) {
    const bool has_zone = scan->time.ends_with('Z');
    events.push_back(
        json::object{{has_zone ? "timestamp" : "date", has_zone ? scan->time : scan->time.substr(0, 10)},
                     {"time", has_zone || scan->time == "soon" ? "" : scan->time.substr(11, 5)},
                     {"status", scan->status},
                     {"code", "C" + std::to_string(scan->hour)}});
  }
  const json::object answer{{"tracking", {{"events", std::move(events)}}}};
  return karrio::read_tracking(*karrio::exact_json(to_json(answer)), "1Z", asked_at);
}

TrackAnswer easypost_list(const std::vector<Written>& list, Time asked_at) {
  json::array details;
  for (const Written& scan : list) {
    details.push_back(json::object{
        {"datetime", scan.time}, {"status", scan.status}, {"message", "M" + std::to_string(scan.hour)}});
  }
  const json::object tracker{{"tracking_code", "1Z"}, {"tracking_details", std::move(details)}};
  return easypost::scans_in(tracker, asked_at);
}

/// Lists that grow to the whole one, by scans that are told late or in time.
std::vector<std::vector<Written>> growing_lists(const std::vector<Written>& whole, std::minstd_rand& random) {
  std::vector<std::size_t> turns(whole.size());
  const auto readings = 1 + random() % 5;
  for (std::size_t scan = 0; scan < whole.size(); ++scan)
    turns[scan] = random() % 3 == 0 ? random() % readings : scan * readings / whole.size();
  std::vector<std::vector<Written>> lists;
  for (std::size_t turn = 0; turn < readings; ++turn) {
    auto& list = lists.emplace_back();
    for (std::size_t scan = 0; scan < whole.size(); ++scan)
      if (turns[scan] <= turn) list.push_back(whole[scan]);
  }
  return lists;
}

template <typename ListOf>
void expect_one_reading(const std::vector<std::string>& statuses, ListOf list_of, Clock clock,
                        unsigned seed) {
  std::minstd_rand random(seed);
  std::vector<Written> whole;
  for (const Told& told : random_course(statuses, random))
    whole.push_back({told.status, told.hour, written_time(told.hour, clock, random)});
  History once;
  once.apply(list_of(whole, now), now);
  History in_steps;
  for (const auto& list : growing_lists(whole, random)) {
    const Time read_at =
        clock == Clock::fixed || list.empty() ? now : start + std::chrono::hours(list.back().hour + 1);
    if (clock == Clock::running && list.empty()) continue;
    in_steps.apply(list_of(list, read_at), read_at);
    if (random() % 2 == 0) in_steps.apply(list_of(list, read_at), read_at);
  }
  in_steps.apply(list_of(whole, now), now);
  const History before = in_steps;
  in_steps.apply(list_of(whole, now), now);
  EXPECT_EQ(in_steps, before) << "read again";
  if (in_steps.status() == "cancelled" || once.status() == "cancelled") return;  // it cannot be taken back
  if (in_steps.status() != once.status()) {
    EXPECT_TRUE(in_steps.status() == "delivered" || in_steps.status() == "returned") << in_steps.status();
    EXPECT_FALSE(domain::shipment_states().allows(in_steps.status(), once.status())) << once.status();
  } else if (clock == Clock::fixed) {
    EXPECT_EQ(in_steps, once);
  }
}

TEST(CarrierScans, OfAListThatGrowsByLateScansEndAsThoseOfOneReading) {
  for (const Clock clock : {Clock::fixed, Clock::running}) {
    for (unsigned seed = 1; seed <= 400; ++seed) {
      SCOPED_TRACE(std::to_string(seed) + (clock == Clock::fixed ? " fixed" : " running"));
      expect_one_reading(karrio_statuses, karrio_list, clock, seed);
      expect_one_reading(easypost_statuses, easypost_list, clock, seed);
    }
  }
}

TEST(CarrierScans, WithATimeInTheFutureHoldNoParcelStill) {
  for (const std::string depot : {"2099-01-01T00:00:00.000Z", "2026-07-02T14:00:00.000Z"}) {
    const std::vector<Written> list = {{"pre_transit", 1, "2026-07-02T06:00:00.000Z"},
                                       {"in_transit", 2, depot},
                                       {"out_for_delivery", 3, "2026-07-02T10:00:00.000Z"},
                                       {"delivered", 4, "2026-07-02T11:00:00.000Z"}};
    const auto asked_at = *parse_timestamp("2026-07-02T12:00:00Z");
    History history;
    for (std::size_t count = 1; count <= list.size(); ++count) {
      const std::vector<Written> told(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(count));
      history.apply(easypost_list(told, asked_at), asked_at);
      EXPECT_EQ(history.status(), count == 1 ? "created" : list[count - 1].status) << depot;
    }
    EXPECT_EQ(history.delivered_at(), *parse_timestamp("2026-07-02T11:00:00Z"));
    History once;
    once.apply(easypost_list(list, asked_at), asked_at);
    EXPECT_EQ(history, once);
  }
}

TEST(CarrierScans, OfAnOlderFailureMoveNothingIfANewerOneShowsTheParcelUnderway) {
  const std::vector<Told> told = {
      {"picked_up", 1}, {"in_transit", 2}, {"delivery_failed", 3}, {"in_transit", 4}};
  History history;
  history.apply(karrio_answer({told[0], told[1], told[3]}));
  history.apply(karrio_answer(told));
  EXPECT_EQ(history.status(), "in_transit");
  History once;
  once.apply(karrio_answer(told));
  EXPECT_EQ(history, once);
}

TEST(CarrierScans, OfALateCancellationDoNotCancelAParcelThatHasMoved) {
  const std::vector<Told> told = {{"cancelled", 1}, {"in_transit", 2}, {"delivery_failed", 3}};
  History history;
  history.apply(karrio_answer({told[1], told[2]}));
  history.apply(karrio_answer(told));
  EXPECT_EQ(history.status(), "exception");
  EXPECT_EQ(history.size(), 3U);
}

TEST(CarrierScans, OfADeliveryThatWasAReturnAreOneTrace) {
  const std::vector<Told> told = {{"picked_up", 1}, {"return_to_sender", 2}, {"delivered", 3}};
  History history;
  history.apply(karrio_answer({told[0], told[2]}));
  EXPECT_EQ(history.status(), "delivered");
  history.apply(karrio_answer(told));
  EXPECT_EQ(history.status(), "returned");
  EXPECT_EQ(history.size(), 3U);
  EXPECT_EQ(history.delivered_at(), std::nullopt);
  History unseen;
  unseen.apply(karrio_answer({told[2]}));
  unseen.apply(karrio_events(
      R"({"timestamp":"2026-07-01T03:00:00.000Z","date":"2026-07-01","time":"03:00","status":"delivered",
          "code":"C3"},
         {"timestamp":"2026-07-01T02:00:00.000Z","description":"Return to sender","status":"unknown"})",
      now));
  EXPECT_EQ(unseen.status(), "returned") << "also without a scan of movement";
}

TEST(CarrierScans, ThatAreKnownDoNotUndoAMoveOfAPerson) {
  const std::vector<Told> told = {{"in_transit", 1}, {"out_for_delivery", 4}};
  History history;
  history.apply(karrio_answer(told));
  history.move("exception", start + std::chrono::hours(6));
  history.apply(karrio_answer(told));
  EXPECT_EQ(history.status(), "exception");
  history.apply(karrio_answer({told[0], {"in_transit", 3}, told[1], {"in_transit", 5}}));
  EXPECT_EQ(history.status(), "exception") << "older than the move";
  history.apply(karrio_answer({told[0], {"in_transit", 3}, told[1], {"in_transit", 5}, {"in_transit", 7}}));
  EXPECT_EQ(history.status(), "in_transit");
}

TEST(CarrierScans, WithATimeInTheFutureDoNotUndoALaterMoveOfAPerson) {
  const std::vector<Written> list = {{"in_transit", 1, "2099-01-01T00:00:00.000Z"}};
  History history;
  history.apply(easypost_list(list, start), start);
  history.move("exception", start + std::chrono::hours(1));
  history.apply(easypost_list(list, now), now);
  EXPECT_EQ(history.status(), "exception");
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
