// The number of the step of a run (step_number in storage/migrations/0104_numbers_of_steps.sql).
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "tests/harness/postgres.hpp"

namespace waybill::tests {
namespace {

TEST(StepNumber, IsTheMemberOfTheStepsHoweverTheyAreWritten) {
  TestDatabase database;
  Session session = database.connect();
  const std::optional<std::string> texts[] = {
      std::nullopt,
      R"({})",
      R"({"number":1,"type":"webhook","results":[]})",
      R"({"number":50,"type":"webhook","results":[{"number":49}]})",
      R"({"number": 7, "type": "webhook"})",
      R"({"type":"webhook","number":8})",
      R"({"number":9})",
      R"({"number":null,"type":"webhook"})",
      R"({"number":-1,"type":"webhook"})",
      R"({"number":1234567890,"type":"webhook"})",
      R"({"numbers":3,"type":"webhook"})",
      R"({"number":4,"name":")" + std::string(100'000, 'x') + "\"}",
  };
  for (const auto& text : texts) {
    EXPECT_EQ(session.value("select step_number($1)", {text}),
              session.value("select coalesce(($1::json ->> 'number')::integer, 0)", {text}))
        << text.value_or("null").substr(0, 80);
  }
}

}  // namespace
}  // namespace waybill::tests
