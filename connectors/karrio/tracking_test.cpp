#include "connectors/karrio/tracking.hpp"

#include <initializer_list>

#include <gtest/gtest.h>

#include "connectors/karrio/exact_json.hpp"
#include "connectors/scan_order.hpp"

namespace waybill::connectors::karrio {
namespace {

const Time now = *parse_timestamp("2026-07-10T12:00:00Z");

TrackAnswer track(std::string_view body) { return read_tracking(*exact_json(body), "1Z", now); }

// The scans of events with these statuses, oldest first.
std::vector<std::string> course(std::initializer_list<std::string_view> statuses) {
  std::string events;
  int hour = 0;
  for (const auto status : statuses) {
    const auto event = R"({"date":"2026-07-01","time":"0)" + std::to_string(++hour) + R"(:00","status":")" +
                       std::string(status) + "\"}";
    events = events.empty() ? event : event + "," + events;
  }
  std::vector<std::string> read;
  for (const auto& scan : track(R"({"tracking":{"events":[)" + events + "]}}").scans)
    read.push_back(scan.status);
  return read;
}

using Statuses = std::vector<std::string>;

TEST(KarrioTracking, GivesOurStatuses) {
  EXPECT_EQ(
      course({"pending", "created", "unknown", "picked_up", "in_transit", "ready_for_pickup",
              "delivery_delayed", "out_for_delivery", "delivered"}),
      (Statuses{"", "", "", "collected", "in_transit", "in_transit", "", "out_for_delivery", "delivered"}));
  EXPECT_EQ(course({"in_transit", "delivery_failed", "something"}),
            (Statuses{"in_transit", "exception", ""}));
}

TEST(KarrioTracking, NeverTakesAParcelThatComesBackForDelivered) {
  EXPECT_EQ(course({"out_for_delivery", "return_to_sender", "in_transit", "delivered"}),
            (Statuses{"out_for_delivery", "exception", "in_transit", "returned"}));
  const auto told = track(R"({"tracking":{"events":[{"date":"2026-07-03","status":"delivered"},
      {"date":"2026-07-02","status":"delivery_failed","code":"return_to_sender"}]}})");
  EXPECT_EQ(told.scans.at(1).status, "returned");
  const auto only_mentioned = track(R"({"tracking":{"events":[{"date":"2026-07-03","status":"delivered"},
      {"date":"2026-07-02","status":"on_hold","description":"Held, will be returned to sender on Friday"}]}})");
  EXPECT_EQ(only_mentioned.scans.at(1).status, "delivered");
}

TEST(KarrioTracking, ReadsTheNewestThousandScansInEitherOrder) {
  constexpr int many = 20'000;
  for (const bool newest_first : {true, false}) {
    std::string events;
    for (int i = 0; i < many; ++i) {
      const Time time = now - std::chrono::minutes(newest_first ? i : many - 1 - i);
      events += (i == 0 ? "" : ",") + std::string(R"({"timestamp":")") + format_timestamp(time) +
                R"(","status":"in_transit"})";
    }
    const auto read = track(R"({"tracking":{"events":[)" + events + "]}}");
    ASSERT_EQ(read.scans.size(), most_scans);
    EXPECT_EQ(read.scans.front().at, now - std::chrono::minutes(most_scans - 1));
    EXPECT_EQ(read.scans.back().at, now);
  }
}

TEST(KarrioTracking, HoldsByMovement) {
  EXPECT_EQ(course({"on_hold", "picked_up", "on_hold"}), (Statuses{"", "collected", "exception"}));
  EXPECT_EQ(course({"created", "cancelled"}), (Statuses{"", "cancelled"}));
  EXPECT_EQ(course({"in_transit", "cancelled"}), (Statuses{"in_transit", "cancelled"}))
      << "the shipment decides";
}

TEST(KarrioTracking, GivesTheParcelsStatusToTheNewestEventIfNoneHasOne) {
  const auto read = track(R"({"tracking":{"status":"delivered","events":[
      {"date":"2026-07-03","time":"10:00","code":"D","status":null},{"date":"2026-07-02","code":"A"}]}})");
  ASSERT_EQ(read.scans.size(), 2);
  EXPECT_EQ(read.scans[0].status, "");
  EXPECT_EQ(read.scans[1].status, "delivered");
}

TEST(KarrioTracking, IsOldestFirstInEitherOrder) {
  for (const auto* const body :
       {R"({"tracking":{"events":[{"code":"B","date":"2026-07-02"},{"code":"A","date":"2026-07-01"}]}})",
        R"({"tracking":{"events":[{"code":"A","date":"2026-07-01"},{"code":"B","date":"2026-07-02"}]}})"}) {
    const auto read = track(body);
    EXPECT_EQ(read.scans.at(0).code, "A");
    EXPECT_EQ(read.scans.at(1).code, "B");
  }
}

TEST(KarrioTracking, MarksTimesWithoutZone) {
  const auto read = track(R"({"tracking":{"estimated_delivery":"2026-07-12","events":[
      {"date":"2026-07-03","time":"10:00 AM","timestamp":"2026-07-03T08:00:00.000Z","code":"C"},
      {"date":"2026-07-02","time":"09:30 PM","code":"B"},
      {"date":"2026-07-01","time":"soon","code":"A"}]}})");
  ASSERT_EQ(read.scans.size(), 3);
  EXPECT_EQ(format_timestamp(read.scans[0].at), "2026-07-01T00:00:00.000Z");
  EXPECT_FALSE(read.scans[0].has_zone);
  EXPECT_EQ(format_timestamp(read.scans[1].at), "2026-07-02T21:30:00.000Z");
  EXPECT_FALSE(read.scans[1].has_zone);
  EXPECT_EQ(format_timestamp(read.scans[2].at), "2026-07-03T08:00:00.000Z");
  EXPECT_TRUE(read.scans[2].has_zone);
  EXPECT_EQ(read.estimated_delivery, parse_timestamp("2026-07-12T00:00:00Z"));
}

TEST(KarrioTracking, TakesTheEndOfADayForTheBeginningOfTheNextOne) {
  const auto time = [](const std::string& members) {
    const auto scan = track(R"({"tracking":{"events":[{"code":"A",)" + members + "}]}}").scans.at(0);
    return format_timestamp(scan.at) + (scan.has_zone ? "" : " local");
  };
  EXPECT_EQ(time(R"("date":"2026-06-30","time":"24:00")"), "2026-07-01T00:00:00.000Z local");
  EXPECT_EQ(time(R"("date":"2026-06-30","time":"24:00:00")"), "2026-07-01T00:00:00.000Z local");
  EXPECT_EQ(time(R"("date":"2026-06-30","time":"24:00:00.000")"), "2026-07-01T00:00:00.000Z local");
  EXPECT_EQ(time(R"("timestamp":"2026-06-30T24:00:00+02:00")"), "2026-06-30T22:00:00.000Z");
  for (const std::string odd : {"24:01", "24:00:01", "24:00:00.5", "24:00 PM", "24", "25:00"}) {
    EXPECT_EQ(time(R"("date":"2026-06-30","time":")" + odd + '"'), "2026-06-30T00:00:00.000Z local")
        << odd << ": only the day can be read";
  }
}

TEST(KarrioTracking, NamesAnEventByItsFactsWithoutItsStatus) {
  const auto id = [](std::string_view event) {
    return track(R"({"tracking":{"events":[)" + std::string(event) + "]}}").scans.at(0).external_id;
  };
  const auto* const event =
      R"({"date":"2026-07-01","time":"10:00","code":"A","location":"Kiel","description":"x","status":"in_transit"})";
  EXPECT_EQ(id(event), id(event));
  EXPECT_EQ(id(event).size(), 32);
  EXPECT_EQ(id(event),
            id(R"({"date":"2026-07-01","time":"10:00","timestamp":"2026-07-01T08:00:00.000Z","code":"A",
      "location":"Kiel","description":"x","status":"picked_up"})"));
  for (const auto* const other :
       {R"({"date":"2026-07-01","time":"10:01","code":"A","location":"Kiel","description":"x"})",
        R"({"date":"2026-07-01","time":"10:00","code":"B","location":"Kiel","description":"x"})",
        R"({"date":"2026-07-01","time":"10:00","code":"A","location":"Lund","description":"x"})",
        R"({"date":"2026-07-01","time":"10:00","code":"A","location":"Kiel","description":"y"})"})
    EXPECT_NE(id(event), id(other)) << other;
}

TEST(KarrioTracking, KeepsAnEventWithoutTime) {
  const auto read = track(R"({"tracking":{"events":[{"code":"A","status":"in_transit"}]}})");
  ASSERT_EQ(read.scans.size(), 1);
  EXPECT_EQ(read.scans[0].at, now);
  EXPECT_FALSE(read.scans[0].has_zone);
}

TEST(KarrioTracking, MovesByAnEventWithoutTimeInItsPlace) {
  const auto read = track(R"({"tracking":{"events":[
      {"date":"2026-07-03","time":"10:00","status":"delivered","code":"C"},
      {"date":"soon","time":"?","status":"out_for_delivery","code":"B"},
      {"date":"2026-07-02","time":"10:00","status":"in_transit","code":"A"}]}})");
  ASSERT_EQ(read.scans.size(), 3);
  EXPECT_EQ(read.scans[1].code, "B") << "in its place";
  EXPECT_EQ(read.scans[1].status, "out_for_delivery");
  EXPECT_EQ(read.scans[1].at, read.scans[0].at);
  EXPECT_EQ(read.scans[2].status, "delivered");
}

TEST(KarrioTracking, TakesAReturnWithoutTimeForOneBeforeTheArrival) {
  const auto read = track(R"({"tracking":{"events":[{"date":"2026-07-03","status":"delivered"},
      {"date":"?","status":"return_to_sender"},{"date":"2026-07-01","status":"out_for_delivery"}]}})");
  EXPECT_EQ(read.scans.at(2).status, "returned");
}

TEST(KarrioTracking, PutsATimeWithoutZoneInTheOrderOfTheList) {
  const auto read = track(R"({"tracking":{"events":[
      {"date":"2026-07-03","time":"10:00","status":"delivered"},
      {"timestamp":"2026-07-03T17:00:00.000Z","status":"out_for_delivery"}]}})");
  EXPECT_EQ(read.scans.at(1).status, "delivered");
  EXPECT_EQ(format_timestamp(read.scans.at(1).at), "2026-07-03T17:00:00.000Z");
}

TEST(KarrioTracking, IsEmptyForOddJson) {
  for (const auto* const body : {"{}", "[]", "7", R"({"tracking":null})", R"({"tracking":{"events":{}}})",
                                 R"({"tracking":{"events":[1,null,"x",[]]}})"})
    EXPECT_TRUE(track(body).scans.empty()) << body;
  EXPECT_EQ(
      track(R"({"tracking":{"events":[{"date":{},"time":1e999,"code":[],"status":7,"location":null}]}})")
          .scans.size(),
      1);
}

}  // namespace
}  // namespace waybill::connectors::karrio
