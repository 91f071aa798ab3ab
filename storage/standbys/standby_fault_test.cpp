#include "storage/standbys/standby_fault.hpp"

#include <gtest/gtest.h>

namespace waybill::storage {
namespace {

std::optional<Observable> fault_of(const std::string& sqlstate) {
  return standby_fault(StatementError("refused", sqlstate, ""));
}

TEST(StandbyFaults, AConflictWithRecoveryKeepsReadsAway) {
  EXPECT_EQ(fault_of("40001"), Observable::standby_conflict);
  EXPECT_EQ(fault_of("40P01"), Observable::standby_conflict);
  EXPECT_TRUE(keeps_reads_away(Observable::standby_conflict));
}

TEST(StandbyFaults, AFaultOfTheStatementAloneLeavesTheStandbyInUse) {
  for (const auto* const sqlstate : {"0A000", "22P02", "42703", "42P01", "55P03"})
    EXPECT_EQ(fault_of(sqlstate), Observable::standby_refused) << sqlstate;
  EXPECT_FALSE(keeps_reads_away(Observable::standby_refused));
  EXPECT_FALSE(keeps_reads_away(Observable::standby_behind));
}

TEST(StandbyFaults, AFaultOfTheServerKeepsReadsAway) {
  for (const auto* const sqlstate : {"53200", "58030", "XX001"})
    EXPECT_EQ(fault_of(sqlstate), Observable::standby_failed) << sqlstate;
  EXPECT_TRUE(keeps_reads_away(Observable::standby_failed));
}

TEST(StandbyFaults, AStatementBeyondItsTimeLimitIsNotRepeated) { EXPECT_EQ(fault_of("57014"), std::nullopt); }

}  // namespace
}  // namespace waybill::storage
