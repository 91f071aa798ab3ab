#include "worker/delivery/unrecorded_records.hpp"

#include <gtest/gtest.h>

namespace waybill::worker {
namespace {

const RecordName record(Guid::from_name(namespace_url, "business"), Guid::from_name(namespace_url, "record"));
const RecordName other_record(Guid::from_name(namespace_url, "other business"),
                              Guid::from_name(namespace_url, "other record"));

TEST(UnrecordedRecords, ARecordIsKnownUntilTheRecordedOnesAreForgotten) {
  UnrecordedRecords records;
  auto first = records.hold(record), second = records.hold(record);
  first.reset();
  records.forget_recorded();
  EXPECT_TRUE(records.contains(record)) << "the second event is not recorded";
  second.reset();
  EXPECT_TRUE(records.contains(record)) << "a read before may not have seen it";
  records.forget_recorded();
  EXPECT_FALSE(records.contains(record));
}

TEST(UnrecordedRecords, AnEventThatComesBeforeTheRecordIsForgottenKeepsIt) {
  UnrecordedRecords records;
  records.hold(record).reset();
  const auto later = records.hold(record);
  records.forget_recorded();
  EXPECT_TRUE(records.contains(record));
}

TEST(UnrecordedRecords, OnlyTheBusinessOfARecordHasOne) {
  UnrecordedRecords records;
  const auto held = records.hold(record);
  EXPECT_TRUE(records.contains_any_of(record.first));
  EXPECT_FALSE(records.contains_any_of(other_record.first));
  EXPECT_FALSE(records.contains(other_record));
}

TEST(UnrecordedRecords, AHoldMayOutliveTheObject) {
  std::shared_ptr<const void> held;
  {
    UnrecordedRecords records;
    held = records.hold(record);
  }
  held.reset();
}

}  // namespace
}  // namespace waybill::worker
