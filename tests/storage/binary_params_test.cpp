#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "storage/session/session.hpp"
#include "storage/statement/binary.hpp"
#include "tests/harness/postgres.hpp"

namespace waybill::tests {
namespace {

using storage::binary_array;
using storage::Params;

TEST(BinaryParams, ArraysArriveUnchanged) {
  const TestDatabase database(TestDatabase::Content::empty);
  storage::Session session(database.url(), "test");
  const storage::Statement statement{
      "test.arrays", "select $1::uuid[]::text, $2::text, $3::bigint[]::text, $4::smallint[]::text"};
  const auto values = [&](std::vector<Guid> guids, std::vector<std::int64_t> wide,
                          std::vector<std::int16_t> narrow) {
    const auto rows = session.run(
        statement,
        Params().add(binary_array(guids)).add("text").add(binary_array(wide)).add(binary_array(narrow)));
    std::vector<std::string> row;
    for (int column = 0; column < 4; ++column) row.emplace_back(rows.get(0, column));
    return row;
  };
  const Guid guid = Guid::parse("01234567-89ab-4def-8123-456789abcdef").value();
  EXPECT_EQ(
      values({guid, {}}, {-9'000'000'000, 0, INT64_MAX}, {-3, 256}),
      (std::vector<std::string>{"{01234567-89ab-4def-8123-456789abcdef,00000000-0000-0000-0000-000000000000}",
                                "text", "{-9000000000,0,9223372036854775807}", "{-3,256}"}));
  EXPECT_EQ(values({}, {}, {}), (std::vector<std::string>{"{}", "text", "{}", "{}"}));
}

TEST(BinaryParams, TextsArriveUnchanged) {
  const TestDatabase database(TestDatabase::Content::empty);
  storage::Session session(database.url(), "test");
  const storage::Statement statement{"test.texts",
                                     "select to_json($1::text[])::text, to_json($2::text[])::text"};
  const std::vector<std::string> plain{"", "NULL", "a\"b\\c,{d}\n", "日本語 \U0001F69A"};
  const std::vector<std::optional<std::string>> nullable{std::nullopt, "x", std::nullopt};
  const auto rows = session.run(statement, Params().add(binary_array(plain)).add(binary_array(nullable)));
  EXPECT_EQ(rows.get(0, 0), R"(["","NULL","a\"b\\c,{d}\n","日本語 🚚"])");
  EXPECT_EQ(rows.get(0, 1), R"([null,"x",null])");
  const auto none = session.run(statement, Params()
                                               .add(binary_array(std::vector<std::string>()))
                                               .add(binary_array(std::vector<std::optional<std::string>>())));
  EXPECT_EQ(none.get(0, 0), "[]");
  EXPECT_EQ(none.get(0, 1), "[]");
}

TEST(BinaryParams, RefuseANulByteInATextOfAnArray) {
  const std::vector<std::string> texts{std::string("a\0b", 3)};
  EXPECT_THROW(binary_array(texts), std::invalid_argument);
}

}  // namespace
}  // namespace waybill::tests
