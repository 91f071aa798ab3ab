#include "storage/record_columns.hpp"

#include <random>

#include <gtest/gtest.h>

#include "tests/harness/postgres.hpp"

namespace waybill::tests {
namespace {

using storage::RecordColumns;
using storage::RecordText;
using storage::StoredEvent;

TEST(RecordText, ReadsBackWhateverTheServerPrints) {
  TestDatabase database(TestDatabase::Content::empty);
  constexpr std::string_view alphabet = "ab \"\\(),\t\n'{}";
  std::mt19937 random(7);  // NOLINT(cert-msc51-cpp): the same values every time
  for (int i = 0; i < 200; ++i) {
    std::vector<std::optional<std::string>> values(3);
    for (auto& value : values) {
      if (random() % 6 == 0) continue;
      value.emplace();
      for (auto length = random() % 12; length > 0; --length) *value += alphabet[random() % alphabet.size()];
    }
    const auto text = database.value("select row($1::text, $2::text, $3::text)::text", values);
    RecordText record;
    ASSERT_TRUE(record.parse(text)) << text;
    ASSERT_EQ(record.fields().size(), 3U) << text;
    for (std::size_t field = 0; field < 3; ++field) EXPECT_EQ(record.fields()[field], values[field]) << text;
  }
}

class RecordColumnsTest : public testing::Test {
 protected:
  StoredEvent customer_event() {
    const auto row = database_.rows(
        "select c::text from (select (jsonb_populate_record(null::customers, jsonb_build_object("
        "'guid', '00000000-0000-4000-8000-000000000001', 'name', 'Ann \"A\" (B)', 'email', "
        "'ann@example.com'))).*) c");
    StoredEvent event{};
    event.entity_type = domain::EntityType::customer;
    event.after = row.at(0).at(0);
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

TEST_F(RecordColumnsTest, NoticeThatATableHasChanged) {
  storage::Session session(database_.url(), "test");
  RecordColumns columns(session);
  database_.exec("alter table customers add note text");
  EXPECT_THROW(columns.change(customer_event(), {}), storage::ColumnsChanged);
  EXPECT_EQ(RecordColumns(session).change(customer_event(), {}).entity.at("email"), "ann@example.com");
}

}  // namespace
}  // namespace waybill::tests
