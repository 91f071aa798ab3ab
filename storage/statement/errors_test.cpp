#include "storage/statement/errors.hpp"

#include <gtest/gtest.h>

namespace waybill::storage {
namespace {

StatementError error_of(const std::string& sqlstate) { return {"refused", sqlstate, ""}; }

TEST(StatementErrors, AFullDiskRefusesNoDataSoThatTheStatementIsRepeatedOnANewSession) {
  const StatementError full = error_of("53100");
  EXPECT_TRUE(is_disk_full(full));
  EXPECT_FALSE(refuses_data(full));
  EXPECT_FALSE(is_lock_conflict(full));
  EXPECT_FALSE(ends_session(full.sqlstate()));
  EXPECT_TRUE(spoils_session(full));
  EXPECT_FALSE(is_disk_full(error_of("53200"))) << "a lack of memory";
}

TEST(StatementErrors, RefusedDataAndLockConflictsAreKnownByTheirCodes) {
  for (const char* const sqlstate : {"22001", "23505", "54000", "P0001"})
    EXPECT_TRUE(refuses_data(error_of(sqlstate))) << sqlstate;
  for (const char* const sqlstate : {"40P01", "55P03"}) {
    EXPECT_TRUE(is_lock_conflict(error_of(sqlstate))) << sqlstate;
    EXPECT_FALSE(spoils_session(error_of(sqlstate))) << sqlstate;
  }
}

}  // namespace
}  // namespace waybill::storage
