#include "storage/events/record_columns.hpp"

#include <random>

#include <gtest/gtest.h>

#include "base/crypto.hpp"
#include "tests/harness/postgres.hpp"

namespace waybill::tests {
namespace {

using storage::RecordColumns;
using storage::RecordValue;
using storage::StoredEvent;

std::string bytes_of(std::string_view hex_digits) {
  const auto bytes = unhex(hex_digits).value();
  return {bytes.begin(), bytes.end()};
}

class RecordValueTest : public testing::Test {
 protected:
  /// The value read from `row` and the value that PostgreSQL prints for it.
  void expect_read(const std::string& row, const std::vector<std::optional<std::string>>& expected) {
    RecordValue record;
    const std::string bytes = bytes_of(session_.value("select encode(record_send(row(" + row + ")), 'hex')"));
    ASSERT_TRUE(record.parse(bytes)) << row;
    ASSERT_EQ(record.fields().size(), expected.size()) << row;
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(record.fields()[i], expected[i]) << row;
  }

  TestDatabase database_{TestDatabase::Content::empty};
  Session session_{database_.url()};
};

TEST_F(RecordValueTest, IsReadAsTheServerPrintsIt) {
  for (const std::string value :
       {"'plain'::text", "''::text", "'Zürich, \"x\"'::varchar", "7::smallint", "(-8)::int",
        "9000000000::bigint", "'00000000-0000-4000-8000-00000000000f'::uuid", "'{\"a\": [1, \"x\"]}'::jsonb",
        "'{\"a\":[1] }'::json"}) {
    expect_read(value, {session_.value("select (" + value + ")::text")});
  }
  expect_read("true, false", {"t", "f"});
}

TEST_F(RecordValueTest, ANumericIsReadWithEveryDigit) {
  for (const std::string value : {"0", "0.0", "0.000", "1", "-1", "10000", "9999.9999", "0.0001", "0.00001",
                                  "-0.10", "12345678901234567890.123", "100000000", "1.50", "1e-20", "1e30",
                                  "99999999999999999999999999.99999999"}) {
    expect_read("'" + value + "'::numeric", {session_.value("select '" + value + "'::numeric::text")});
  }
  expect_read("'NaN'::numeric, 'Infinity'::numeric, '-Infinity'::numeric", {"NaN", "Infinity", "-Infinity"});
  std::mt19937 random(7);  // NOLINT(cert-msc51-cpp): the same values every time
  for (int i = 0; i < 300; ++i) {
    std::string value = random() % 2 == 0 ? "-" : "";
    for (auto digits = 1 + random() % 20; digits > 0; --digits)
      value += static_cast<char>('0' + random() % 10);
    if (random() % 3 != 0) value += '.';
    for (auto digits = random() % 12; digits > 0 && value.find('.') != std::string::npos; --digits)
      value += static_cast<char>('0' + random() % 10);
    expect_read("'" + value + "'::numeric", {session_.value("select '" + value + "'::numeric::text")});
  }
}

TEST_F(RecordValueTest, ATimeIsReadToTheMicrosecond) {
  for (const std::string value :
       {"1999-12-31 23:59:59.999999", "2000-01-01 00:00:00.000000", "2026-11-20 05:45:12.345000",
        "0001-01-01 00:00:00.000000", "9999-12-31 23:59:59.999999"}) {
    expect_read("'" + value + "+00'::timestamptz", {value + "+00"});
  }
}

TEST_F(RecordValueTest, ATimeThatNoAnswerCanShowIsRefusedWithItsField) {
  for (const std::string value :
       {"infinity", "-infinity", "10000-01-01 00:00:00+00", "0001-12-31 00:00:00+00 BC"}) {
    expect_read("'" + value + "'::timestamptz", {"infinity"});
    EXPECT_FALSE(parse_sql_timestamp("infinity"));
  }
}

TEST_F(RecordValueTest, NullsAndTypesThatNoFieldHasReadAsNull) {
  expect_read("null::text, 'a'::text, '10.0.0.1'::inet, 1.5::float8, null::jsonb, 'b'::text",
              {std::nullopt, "a", std::nullopt, std::nullopt, std::nullopt, "b"});
}

class RecordColumnsTest : public testing::Test {
 protected:
  StoredEvent customer_event() {
    const auto row = database_.rows(
        "select encode(record_send(c), 'hex') from (select (jsonb_populate_record(null::customers, "
        "jsonb_build_object("
        "'guid', '00000000-0000-4000-8000-000000000001', 'name', 'Ann \"A\" (B)', 'email', "
        "'ann@example.com'))).*) c");
    StoredEvent event{};
    event.entity_type = domain::EntityType::customer;
    event.after = bytes_of(row.at(0).at(0).value());
    return event;
  }

  TestDatabase database_;
};

TEST_F(RecordColumnsTest, TurnStoredRowsIntoAChange) {
  storage::Session session(database_.url(), "test");
  RecordColumns columns(session);
  const auto change = columns.change(customer_event(), {});
  EXPECT_TRUE(change.created);
  EXPECT_EQ(change.entity.at("name"), "Ann \"A\" (B)");
  EXPECT_EQ(change.entity.at("email"), "ann@example.com");
}

TEST_F(RecordColumnsTest, DroppedColumnsDoNotShiftTheOthers) {
  database_.exec(
      "alter table customers add first_try int; alter table customers drop first_try;"
      "alter table customers add second_try int");
  storage::Session session(database_.url(), "test");
  EXPECT_EQ(RecordColumns(session).change(customer_event(), {}).entity.at("email"), "ann@example.com");
}

TEST_F(RecordColumnsTest, DetectAChangedTable) {
  storage::Session session(database_.url(), "test");
  RecordColumns columns(session);
  database_.exec("alter table customers add note text");
  EXPECT_THROW(columns.change(customer_event(), {}), storage::ColumnsChanged);
  EXPECT_EQ(RecordColumns(session).change(customer_event(), {}).entity.at("email"), "ann@example.com");
}

}  // namespace
}  // namespace waybill::tests
