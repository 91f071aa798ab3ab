#include "storage/events/record_value.hpp"

#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace waybill::storage {
namespace {

// The result of record_send for row('one'::text, null::text, 'two'::text).
std::string value() {
  using namespace std::string_view_literals;
  constexpr std::string_view text_type = "\0\0\0\x19"sv;
  return std::string("\0\0\0\x03"sv) + std::string(text_type) + std::string("\0\0\0\x03one"sv) +
         std::string(text_type) + std::string("\xff\xff\xff\xff"sv) + std::string(text_type) +
         std::string("\0\0\0\x03two"sv);
}

TEST(RecordValue, ReadsEachColumn) {
  RecordValue record;
  const std::string bytes = value();
  ASSERT_TRUE(record.parse(bytes));
  ASSERT_EQ(record.fields().size(), 3U);
  EXPECT_EQ(record.fields()[0], "one");
  EXPECT_EQ(record.fields()[1], std::nullopt);
  EXPECT_EQ(record.fields()[2], "two");
}

TEST(RecordValue, RefusesTruncatedAndOverlongValues) {
  RecordValue record;
  const std::string bytes = value();
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(record.parse(std::string_view(bytes).substr(0, size))) << size;
  EXPECT_FALSE(record.parse(bytes + '\0'));
}

TEST(RecordValue, KeepsTheViewsOfManyPrintedFieldsValid) {
  using namespace std::string_view_literals;
  std::string bytes("\0\0\x03\xe8"sv);
  for (std::uint8_t i = 0; i < 250; ++i) {
    for (std::uint8_t j = 0; j < 4; ++j) {
      bytes += "\0\0\x0b\x86\0\0\0\x10"sv;  // a uuid of 16 bytes
      bytes += std::string(14, '\0') + static_cast<char>(i) + static_cast<char>(j);
    }
  }
  RecordValue record;
  ASSERT_TRUE(record.parse(value()));
  ASSERT_TRUE(record.parse(bytes));
  ASSERT_EQ(record.fields().size(), 1000U);
  EXPECT_EQ(record.fields()[7], "00000000-0000-0000-0000-000000000103");
  EXPECT_EQ(record.fields()[999], "00000000-0000-0000-0000-00000000f903");
}

// The result of record_send for row(a uuid that ends with `last`, 'text'::text, null::uuid).
std::string uuid_value(char last, std::string_view text) {
  using namespace std::string_view_literals;
  return std::string("\0\0\0\x03\0\0\x0b\x86\0\0\0\x10"sv) + std::string(15, '\0') + last +
         std::string("\0\0\0\x19\0\0\0\x03"sv) + std::string(text) +
         std::string("\0\0\x0b\x86\xff\xff\xff\xff"sv);
}

TEST(RecordValue, ColumnsAreReadTheSameBesideALikeRecord) {
  const std::string before = uuid_value('\x01', "one"), after = uuid_value('\x02', "two");
  RecordValue like;
  ASSERT_TRUE(like.parse(before));
  for (const std::string& bytes : {std::string(before), after}) {
    RecordValue alone, beside;
    ASSERT_TRUE(alone.parse(bytes));
    ASSERT_TRUE(beside.parse(bytes, &like));
    EXPECT_EQ(std::vector(beside.fields().begin(), beside.fields().end()),
              std::vector(alone.fields().begin(), alone.fields().end()));
  }
  RecordValue record;
  ASSERT_TRUE(record.parse(after, &like));
  EXPECT_EQ(record.fields()[0], "00000000-0000-0000-0000-000000000002");
  EXPECT_EQ(record.fields()[1], "two");
  EXPECT_EQ(record.fields()[2], std::nullopt);
}

TEST(RecordValue, ALikeRecordWithOtherColumnsIsOfNoUseAndDoesNoHarm) {
  RecordValue like, record;
  ASSERT_TRUE(like.parse(value()));
  const std::string bytes = uuid_value('\x01', "one");
  ASSERT_TRUE(record.parse(bytes, &like));
  EXPECT_EQ(record.fields()[0], "00000000-0000-0000-0000-000000000001");
  EXPECT_EQ(record.fields()[1], "one");
  RecordValue none;
  ASSERT_TRUE(record.parse(bytes, &none));
  EXPECT_EQ(record.fields()[0], "00000000-0000-0000-0000-000000000001");
}

TEST(ColumnMap, MapsColumnsToTheirFields) {
  const auto& type = domain::record_type(domain::EntityType::order);
  std::vector<std::string> columns{"business_id"};
  for (auto field = type.fields.rbegin(); field != type.fields.rend(); ++field) {
    if (field->column() != nullptr) columns.emplace_back(field->column_name());
  }
  std::vector<std::optional<std::string_view>> values(columns.begin(), columns.end());
  domain::Row row;
  ColumnMap(type, columns).fill(values, row);
  ASSERT_EQ(row.size(), type.fields.size());
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (type.fields[i].column() == nullptr) {
      EXPECT_EQ(row[i], std::nullopt) << type.fields[i].path;
    } else {
      EXPECT_EQ(row[i], type.fields[i].column_name());
    }
  }
}

TEST(ColumnMap, RefusesATableWithoutAFieldsColumn) {
  const std::vector<std::string> columns{"guid"};
  EXPECT_THROW(ColumnMap(domain::record_type(domain::EntityType::order), columns), std::invalid_argument);
}

}  // namespace
}  // namespace waybill::storage
