// The tables of columns in domain/records/ agree with the migrated schema.
#include <map>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/records/list.hpp"
#include "base/json.hpp"
#include "domain/records/record_type.hpp"
#include "tests/harness/postgres.hpp"

namespace waybill::tests {
namespace {

using domain::Column;
using domain::Field;
using domain::FieldType;
using domain::Personal;
using domain::RecordType;
using testing::HasSubstr;

/// An internal column of JSON that cannot hold personal data.
constexpr std::string_view guids_and_numbers = "order_pieces";

class RecordTables : public testing::Test {
 protected:
  /// The types of a table's columns by name.
  std::map<std::string, std::string> columns_of(const RecordType& type) {
    std::map<std::string, std::string> columns;
    const auto rows = database.rows(
        "select attname, case atttypid when 'timestamptz'::regtype then 'timestamptz' else "
        "atttypid::regtype::text end "
        "from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped",
        {std::string(type.table)});
    for (const auto& row : rows) columns.emplace(row.at(0).value(), row.at(1).value());
    return columns;
  }

  /// A record before and after its erasure, by column. `named` is in the columns that an erasure looks into,
  /// `word` is a word of the person.
  std::pair<json::object, json::object> erased(const RecordType& type, const std::string& named,
                                               const std::string& word) {
    json::object record;
    for (const Field& field : type.fields) {
      if (const Column* const column = field.column()) record[column->name] = value_of(field, named);
    }
    const std::string call = type.table == "customers" ? "erased(r)" : "erased(r, array['" + word + "'])";
    const auto row =
        database.rows("select to_jsonb(r), to_jsonb(" + call +
                          ") from jsonb_populate_record(null::" + std::string(type.table) + ", $1::jsonb) r",
                      {json::serialize(record)});
    return {json::parse(row.at(0).at(0).value()).as_object(),
            json::parse(row.at(0).at(1).value()).as_object()};
  }

  static json::value value_of(const Field& field, const std::string& named) {
    const std::string text = (field.column()->personal == Personal::if_named ? named : "Bob") + " 123";
    switch (field.type) {
      case FieldType::string:
        return json::value(text);
      case FieldType::array:
        return json::array{json::value(text)};
      case FieldType::object:
        return json::object{{"key", text}};
      case FieldType::uuid:
        return "00000000-0000-4000-8000-000000000001";
      case FieldType::timestamp:
        return "2026-11-20T05:45:12Z";
      default:
        return 1;
    }
  }

  TestDatabase database;
};

TEST_F(RecordTables, EachColumnHasARowOrIsInternal) {
  for (const RecordType& type : domain::record_types()) {
    auto columns = columns_of(type);
    for (const Field& field : type.fields) {
      const Column* const column = field.column();
      if (column == nullptr) continue;
      const auto found = columns.find(std::string(column->name));
      ASSERT_NE(found, columns.end()) << type.table << " has no column " << column->name;
      EXPECT_EQ(found->second, column->sql_type) << type.table << "." << column->name;
      columns.erase(found);
    }
    for (const auto name : type.internal_columns) {
      const auto found = columns.find(std::string(name));
      ASSERT_NE(found, columns.end()) << type.table << " has no column " << name;
      const bool is_free = std::set<std::string>({"text", "json", "jsonb"}).contains(found->second);
      EXPECT_TRUE(!is_free || name == guids_and_numbers)
          << type.table << "." << name << " can hold personal data, so it needs a row";
      columns.erase(found);
    }
    for (const auto& [name, sql_type] : columns)
      ADD_FAILURE() << type.table << "." << name << " has no row in domain/records/records.cpp";
  }
}

TEST_F(RecordTables, TheColumnOfGuidsAndNumbersHoldsNothingElse) {
  const std::string guid = "01a22dbc-2112-79f1-911c-30e009374f36";
  database.exec(
      "insert into businesses (guid, name) values ('00000000-0000-4000-8000-000000000001', 'one'); "
      "insert into shipments (business_id, tracking_number, recipient_name) "
      "select guid, 'WB1', 'Ann' from businesses");
  const auto write = [&](const std::string& value) {
    database.rows("update shipments set order_pieces = $1::jsonb", {value});
  };
  write(R"({")" + guid + R"(": 3})");
  for (const std::string& value : {R"({")" + guid + R"(": "Ann"})", R"({")" + guid + R"(": null})",
                                   std::string(R"({"Ann": 1})"), std::string(R"(["Ann"])")})
    EXPECT_THROW(write(value), std::exception) << value;
}

TEST_F(RecordTables, AnErasureClearsThePersonalColumnsAndNoOthers) {
  for (const RecordType& type : domain::record_types()) {
    if (type.type == domain::EntityType::product) continue;  // no product is a person's
    const auto [before, after] = erased(type, "Ann", "ann");
    const auto [other_before, other_after] = erased(type, "Cid", "dora");
    for (const Field& field : type.fields) {
      const Column* const column = field.column();
      if (column == nullptr) continue;
      const bool is_erased = before.at(column->name) != after.at(column->name);
      const bool is_always_erased = other_before.at(column->name) != other_after.at(column->name);
      EXPECT_EQ(is_erased, column->personal != Personal::no) << type.table << "." << column->name;
      EXPECT_EQ(is_always_erased, column->personal == Personal::yes) << type.table << "." << column->name;
    }
  }
}

TEST_F(RecordTables, ProductsHoldNoPersonalData) {
  for (const Field& field : domain::record_type(domain::EntityType::product).fields) {
    if (field.column() != nullptr) EXPECT_EQ(field.column()->personal, Personal::no) << field.path;
  }
}

TEST_F(RecordTables, BoundedRecordsMeasureEachText) {
  for (const RecordType& type : domain::record_types()) {
    const auto source = database.value(
        "select prosrc from pg_proc where oid = ('bounded_record(' || $1 || ')')::regprocedure",
        {std::string(type.table)});
    for (const Field& field : type.fields) {
      if (field.column() == nullptr || field.type != FieldType::string) continue;
      EXPECT_THAT(source, HasSubstr("octet_length(r." + std::string(field.column()->name) + ")"))
          << type.table;
    }
  }
}

TEST_F(RecordTables, EachSearchedColumnIsInItsText) {
  for (const RecordType& type : domain::record_types()) {
    for (const Field& field : type.fields) {
      const Column* const column = field.column();
      if (column == nullptr || column->search_text.empty()) continue;
      const std::string table(type.table);
      const std::string json = json::serialize(json::object{{column->name, "Ann 123"}});
      EXPECT_THAT(database.value("select r." + std::string(column->search_text) +
                                     " from jsonb_populate_record(null::" + table + ", $1::jsonb) r",
                                 {json}),
                  HasSubstr("ann 123"))
          << table << "." << column->name;
    }
  }
}

TEST_F(RecordTables, ListsKnowTheIndexesOfTextsByTheirNames) {
  for (const RecordType& type : domain::record_types()) {
    std::size_t found = 0;
    for (const auto& row : database.rows(
             "select indexname, indexdef like '%gin_trgm_ops%' from pg_indexes where tablename = $1",
             {std::string(type.table)})) {
      const std::string name = row.at(0).value();
      const bool has_texts = row.at(1).value() == "t";
      EXPECT_EQ(api::names_index_of_texts("  ->  Bitmap Index Scan on " + name), has_texts) << name;
      if (has_texts) ++found;
    }
    std::set<std::string_view> texts;
    for (const Field& field : type.fields)
      if (const Column* const column = field.column(); column != nullptr && !column->search_text.empty())
        texts.insert(column->search_text);
    EXPECT_GE(found, texts.size()) << type.table << " lacks an index of a text that is searched";
  }
}

}  // namespace
}  // namespace waybill::tests
