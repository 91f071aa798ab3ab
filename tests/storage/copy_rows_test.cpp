#include "storage/session/copy_rows.hpp"

#include <gtest/gtest.h>

#include "storage/session/session.hpp"
#include "storage/statement/errors.hpp"
#include "tests/harness/postgres.hpp"

namespace waybill::tests {
namespace {

using storage::CopyRows;

class CopyRowsTest : public testing::Test {
 protected:
  void copy(CopyRows& rows) {
    session_.copy("copied (number, name, id, small, whole, at, yes)", rows.take());
  }

  TestDatabase database_{TestDatabase::Content::empty};
  Session sql_{database_.url()};
  storage::Session session_ = [this] {
    sql_.exec(
        "create table copied (number bigint, name text, id uuid, small smallint, whole integer, at "
        "timestamptz, "
        "yes boolean)");
    return storage::Session(database_.url(), "test");
  }();
};

TEST_F(CopyRowsTest, ValuesOfEveryTypeArriveUnchanged) {
  CopyRows rows(7);
  EXPECT_TRUE(rows.empty());
  rows.begin_row()
      .bigint(-9'000'000'000)
      .text("tab\tline\nback\\slash \\N \xc3\xbc")
      .guid(Guid::parse("01234567-89ab-4def-8123-456789abcdef").value())
      .smallint(-3)
      .integer(2'000'000'000)
      .timestamp(parse_sql_timestamp("2026-11-20 05:45:12.345678+00").value())
      .boolean(true);
  rows.begin_row().null().text("").null().null().null().timestamp(
      parse_sql_timestamp("1999-12-31 23:59:59.999999+00").value());
  rows.boolean(false);
  EXPECT_FALSE(rows.empty());
  copy(rows);
  const auto found = sql_.rows(
      "select number::text, name, id::text, small::text, whole::text, (at at time zone 'UTC')::text, "
      "yes::text "
      "from copied order by number");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0], (Session::Row{"-9000000000", "tab\tline\nback\\slash \\N \xc3\xbc",
                                    "01234567-89ab-4def-8123-456789abcdef", "-3", "2000000000",
                                    "2026-11-20 05:45:12.345678", "true"}));
  EXPECT_EQ(found[1], (Session::Row{std::nullopt, "", std::nullopt, std::nullopt, std::nullopt,
                                    "1999-12-31 23:59:59.999999", "false"}));
}

TEST_F(CopyRowsTest, RowsAfterThoseThatWereTakenBeginAnew) {
  CopyRows rows(7);
  for (const char* const name : {"first", "second"}) {
    rows.begin_row().null().text(name).null().null().null().null().null();
    EXPECT_FALSE(rows.empty());
    copy(rows);
    EXPECT_TRUE(rows.empty());
  }
  EXPECT_EQ(sql_.number("select count(*) from copied where name in ('first', 'second')"), 2);
  EXPECT_EQ(sql_.number("select count(*) from copied"), 2);
}

TEST_F(CopyRowsTest, RowsKeepNothingOfEarlierOnesOfTheThread) {
  {
    CopyRows earlier(7);
    earlier.begin_row().null().text(std::string(10'000, 'x')).null().null().null().null().null();
  }
  CopyRows rows(7);
  EXPECT_TRUE(rows.empty());
  rows.begin_row().null().text("own").null().null().null().null().null();
  copy(rows);
  EXPECT_EQ(sql_.number("select count(*) from copied where name = 'own'"), 1);
  EXPECT_EQ(sql_.number("select count(*) from copied"), 1);
}

TEST_F(CopyRowsTest, InvalidTextIsRefusedAndNothingIsWritten) {
  for (const std::string& text : {std::string("\0", 1), std::string("\xff")}) {
    CopyRows rows(7);
    rows.begin_row().bigint(1).text("good").null().null().null().null().null();
    rows.begin_row().bigint(2).text(text).null().null().null().null().null();
    try {
      copy(rows);
      ADD_FAILURE() << "it was taken";
    } catch (const storage::StatementError& error) {
      EXPECT_TRUE(storage::refuses_data(error)) << error.what();
    }
    EXPECT_EQ(sql_.number("select count(*) from copied"), 0);
  }
}

// The value's bytes are never read, so the test needs no memory for them.
TEST_F(CopyRowsTest, AValueTooLargeForAnyColumnIsRefusedAsData) {
  constexpr std::size_t longest = 0x3fffffff;
  const char* const nothing = "";
  CopyRows rows(1);
  rows.begin_row();
  try {
    rows.text({nothing, longest + 1});
    FAIL() << "taken";
  } catch (const storage::StatementError& error) {
    EXPECT_TRUE(storage::refuses_data(error));
  }
}

TEST_F(CopyRowsTest, RowsSentInSeveralPortionsArriveComplete) {
  constexpr std::size_t bytes = 3'500'000;
  CopyRows rows(7);
  rows.begin_row().bigint(1).text(std::string(bytes, 'x')).null().null().null().null().null();
  rows.begin_row().bigint(2).text("end").null().null().null().null().null();
  copy(rows);
  EXPECT_EQ(sql_.number("select sum(length(name)) from copied"), static_cast<std::int64_t>(bytes) + 3);
}

}  // namespace
}  // namespace waybill::tests
