#include "worker/planning/run_plan.hpp"

#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace waybill::worker {
namespace {

using storage::RunStatus;

TEST(Loop, OnlyChangesOfRecordsEndAtDepth8) {
  const actions::Action& change = *actions::find_action("update_status");
  EXPECT_FALSE(is_loop(change, 7));
  EXPECT_TRUE(is_loop(change, 8));
  EXPECT_TRUE(is_loop(change, 9));
  for (const char* other : {"webhook", "send_email", "send_push"}) {
    EXPECT_FALSE(is_loop(*actions::find_action(other), 100)) << other;
  }
  const storage::RunState state = loop_state({}, Time());
  EXPECT_EQ(state.status, RunStatus::dead);
  EXPECT_EQ(state.code, "LOOP");
  EXPECT_EQ(state.attempts, 0);
}

TEST(PlaceInQueue, IsSharedBeyondTheFirstDestinationsOfABusiness) {
  Workflow workflow{.business_id = Guid::random(), .destinations = std::make_shared<DestinationNames>(0)};
  EXPECT_TRUE(place_in_queue(workflow, "a:443/" + workflow.business_id.to_string()).starts_with("more/"));
}

TEST(PlaceInQueue, OfAChangeOfARecordIsNeverSharedAndHasNoRate) {
  Workflow workflow{.business_id = Guid::random(), .destinations = std::make_shared<DestinationNames>(0)};
  workflow.pacing.rate = domain::RequestRate{.per_second = 1};
  const std::string place = "changes/" + workflow.business_id.to_string();
  const actions::Action& change = *actions::find_action("update_record");
  EXPECT_EQ(place_in_queue(workflow, change.destination({}, workflow.business_id)), place);
}

}  // namespace
}  // namespace waybill::worker
