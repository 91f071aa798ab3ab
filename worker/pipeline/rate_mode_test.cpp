#include "worker/pipeline/rate_mode.hpp"

#include <gtest/gtest.h>

namespace waybill::worker {
namespace {

using std::chrono::milliseconds;

constexpr Duration poll = std::chrono::seconds(1);
const Time start{std::chrono::hours(1)};

/// The mode after all writers have the setting to NOTIFY.
RateMode idle_mode() {
  RateMode mode;
  mode.said(true);
  mode.looked(start, 0, 10, 10);
  return mode;
}

TEST(RateMode, NotifyIsAnnouncedBeforeTheWorkerWaits) {
  RateMode mode;
  EXPECT_EQ(mode.to_say(), true);
  EXPECT_LT(mode.patience(poll), poll);
  mode.said(true);
  EXPECT_EQ(mode.to_say(), std::nullopt);
}

TEST(RateMode, TheWorkerPollsUntilAllUninformedWritersAreOver) {
  RateMode mode;
  mode.said(true);
  EXPECT_TRUE(mode.wants_xid());
  mode.looked(start, 0, 7, std::nullopt);
  EXPECT_LT(mode.patience(poll), poll) << "no transaction id was drawn yet";
  mode.looked(start, 0, 7, 10);
  EXPECT_FALSE(mode.wants_xid());
  EXPECT_LT(mode.patience(poll), poll) << "transaction 7 may have read the old setting";
  mode.looked(start, 0, 9, std::nullopt);
  EXPECT_LT(mode.patience(poll), poll);
  mode.looked(start, 0, 10, std::nullopt);
  EXPECT_EQ(mode.patience(poll), poll);
}

TEST(RateMode, UnderLoadNotifyIsOffAndTheWorkerPolls) {
  RateMode mode = idle_mode();
  mode.looked(start + milliseconds(1), 59, 20, std::nullopt);
  EXPECT_EQ(mode.to_say(), std::nullopt);
  mode.looked(start + milliseconds(2), 1, 20, std::nullopt);
  EXPECT_EQ(mode.to_say(), false);
  EXPECT_LE(mode.patience(poll), milliseconds(1));
  mode.said(false);
  EXPECT_EQ(mode.to_say(), std::nullopt);
  EXPECT_LE(mode.patience(poll), milliseconds(1));
}

TEST(RateMode, NotifyIsOnAgainOnlyAfterAQuietWindow) {
  RateMode mode = idle_mode();
  mode.looked(start + milliseconds(1), 400, 20, std::nullopt);
  mode.said(false);
  mode.looked(start + milliseconds(150), 0, 20, std::nullopt);
  EXPECT_EQ(mode.to_say(), std::nullopt) << "the window of the load is not over";
  mode.looked(start + milliseconds(201), 0, 20, std::nullopt);
  EXPECT_EQ(mode.to_say(), std::nullopt) << "the window was busy";
  mode.looked(start + milliseconds(402), 41, 20, std::nullopt);
  EXPECT_EQ(mode.to_say(), std::nullopt) << "between the two limits nothing changes";
  mode.looked(start + milliseconds(603), 20, 20, std::nullopt);
  EXPECT_EQ(mode.to_say(), true);
}

TEST(RateMode, TheSettingIsAnnouncedAgainAfterForget) {
  RateMode mode = idle_mode();
  ASSERT_EQ(mode.patience(poll), poll);
  mode.forget();
  EXPECT_EQ(mode.to_say(), true);
  EXPECT_LT(mode.patience(poll), poll);
}

}  // namespace
}  // namespace waybill::worker
