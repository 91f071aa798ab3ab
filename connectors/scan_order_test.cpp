#include "connectors/scan_order.hpp"

#include <string>

#include <gtest/gtest.h>

namespace waybill::connectors {
namespace {

using enum TimeKnown;

const Time first_scan = *parse_timestamp("2026-07-01T00:00:00Z");
const Time last_scan = first_scan + std::chrono::hours(100);

ScanTime at(int hour, TimeKnown known = exact) { return {first_scan + std::chrono::hours(hour), known}; }
constexpr ScanTime undated = {};

/// The scans, oldest first: position, "@" and hour.
std::string order(const std::vector<ScanTime>& list, bool newest_first = true) {
  std::string text;
  for (const PlacedScan& scan : in_order(list, newest_first, last_scan)) {
    text += (text.empty() ? "" : " ") + std::to_string(scan.position) + "@" +
            std::to_string(std::chrono::duration_cast<std::chrono::hours>(scan.at - first_scan).count());
  }
  return text;
}

TEST(ScanOrder, IsThatOfExactTimes) {
  EXPECT_EQ(order({at(3), at(2), at(1)}), "2@1 1@2 0@3");
  EXPECT_EQ(order({at(1), at(2), at(3)}), "0@1 1@2 2@3");
  EXPECT_EQ(order({at(2), at(9), at(1)}), "2@1 0@2 1@9") << "a list without order";
  EXPECT_EQ(order({}), "");
}

TEST(ScanOrder, TheNewestPartOfAListIsAtTheEndThatItsTimesTell) {
  constexpr std::size_t many = 20'000;
  const ListPart first{0, most_scans}, last{many - most_scans, many};
  for (const bool newest_first : {true, false}) {
    EXPECT_EQ(newest_part(many, at(9), at(1), newest_first), first);
    EXPECT_EQ(newest_part(many, at(1, local), at(9, day), newest_first), last);
    EXPECT_EQ(newest_part(many, undated, at(9), newest_first), newest_first ? first : last);
    EXPECT_EQ(newest_part(many, at(1), at(1), newest_first), newest_first ? first : last);
    EXPECT_EQ(newest_part(3, at(1), at(2), newest_first), (ListPart{0, 3}));
  }
}

TEST(ScanOrder, OfEqualTimesIsThatOfTheList) {
  EXPECT_EQ(order({at(2), at(2), at(1)}), "2@1 1@2 0@2");
  EXPECT_EQ(order({at(1), at(2), at(2)}), "0@1 1@2 2@2");
  EXPECT_EQ(order({at(2), at(2)}), "1@2 0@2");
  EXPECT_EQ(order({at(2), at(2)}, false), "0@2 1@2");
}

TEST(ScanOrder, OfAScanWithoutATimeIsThatOfTheList) {
  EXPECT_EQ(order({at(9), undated, at(3), at(1)}), "3@1 2@3 1@3 0@9");
  EXPECT_EQ(order({at(9), at(3), undated}), "2@3 1@3 0@9") << "the oldest one";
  EXPECT_EQ(order({at(1), undated, at(5)}, false), "0@1 1@1 2@5");
}

TEST(ScanOrder, OfTheNewestScanWithoutATimeIsNow) {
  EXPECT_EQ(order({undated, at(3), at(1)}), "2@1 1@3 0@100");
  EXPECT_EQ(order({undated, undated, at(1)}), "2@1 1@1 0@100");
  EXPECT_EQ(order({undated}), "0@100");
  EXPECT_EQ(order({undated, undated}), "1@100 0@100");
}

TEST(ScanOrder, OfATimeThatHasNotComeIsThatOfTheList) {
  EXPECT_EQ(order({at(9), at(900), at(3)}), "2@3 1@3 0@9");
  EXPECT_EQ(order({at(900), at(9)}), "1@9 0@100");
  EXPECT_EQ(order({at(3), at(900), at(9)}, false), "0@3 1@3 2@9");
  EXPECT_EQ(order({at(9), at(101), at(3)}), "2@3 1@3 0@9");
  EXPECT_EQ(order({at(9), at(115, local), at(3)}), "2@3 1@3 0@9") << "no zone is so far ahead";
  EXPECT_EQ(order({at(9), at(116, day), at(3)}), "2@3 1@3 0@9");
}

TEST(ScanOrder, IsNotThatOfAMisreadZone) {
  // UTC-8: the newer scan, at 18:00 UTC, is written as 10:00.
  EXPECT_EQ(order({at(10, local), at(17)}), "1@17 0@17");
  EXPECT_EQ(order({at(20), at(10, local), at(17)}), "2@17 1@17 0@20");
  // UTC+9: the older scan, at 09:00 UTC, is written as 18:00.
  EXPECT_EQ(order({at(11), at(18, local), at(8)}), "2@8 1@11 0@11");
  EXPECT_EQ(order({at(12), at(11, local), at(8)}), "2@8 1@11 0@12") << "a time that fits stays";
  EXPECT_EQ(order({at(10, local), at(9, local)}), "1@9 0@10");
}

TEST(ScanOrder, OfADayIsWithinIt) {
  EXPECT_EQ(order({at(24, day), at(34, local), at(30, local)}), "2@30 1@34 0@34");
  EXPECT_EQ(order({at(48, day), at(34)}), "1@34 0@48");
}

TEST(ScanOrder, OfATimeThatNoZoneExplainsIsThatOfTheTime) {
  EXPECT_EQ(order({at(1, local), at(30)}), "0@1 1@30");
  EXPECT_EQ(order({at(30), at(60, local)}), "0@30 1@60");
  EXPECT_EQ(order({at(9), at(5, local), at(20), at(1)}), "3@1 1@5 0@9 2@20") << "a list without order";
}

}  // namespace
}  // namespace waybill::connectors
