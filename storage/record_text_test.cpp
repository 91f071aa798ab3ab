#include "storage/record_text.hpp"

#include <stdexcept>

#include <gtest/gtest.h>

namespace waybill::storage {
namespace {

using Fields = std::vector<std::optional<std::string>>;

std::optional<Fields> parsed(std::string_view text) {
  RecordText record;
  if (!record.parse(text)) return std::nullopt;
  Fields fields;
  for (const auto& field : record.fields()) field ? fields.emplace_back(*field) : fields.emplace_back();
  return fields;
}

TEST(RecordText, ReadsWhatPostgresPrints) {
  const std::vector<std::pair<std::string, Fields>> cases{
      {"()", {std::nullopt}},
      {"(,)", {std::nullopt, std::nullopt}},
      {"(1)", {"1"}},
      {"(1,,x)", {"1", std::nullopt, "x"}},
      {R"x((""))x", {""}},
      {R"x((1,"",))x", {"1", "", std::nullopt}},
      {R"x(("a b","c,d","(e)"))x", {"a b", "c,d", "(e)"}},
      {R"x(("say ""hi""","back\\slash"))x", {"say \"hi\"", "back\\slash"}},
      {R"x((""""))x", {"\""}},
      {R"x(("\\"))x", {"\\"}},
      {R"x(("{""a"": [1, ""x\\ny""]}","2026-11-20 05:45:12.345+00"))x",
       {R"({"a": [1, "x\ny"]})", "2026-11-20 05:45:12.345+00"}},
      {"(\"Zürich\",\"line\nfeed\")", {"Zürich", "line\nfeed"}},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(parsed(text), expected) << text;
}

TEST(RecordText, RefusesWhatPostgresNeverPrints) {
  for (const std::string_view text :
       {"", "(", ")", "1", "(1", "1)", R"x((")x", R"x(("a))x", R"x(("a"b))x", R"x((a"b"))x", R"x((a\b))x",
        R"x(("a\))x", "((1))", "(1)2)", R"x((1,"))x", R"x(("""))x"}) {
    EXPECT_EQ(parsed(text), std::nullopt) << text;
  }
}

TEST(RecordText, TheViewsOfManyEscapedFieldsStayValid) {
  std::string text = "(";
  for (int i = 0; i < 500; ++i) text += (i == 0 ? "\"\"\"" : ",\"\"\"") + std::to_string(i) + "\"";
  text += ')';
  RecordText record;
  ASSERT_TRUE(record.parse("(short)"));
  ASSERT_TRUE(record.parse(text));
  ASSERT_EQ(record.fields().size(), 500U);
  for (int i = 0; i < 500; ++i)
    EXPECT_EQ(record.fields()[static_cast<std::size_t>(i)], "\"" + std::to_string(i));
}

TEST(ColumnMap, PutsColumnsWhereTheirFieldsAre) {
  const auto& type = domain::record_type(domain::EntityType::order);
  std::vector<std::string> columns{"business_id"};
  for (auto field = type.fields.rbegin(); field != type.fields.rend(); ++field) {
    if (!field->column.empty()) columns.emplace_back(field->column);
  }
  std::vector<std::optional<std::string_view>> values(columns.begin(), columns.end());
  domain::Row row;
  ColumnMap(type, columns).fill(values, row);
  ASSERT_EQ(row.size(), type.fields.size());
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (type.fields[i].column.empty()) {
      EXPECT_EQ(row[i], std::nullopt) << type.fields[i].path;
    } else {
      EXPECT_EQ(row[i], type.fields[i].column);
    }
  }
}

TEST(ColumnMap, RefusesATableWithoutAFieldsColumn) {
  const std::vector<std::string> columns{"guid"};
  EXPECT_THROW(ColumnMap(domain::record_type(domain::EntityType::order), columns), std::invalid_argument);
}

}  // namespace
}  // namespace waybill::storage
