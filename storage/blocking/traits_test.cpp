#include "storage/blocking/traits.hpp"

#include <chrono>

#include <gtest/gtest.h>

#include "storage/blocking/params.hpp"

namespace waybill::storage::blocking {
namespace {

const Guid guid = *Guid::parse("6ba7b811-9dad-41d1-80b4-00c04fd430c8");
const Time time{std::chrono::sys_days{std::chrono::year(2026) / 11 / 20} + std::chrono::microseconds(345678)};

template <typename T>
T read(const std::string& text) {
  T value{};
  pqxx::from_string(text, value);
  return value;
}

TEST(BlockingTraits, GuidsAndTimesReadWhatTheyWrite) {
  EXPECT_EQ(pqxx::to_string(guid), "6ba7b811-9dad-41d1-80b4-00c04fd430c8");
  EXPECT_EQ(read<Guid>(pqxx::to_string(guid)), guid);
  EXPECT_EQ(read<Time>("2026-11-20 00:00:00.345678+00"), time);
  EXPECT_EQ(read<Time>(pqxx::to_string(time)), time);
}

TEST(BlockingTraits, OtherTextIsAConversionError) {
  EXPECT_THROW(read<Guid>("6ba7b811"), pqxx::conversion_error);
  EXPECT_THROW(read<Guid>(""), pqxx::conversion_error);
  EXPECT_THROW(read<Time>("today"), pqxx::conversion_error);
  EXPECT_THROW(read<Time>("infinity"), pqxx::conversion_error);
}

TEST(BlockingParams, EveryTypeIsText) {
  ArrayLiteral array;
  array.add("a\"b").add_null();
  const Params params = params_of(guid, time, "text", std::string("string"), std::string_view("view"), 7,
                                  std::int64_t{-8}, true, array, std::optional(guid));
  const char* const expected[] = {"6ba7b811-9dad-41d1-80b4-00c04fd430c8",
                                  "2026-11-20 00:00:00.345678+00",
                                  "text",
                                  "string",
                                  "view",
                                  "7",
                                  "-8",
                                  "t",
                                  R"({"a\"b",NULL})",
                                  "6ba7b811-9dad-41d1-80b4-00c04fd430c8"};
  ASSERT_EQ(params.size(), std::size(expected));
  for (std::size_t i = 0; i < params.size(); ++i) EXPECT_STREQ(params.value(i), expected[i]) << i;
  EXPECT_EQ(params.formats(), nullptr);
}

TEST(BlockingParams, EmptyOptionalsAreNull) {
  const Params params = params_of(std::optional<Guid>(), std::optional<Time>(), std::optional<std::string>(),
                                  std::optional<int>());
  ASSERT_EQ(params.size(), 4U);
  for (std::size_t i = 0; i < params.size(); ++i) EXPECT_EQ(params.value(i), nullptr) << i;
}

TEST(BlockingParams, TextWithANulByteIsRefused) {
  EXPECT_THROW(params_of(std::string("a\0b", 3)), std::invalid_argument);
}

}  // namespace
}  // namespace waybill::storage::blocking
