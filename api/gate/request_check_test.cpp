#include "api/gate/request_check.hpp"

#include <string>

#include <gtest/gtest.h>

#include "base/exact_number.hpp"

namespace waybill::api {
namespace {

constexpr Property record_properties[] = {{.name = "name", .kind = Kind::string},
                                          {.name = "price", .kind = Kind::number},
                                          {.name = "metadata", .kind = Kind::any}};
constexpr Schema record_body{"Record", record_properties};
constexpr Property list_properties[] = {{.name = "orders", .kind = Kind::any, .has_records = true},
                                        {.name = "note", .kind = Kind::string},
                                        {.name = "value", .kind = Kind::any}};
constexpr Schema list_body{"List", list_properties};

struct Read {
  bool is_readable;
  Call call;
  FieldErrors errors;
};

Read read(const Schema& schema, std::string_view text) {
  const Endpoint endpoint{.method = Method::post,
                          .path = "/",
                          .permission = Permission::everyone,
                          .handler = nullptr,
                          .summary = {},
                          .tag = {},
                          .body = &schema,
                          .body_kind = BodyKind::object};
  Read result;
  result.is_readable = read_json(endpoint, text, result.call, result.errors);
  return result;
}

TEST(ReadJson, AValueThatCannotBeReadIsAnErrorOfItsFieldAndNull) {
  const auto result = read(record_body, R"({"name": "\u0000", "price": 1e400, "metadata": {"a": "\u0000"}})");
  EXPECT_FALSE(result.is_readable);
  EXPECT_EQ(result.errors, (FieldErrors{{"name", "must not contain a NUL character"},
                                        {"price", "is out of range"},
                                        {"metadata.a", "must not contain a NUL character"}}));
  EXPECT_EQ(to_json(result.call.body), R"({"name":null,"price":null,"metadata":{"a":null}})");
  EXPECT_EQ(read(record_body, R"({"price": 1e-400})").errors, (FieldErrors{{"price", "is out of range"}}));
}

TEST(ReadJson, NumbersOfOwnDataKeepTheirDigitsWhateverElseIsWrong) {
  const std::string metadata = R"({"id":12345678901234567890123,"huge":1e400})";
  const auto result =
      read(record_body, R"({"price": 12345678901234567890123, "metadata": )" + metadata + "}");
  EXPECT_TRUE(result.is_readable) << "the check of own data refuses the number";
  EXPECT_EQ(to_json(result.call.body.at("metadata")), metadata);
  EXPECT_EQ(result.call.body.at("price"), 12345678901234567890123.0);
}

TEST(ReadJson, ValuesInAListOfRecordsAreLeftToItsHandler) {
  auto result = read(list_body, R"({"orders": [{"name": "\u0000", "price": 1e400, "metadata": {"id": 1e400}}],
                                    "note": "\u0000", "value": {"n": 0.12345678901234567891}})");
  EXPECT_EQ(result.errors, (FieldErrors{{"note", "must not contain a NUL character"}}));
  EXPECT_FALSE(exact_number(result.call.body.at("value").at("n")));
  ASSERT_TRUE(result.call.has_bad_value);
  FieldErrors errors;
  auto& record = result.call.body.at("orders").at(0).get_object();
  refuse_unreadable(record, errors, 1);
  EXPECT_EQ(errors, (FieldErrors{{"name", "must not contain a NUL character"}})) << "one at most";
  EXPECT_EQ(to_json(record), R"({"name":null,"price":null,"metadata":{"id":1e400}})");
  EXPECT_FALSE(read(list_body, R"({"orders": [{"name": "a"}]})").call.has_bad_value);
  EXPECT_EQ(read(list_body, R"({"orders": "\u0000"})").errors,
            (FieldErrors{{"orders", "must not contain a NUL character"}}));
}

}  // namespace
}  // namespace waybill::api
