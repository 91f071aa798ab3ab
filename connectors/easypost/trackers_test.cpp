#include "connectors/easypost/trackers.hpp"

#include <gtest/gtest.h>

#include "connectors/scan_order.hpp"

namespace waybill::connectors::easypost {
namespace {

const Time now = *parse_timestamp("2026-07-10T00:00:00Z");

json::object tracker(std::string_view details) {
  return json::parse(
             R"({"tracking_code":"9400","est_delivery_date":"2026-07-05T00:00:00Z","tracking_details":)" +
             std::string(details) + "}")
      .as_object();
}

json::object scan(std::string_view status, std::string_view detail, int hour) {
  const std::string time =
      std::string("2026-07-01T") + (hour < 10 ? "0" : "") + std::to_string(hour) + ":00:00Z";
  return {{"status", status}, {"status_detail", detail}, {"datetime", time}, {"message", "scan"}};
}

std::vector<std::string> statuses(json::array details) {
  const json::object given{{"tracking_code", "1"}, {"tracking_details", std::move(details)}};
  std::vector<std::string> found;
  for (const auto& read : scans_in(given, now).scans) found.push_back(read.status);
  return found;
}

using Statuses = std::vector<std::string>;

TEST(EasyPostScans, StatusesHaveOurWords) {
  EXPECT_EQ(
      statuses({scan("pre_transit", "label_created", 1), scan("in_transit", "received_at_origin_facility", 2),
                scan("in_transit", "arrived_at_facility", 3), scan("available_for_pickup", "", 4),
                scan("out_for_delivery", "", 5), scan("failure", "", 6), scan("error", "", 7),
                scan("unknown", "", 8), scan("new word", "", 9), scan("delivered", "", 10)}),
      (Statuses{"", "collected", "in_transit", "in_transit", "out_for_delivery", "exception", "exception", "",
                "", "delivered"}));
}

TEST(EasyPostScans, AreTheNewestThousand) {
  json::array details;
  for (std::size_t i = 0; i < most_scans + 1; ++i) {
    const Time time = now - std::chrono::minutes(most_scans - i);
    details.push_back({{"status", "in_transit"}, {"datetime", format_timestamp(time)}, {"message", "scan"}});
  }
  const json::object given{{"tracking_code", "1"}, {"tracking_details", std::move(details)}};
  const auto scans = scans_in(given, now).scans;
  ASSERT_EQ(scans.size(), most_scans);
  EXPECT_EQ(scans.front().at, now - std::chrono::minutes(most_scans - 1));
  EXPECT_EQ(scans.back().at, now);
}

TEST(EasyPostScans, DeliveredAfterAReturnIsReturned) {
  EXPECT_EQ(statuses({scan("in_transit", "", 1), scan("return_to_sender", "return", 2),
                      scan("in_transit", "received_at_origin_facility", 3), scan("delivered", "", 4)}),
            (Statuses{"in_transit", "exception", "in_transit", "returned"}));
}

TEST(EasyPostScans, CancelledStaysForTheShipmentToDecide) {
  EXPECT_EQ(statuses({scan("pre_transit", "", 1), scan("cancelled", "", 2)}), (Statuses{"", "cancelled"}));
  EXPECT_EQ(statuses({scan("in_transit", "", 1), scan("cancelled", "", 2)}),
            (Statuses{"in_transit", "cancelled"}));
}

TEST(EasyPostScans, AreOldestFirst) {
  EXPECT_EQ(statuses({scan("delivered", "", 4), scan("return_to_sender", "", 2), scan("in_transit", "", 1)}),
            (Statuses{"in_transit", "exception", "returned"}));
}

TEST(EasyPostScans, FactsAreRead) {
  const auto answer = scans_in(tracker(R"([{"status":"in_transit","datetime":"2026-07-01T10:00:00Z",
      "message":"Arrived  at facility","carrier_code":"A1","tracking_location":{"city":"Boston","state":"MA",
      "country":"US","zip":"02110"}}])"),
                               now);
  ASSERT_EQ(answer.scans.size(), 1U);
  EXPECT_EQ(answer.scans[0].location, "Boston, MA, US");
  EXPECT_EQ(answer.scans[0].description, "Arrived at facility");
  EXPECT_EQ(answer.scans[0].code, "A1");
  EXPECT_EQ(answer.scans[0].at, *parse_timestamp("2026-07-01T10:00:00Z"));
  EXPECT_TRUE(answer.scans[0].has_zone);
  EXPECT_EQ(answer.estimated_delivery, parse_timestamp("2026-07-05T00:00:00Z"));
}

TEST(EasyPostScans, TheIdDependsOnFactsButNotOnTheStatus) {
  const auto id = [](std::string_view details) {
    return scans_in(tracker(details), now).scans.at(0).external_id;
  };
  const auto first = id(R"([{"status":"in_transit","datetime":"2026-07-01T10:00:00Z","message":"m"}])");
  EXPECT_EQ(
      first,
      id(R"([{"status":"failure","status_detail":"x","datetime":"2026-07-01T10:00:00Z","message":"m"}])"));
  EXPECT_NE(first, id(R"([{"status":"in_transit","datetime":"2026-07-01T10:00:01Z","message":"m"}])"));
  EXPECT_NE(first, id(R"([{"status":"in_transit","datetime":"2026-07-01T10:00:00Z","message":"n"}])"));
}

TEST(EasyPostScans, ATimeInTheFutureIsNow) {
  const auto answer = scans_in(tracker(R"([{"status":"delivered","datetime":"2030-01-01T00:00:00Z"}])"), now);
  EXPECT_EQ(answer.scans.at(0).at, now);
}

TEST(EasyPostScans, ATimeWithoutZoneIsUtcAndMarked) {
  const auto answer = scans_in(tracker(R"([{"status":"delivered","datetime":"2026-07-01T10:00:00"}])"), now);
  EXPECT_EQ(answer.scans.at(0).at, *parse_timestamp("2026-07-01T10:00:00Z"));
  EXPECT_FALSE(answer.scans.at(0).has_zone);
}

TEST(EasyPostScans, AScanWithoutAReadableTimeIsKeptWithThatOfTheAnswer) {
  for (const auto* const time : {"null", "\"yesterday\"", "12"}) {
    const auto details = R"([{"status":"in_transit","datetime":"2026-07-01T10:00:00Z","message":"m"},
        {"status":"delivered","message":"Left at the door","datetime":)" +
                         std::string(time) + "}]";
    const auto scans = scans_in(tracker(details), now).scans;
    ASSERT_EQ(scans.size(), 2U) << time;
    EXPECT_EQ(scans[1].status, "delivered");
    EXPECT_EQ(scans[1].description, "Left at the door");
    EXPECT_EQ(scans[1].at, now);
    EXPECT_FALSE(scans[1].has_zone);
    const auto later = scans_in(tracker(details), now + std::chrono::hours(2)).scans;
    EXPECT_EQ(later.at(1).external_id, scans[1].external_id) << "it is the same scan in each answer";
  }
}

TEST(EasyPostScans, AScanWithoutATimeMovesTheParcelInItsPlace) {
  json::object undated = scan("in_transit", "", 2);
  undated.erase("datetime");
  EXPECT_EQ(statuses({undated, scan("out_for_delivery", "", 3)}),
            (Statuses{"in_transit", "out_for_delivery"}));
  json::object returning = scan("return_to_sender", "", 2);
  returning.erase("datetime");
  EXPECT_EQ(statuses({scan("in_transit", "", 1), returning}), (Statuses{"in_transit", "exception"}));
}

TEST(EasyPostScans, AReturnWithoutATimeIsBeforeTheArrivalAtTheSender) {
  json::object returning = scan("return_to_sender", "return", 2);
  returning.erase("datetime");
  EXPECT_EQ(statuses({scan("out_for_delivery", "", 1), returning, scan("delivered", "", 3)}),
            (Statuses{"out_for_delivery", "exception", "returned"}));
}

TEST(EasyPostScans, ATimeWithoutZoneIsInTheOrderOfTheList) {
  const auto answer = scans_in(tracker(R"([{"status":"in_transit","datetime":"2026-07-01T17:00:00Z"},
      {"status":"delivered","datetime":"2026-07-01T10:00:00"}])"),
                               now);
  EXPECT_EQ(answer.scans.at(1).status, "delivered");
  EXPECT_EQ(answer.scans.at(1).at, *parse_timestamp("2026-07-01T17:00:00Z"));
  EXPECT_FALSE(answer.scans.at(1).has_zone);
}

TEST(EasyPostScans, OddEntriesDoNotSpoilTheOthers) {
  const auto answer = scans_in(tracker(R"([null,7,{},{"datetime":12},{"datetime":"yesterday","status":{}},
      {"status":{},"datetime":"2026-07-01T10:00:00Z","message":[1],"tracking_location":"Boston"}])"),
                               now);
  ASSERT_EQ(answer.scans.size(), 1U);
  EXPECT_EQ(answer.scans[0].status, "");
  EXPECT_TRUE(scans_in(json::object{{"tracking_details", "none"}}, now).scans.empty());
}

TEST(EasyPostTracker, OfABoughtLabelIsPreferred) {
  Answer list;
  list.status = 200;
  list.body = json::parse(
      R"({"trackers":[{"id":"a","tracking_code":"1"},{"id":"b","tracking_code":"2","shipment_id":"s"},
      {"id":"c","tracking_code":"1","shipment_id":"s"}]})");
  EXPECT_EQ(tracker_of(list, "1")->at("id"), "c");
  EXPECT_EQ(tracker_of(list, "3"), nullptr);
}

}  // namespace
}  // namespace waybill::connectors::easypost
