#include "storage/carriers/list_course.hpp"

#include <chrono>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace waybill::storage {
namespace {

const Time midnight = *parse_timestamp("2026-07-01T00:00:00Z");

Time hour(int of) { return midnight + std::chrono::hours(of); }

ParcelScan told(std::string id, std::string status, int at, bool tells_status = true) {
  return {.shipment = std::nullopt,
          .number = std::nullopt,
          .status = std::move(status),
          .description = {},
          .location = std::nullopt,
          .at = hour(at),
          .external_id = std::move(id),
          .tells_status = tells_status,
          .is_gateways = true};
}

KnownScan known(std::string id, std::string status, int at, bool is_move = true) {
  return {.external_id = std::move(id),
          .status = std::move(status),
          .at = hour(at),
          .is_move = is_move,
          .tells_status = true,
          .read_at = hour(at)};
}

ListPlan plan(const ListState& state, const std::vector<ParcelScan>& list) {
  return plan_list(state, list, hour(20));
}

/// The steps, as "store a b", "move c" or "renew d".
std::string steps(const ListPlan& plan) {
  std::string text;
  for (const ListStep& step : plan.steps) {
    text += text.empty() ? "" : ", ";
    text += step.kind == ListStep::Kind::store  ? "store"
            : step.kind == ListStep::Kind::move ? "move"
                                                : "renew";
    for (const std::size_t scan : step.scans) text += " " + plan.scans[scan].external_id;
  }
  return text;
}

TEST(ListCourse, OfScansOfWhichNoneIsKnownIsThatOfTheList) {
  const ListState state{.status = "created", .label_status = {}};
  const auto planned =
      plan(state, {told("a", "collected", 1), told("b", "collected", 2), told("c", "in_transit", 3)});
  EXPECT_EQ(steps(planned), "move a, store b, move c");
  EXPECT_EQ(planned.status, "in_transit");
}

TEST(ListCourse, ChangesNothingIfTheListTellsNothingNew) {
  const ListState state{.status = "exception",
                        .label_status = {},
                        .known = {known("a", "in_transit", 1), known("b", "exception", 2)}};
  const auto planned = plan(state, {told("a", "in_transit", 1), told("b", "exception", 2)});
  EXPECT_EQ(steps(planned), "");
  EXPECT_FALSE(planned.is_course);
}

TEST(ListCourse, HasAnIdThatIsToldTwiceOnce) {
  const ListState state{.status = "created", .label_status = {}};
  EXPECT_EQ(steps(plan(state, {told("a", "collected", 1), told("a", "in_transit", 2)})), "move a");
}

TEST(ListCourse, RepairsAStatusThatAMissedMoveLeft) {
  const ListState state{.status = "in_transit",
                        .label_status = {},
                        .known = {known("a", "in_transit", 9), known("b", "delivered", 3, false)}};
  const auto planned = plan(state, {told("a", "in_transit", 2), told("b", "delivered", 3)});
  EXPECT_EQ(steps(planned), "renew b");
  EXPECT_EQ(planned.status, "delivered");
  EXPECT_EQ(planned.delivered_at, hour(3));
}

TEST(ListCourse, HasTheScansOfFurtherNumbers) {
  ListState state{.status = "in_transit",
                  .label_status = {},
                  .known = {known("a", "in_transit", 1), known("b", "in_transit", 6, false)}};
  EXPECT_EQ(steps(plan(state, {told("c", "exception", 5)})), "store c");
  state.known[1].tells_status = false;
  EXPECT_EQ(steps(plan(state, {told("c", "exception", 5)})), "move c") << "b says nothing of the status";
}

TEST(ListCourse, BeginsAfterAMoveOfSomebodyElse) {
  ListState state{.status = "exception",
                  .label_status = {},
                  .base_status = "exception",
                  .base_at = hour(5),
                  .known = {known("a", "in_transit", 7)}};
  state.known[0].is_closed = true;
  EXPECT_EQ(steps(plan(state, {told("a", "in_transit", 7)})), "") << "it was told before";
  EXPECT_EQ(steps(plan(state, {told("b", "in_transit", 4), told("a", "in_transit", 7)})), "store b");
  EXPECT_EQ(steps(plan(state, {told("a", "in_transit", 7), told("b", "delivered", 8)})), "move b");
}

TEST(ListCourse, KeepsATimeOfDeliveryThatSomebodyHasSet) {
  const ListState state{.status = "delivered",
                        .label_status = {},
                        .known = {known("a", "delivered", 3)},
                        .changed_at = hour(3),
                        .delivered_at = hour(2)};
  const auto planned = plan(state, {told("b", "in_transit", 1), told("a", "delivered", 3)});
  EXPECT_EQ(steps(planned), "store b");
  EXPECT_EQ(planned.delivered_at, hour(2));
  EXPECT_EQ(planned.changed_at, hour(3));
}

}  // namespace
}  // namespace waybill::storage
