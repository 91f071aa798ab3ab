#include <cstdint>
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

}  // namespace
}  // namespace waybill::tests
