#include "worker/events/rate_mode.hpp"

#include <gtest/gtest.h>

namespace waybill::worker {
namespace {

using std::chrono::milliseconds;

constexpr Duration poll = std::chrono::seconds(1);
const Time first_event{std::chrono::hours(1)};

/// The mode after all writers have the setting to NOTIFY.
RateMode idle_mode() {
  RateMode mode;
  mode.announced(true);
  mode.scanned(first_event, 0, 10, 10);
  return mode;
}

TEST(RateMode, NotifyIsAnnouncedBeforeTheWorkerWaits) {
  RateMode mode;
  EXPECT_EQ(mode.setting_to_announce(), true);
  EXPECT_LT(mode.max_wait(poll), poll);
  mode.announced(true);
  EXPECT_EQ(mode.setting_to_announce(), std::nullopt);
}

TEST(RateMode, TheWorkerPollsUntilAllUninformedWritersAreOver) {
  RateMode mode;
  mode.announced(true);
  EXPECT_TRUE(mode.wants_xid());
  mode.scanned(first_event, 0, 7, std::nullopt);
  EXPECT_LT(mode.max_wait(poll), poll) << "no transaction id was drawn yet";
  mode.scanned(first_event, 0, 7, 10);
  EXPECT_FALSE(mode.wants_xid());
  EXPECT_LT(mode.max_wait(poll), poll) << "transaction 7 may have read the old setting";
  mode.scanned(first_event, 0, 9, std::nullopt);
  EXPECT_LT(mode.max_wait(poll), poll);
  mode.scanned(first_event, 0, 10, std::nullopt);
  EXPECT_EQ(mode.max_wait(poll), poll);
}

TEST(RateMode, TheWorkerPollsLessOftenTheLongerAnUninformedWriterTakes) {
  RateMode mode;
  mode.announced(true);
  const auto wait_after = [&](Duration time) {
    mode.scanned(first_event + time, 0, 7, 10);
    return mode.max_wait(poll);
  };
  EXPECT_EQ(wait_after(Duration::zero()), milliseconds(2));
  EXPECT_EQ(wait_after(milliseconds(400)), milliseconds(2));
  EXPECT_EQ(wait_after(milliseconds(2000)), milliseconds(10));
  EXPECT_EQ(wait_after(std::chrono::hours(1)), poll);
  mode.forget();
  EXPECT_EQ(mode.max_wait(poll), milliseconds(2));
}

TEST(RateMode, UnderLoadNotifyIsOffAndTheWorkerPolls) {
  RateMode mode = idle_mode();
  mode.scanned(first_event + milliseconds(1), 59, 20, std::nullopt);
  EXPECT_EQ(mode.setting_to_announce(), std::nullopt);
  mode.scanned(first_event + milliseconds(2), 1, 20, std::nullopt);
  EXPECT_EQ(mode.setting_to_announce(), false);
  EXPECT_LE(mode.max_wait(poll), milliseconds(1));
  mode.announced(false);
  EXPECT_EQ(mode.setting_to_announce(), std::nullopt);
  EXPECT_LE(mode.max_wait(poll), milliseconds(1));
}

TEST(RateMode, NotifyIsOnAgainOnlyAfterAQuietWindow) {
  RateMode mode = idle_mode();
  mode.scanned(first_event + milliseconds(1), 400, 20, std::nullopt);
  mode.announced(false);
  mode.scanned(first_event + milliseconds(150), 0, 20, std::nullopt);
  EXPECT_EQ(mode.setting_to_announce(), std::nullopt) << "the window of the load is not over";
  mode.scanned(first_event + milliseconds(201), 0, 20, std::nullopt);
  EXPECT_EQ(mode.setting_to_announce(), std::nullopt) << "the window was busy";
  mode.scanned(first_event + milliseconds(402), 41, 20, std::nullopt);
  EXPECT_EQ(mode.setting_to_announce(), std::nullopt) << "between the two limits nothing changes";
  mode.scanned(first_event + milliseconds(603), 20, 20, std::nullopt);
  EXPECT_EQ(mode.setting_to_announce(), true);
}

TEST(RateMode, TheSettingIsAnnouncedAgainAfterForget) {
  RateMode mode = idle_mode();
  ASSERT_EQ(mode.max_wait(poll), poll);
  mode.forget();
  EXPECT_EQ(mode.setting_to_announce(), true);
  EXPECT_LT(mode.max_wait(poll), poll);
}

}  // namespace
}  // namespace waybill::worker
