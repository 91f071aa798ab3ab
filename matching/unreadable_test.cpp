#include "matching/unreadable.hpp"

#include <cstddef>
#include <functional>
#include <new>
#include <string>

#include <gtest/gtest.h>

namespace waybill::matching {
namespace {

std::string code_of(const std::function<void()>& work) {
  const auto problem = unless_unreadable(work);
  return problem ? problem->code : "";
}

TEST(UnlessUnreadable, TellsLargeRecordsFromThoseWithOtherValues) {
  EXPECT_EQ(code_of([] {}), "");
  EXPECT_EQ(code_of([] { throw storage::RecordTooLarge("order"); }), "PAYLOAD_TOO_LARGE");
  EXPECT_EQ(code_of([] { throw std::invalid_argument("not a time"); }), "UNREADABLE");
  EXPECT_EQ(code_of([] { throw boost::system::system_error(make_error_code(json::error::syntax)); }),
            "UNREADABLE");
}

TEST(UnlessUnreadable, EndsWorkThatRunsOutOfMemory) {
  EXPECT_EQ(code_of([] { throw std::bad_alloc(); }), "PAYLOAD_TOO_LARGE");
}

TEST(UnlessUnreadable, LeavesFailuresThatALaterTryMayNotHave) {
  const auto throws = [] { unless_unreadable([] { throw storage::ColumnsChanged("a migration ran"); }); };
  EXPECT_THROW(throws(), storage::ColumnsChanged);
}

}  // namespace
}  // namespace waybill::matching
