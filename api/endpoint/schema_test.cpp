#include "api/endpoint/schema.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace waybill::api {
namespace {

constexpr std::string_view sizes[] = {"small", "large"};
constexpr Property address_properties[] = {
    {.name = "street", .kind = Kind::string, .required = true},
    {.name = "city", .kind = Kind::string, .required = true},
};
constexpr Schema address{"Address", address_properties};
constexpr Property item_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .read_only = true},
    {.name = "description", .kind = Kind::string},
    {.name = "quantity", .kind = Kind::integer, .required = true, .minimum = 0, .maximum = 1000},
    {.name = "price", .kind = Kind::money},
};
constexpr Schema item{"Item", item_properties};
constexpr Property properties[] = {
    {.name = "guid", .kind = Kind::uuid, .read_only = true},
    {.name = "name", .kind = Kind::string, .required = true},
    {.name = "notes", .kind = Kind::text},
    {.name = "email", .kind = Kind::email},
    {.name = "hsCode", .kind = Kind::hs_code},
    {.name = "origin", .kind = Kind::country},
    {.name = "customerId", .kind = Kind::uuid},
    {.name = "weight", .kind = Kind::number, .minimum = 0.5},
    {.name = "discount", .kind = Kind::money, .minimum = -100},
    {.name = "urgent", .kind = Kind::boolean, .nullable = false},
    {.name = "collectionDate", .kind = Kind::timestamp},
    {.name = "birthday", .kind = Kind::date},
    {.name = "from", .kind = Kind::date_or_timestamp},
    {.name = "start", .kind = Kind::time_of_day},
    {.name = "delay", .kind = Kind::duration},
    {.name = "size", .kind = Kind::one_of, .values = sizes},
    {.name = "pin", .kind = Kind::string, .max_length = 6, .min_length = 4},
    {.name = "deliveryAddress", .kind = Kind::object, .schema = &address},
    {.name = "items", .kind = Kind::array, .max_length = 3, .schema = &item},
    {.name = "orderIds", .kind = Kind::array, .items = Kind::uuid},
    {.name = "tags", .kind = Kind::array, .min_length = 2, .items = Kind::string},
    {.name = "conditions", .kind = Kind::any},
};
constexpr Schema schema{"Sample", properties};

FieldErrors errors_of(std::string_view text) {
  auto parsed = parse_json(text);
  FieldErrors errors;
  validate(schema, std::get<json::value>(parsed).get_object(), errors);
  return errors;
}

/// The error of `"field": value` in an otherwise valid body; "" if there is none.
std::string error_of(std::string_view field, std::string_view value) {
  const bool is_name = field == "name";
  const auto body = std::string(is_name ? "{" : R"({"name":"x",)") + "\"" + std::string(field) +
                    "\":" + std::string(value) + "}";
  const auto errors = errors_of(body);
  if (errors.empty()) return "";
  return errors.size() == 1 ? errors[0].field + " " + errors[0].message : "several errors";
}

std::string literal(std::string_view text) { return "\"" + std::string(text) + "\""; }

std::string repeat(std::string_view text, std::size_t times) {
  std::string all;
  for (std::size_t count = 0; count < times; ++count) all += text;
  return all;
}

constexpr std::string_view guid = "\"0b3b1c4e-9d5f-4f0a-8a51-2f0d5a1f7c11\"";

TEST(Schema, AcceptsWhatEachKindMeans) {
  const std::pair<std::string_view, std::string> good[] = {
      {"name", literal("A")},
      {"notes", "null"},
      {"email", literal("anna.lee+x@mail.example.com")},
      {"email", literal("jörg@müller.example")},
      {"hsCode", literal("9405.21")},
      {"origin", literal("Germany")},
      {"customerId", std::string(guid)},
      {"weight", "0.5"},
      {"weight", "1e3"},
      {"discount", "-99.99"},
      {"urgent", "true"},
      {"collectionDate", literal("2026-11-20T05:45:12.345Z")},
      {"collectionDate", literal("2026-11-20T05:45:12+02:00")},
      {"birthday", literal("2024-02-29")},
      {"from", literal("2024-02-29")},
      {"from", literal("2026-11-20T05:45:12Z")},
      {"start", literal("23:59")},
      {"delay", literal("PT2H")},
      {"size", literal("large")},
      {"pin", literal("1234")},
      {"deliveryAddress", R"({"street":"a","city":"b"})"},
      {"items", R"([{"quantity":1,"price":19.99},{"quantity":2.0}])"},
      {"orderIds", "[" + std::string(guid) + "]"},
      {"orderIds", "[]"},
      {"tags", R"(["a","b"])"},
      {"conditions", R"({"any":[1,{"x":null}]})"},
  };
  for (const auto& [field, value] : good) EXPECT_EQ(error_of(field, value), "") << field << " " << value;
}

TEST(Schema, SaysWhatIsWrongWithEachKind) {
  struct Case {
    std::string_view field;
    std::string value;
    std::string error;
  };
  const Case cases[] = {
      {"name", "1", "name must be a string"},
      {"name", literal(" \\t "), "name must not be blank"},
      {"name", literal(""), "name must not be blank"},
      {"name", "null", "name is required"},
      {"email", literal("anna"), "email must be an e-mail address"},
      {"email", literal("anna@localhost"), "email must be an e-mail address"},
      {"email", literal("a b@example.com"), "email must be an e-mail address"},
      {"email", literal(".a@example.com"),
       "email must be an e-mail address, without blanks, names, full-width letters and signs around it"},
      {"email", literal("ann＠example.com"),
       "email must be an e-mail address, without blanks, names, full-width letters and signs around it"},
      {"email", literal("a@example.com, b@example.com"), "email must be one e-mail address, not several"},
      {"email", literal("a@-example.com"), "email must be an e-mail address"},
      {"email", literal("a@example..com"), "email must be an e-mail address"},
      {"hsCode", literal("9405"), "hsCode must have 6 to 10 digits, such as 9405.21"},
      {"hsCode", "940521", "hsCode must be a string"},
      {"origin", literal("Atlantis"), "origin must be a country such as PT"},
      {"customerId", literal("12"), "customerId must be a uuid"},
      {"customerId", literal(""), "customerId must be a uuid"},
      {"weight", literal("1"), "weight must be a number"},
      {"weight", "0.25", "weight must be at least 0.5"},
      {"discount", "-100.01", "discount must be at least -100"},
      {"discount", "1.999", "discount must have at most two decimals"},
      {"discount", "1000000000000", "discount must be below 1000000000000"},
      {"urgent", "1", "urgent must be true or false"},
      {"urgent", "null", "urgent must not be null"},
      {"collectionDate", literal("2026-11-20"),
       "collectionDate must be a timestamp such as 2026-11-20T05:45:12Z"},
      {"birthday", literal("2023-02-29"), "birthday must be a date such as 2026-11-20"},
      {"start", literal("24:00"), "start must be a time of day such as 08:30"},
      {"delay", literal("2 hours"),
       "delay must be an ISO 8601 duration of weeks, days, hours, minutes and seconds, such as PT2H, of at "
       "most 366 days"},
      {"size", literal("medium"), "size must be one of small, large"},
      {"pin", literal("123"), "pin must have at least 4 characters"},
      {"deliveryAddress", "[]", "deliveryAddress must be an object"},
      {"deliveryAddress", R"({"street":"a"})", "deliveryAddress.city is required"},
      {"deliveryAddress", R"({"street":"a","city":1})", "deliveryAddress.city must be a string"},
      {"items", "{}", "items must be an array"},
      {"items", "[1]", "items[0] must be an object"},
      {"items", "[null]", "items[0] must not be null"},
      {"items", R"([{"quantity":1},{"quantity":1},{"quantity":1.5}])",
       "items[2].quantity must be an integer"},
      {"items", R"([{"quantity":-1}])", "items[0].quantity must be at least 0"},
      {"items", R"([{"quantity":1001}])", "items[0].quantity must be at most 1000"},
      {"items", R"([{"quantity":9007199254740992}])", "items[0].quantity must be an integer"},
      {"items", R"([{"quantity":1,"price":-0.01}])", "items[0].price must be at least 0"},
      {"items", R"([{"quantity":1,"nmae":1}])", "items[0].nmae unknown field"},
      {"orderIds", R"(["x"])", "orderIds[0] must be a uuid"},
      {"tags", R"(["a"])", "tags must have at least 2 entries"},
      {"nmae", "1", "nmae unknown field"},
  };
  for (const auto& [field, value, error] : cases)
    EXPECT_EQ(error_of(field, value), error) << field << " " << value;
}

TEST(Schema, ValuesBecomeWhatIsStored) {
  const std::pair<Kind, std::pair<std::string_view, std::string_view>> cases[] = {
      {Kind::hs_code, {" 9405.21 00", "94052100"}},
      {Kind::hs_code, {"94", "94"}},
      {Kind::hs_code, {"", ""}},
      {Kind::country, {"Deutschland", "DE"}},
      {Kind::country, {"PRT", "PT"}},
      {Kind::country, {"Atlantis", "Atlantis"}},
      {Kind::code, {" A  1 ", "A 1"}},
      {Kind::string, {" A  1 ", " A  1 "}}};
  for (const auto& [kind, texts] : cases) EXPECT_EQ(stored_text(kind, texts.first), texts.second);
}

TEST(Schema, LimitsCountCharactersNotBytes) {
  EXPECT_EQ(error_of("name", literal(repeat("é", 200))), "");
  EXPECT_EQ(error_of("name", literal(repeat("é", 201))), "name must have at most 200 characters");
  EXPECT_EQ(error_of("notes", literal(repeat("😀", 10'000))), "");
  EXPECT_EQ(error_of("notes", literal(repeat("😀", 10'001))), "notes must have at most 10000 characters");
  EXPECT_EQ(error_of("pin", literal("éééééé")), "");
  EXPECT_EQ(error_of("pin", literal("1234567")), "pin must have at most 6 characters");
}

TEST(Schema, ArraysHaveAtMostTheirEntries) {
  const auto ids = [](std::size_t count) {
    return "[" + repeat(std::string(guid) + ",", count - 1) + std::string(guid) + "]";
  };
  EXPECT_EQ(error_of("orderIds", ids(1000)), "");
  EXPECT_EQ(error_of("orderIds", ids(1001)), "orderIds must have at most 1000 entries");
  EXPECT_EQ(error_of("items", R"([{"quantity":1},{"quantity":1},{"quantity":1},{"quantity":1}])"),
            "items must have at most 3 entries");
}

TEST(Schema, AnArrayWithTooManyEntriesLosesThem) {
  auto body = parse_json(R"({"name":"x","items":[{},{},{},{},{},{}]})");
  FieldErrors errors;
  validate(schema, std::get<json::value>(body).get_object(), errors);
  EXPECT_EQ(errors, (FieldErrors{{"items", "must have at most 3 entries"}}));
  EXPECT_EQ(std::get<json::value>(body).at("items").get_array().size(), 3U);
}

TEST(Schema, ErrorsBeyondTheMostEndTheCheck) {
  std::string text = R"({"name":"x")";
  for (int i = 0; i < 1'500; ++i) text += ",\"f" + std::to_string(i) + "\":1";
  EXPECT_EQ(errors_of(text + "}").size(), most_field_errors);
  auto body = parse_json(R"({"name":"x","items":[{"quantity":"2"},{"quantity":"2"}],"nmae":1})");
  FieldErrors errors;
  validate(schema, std::get<json::value>(body).get_object(), errors, {}, 2);
  EXPECT_EQ(errors.size(), 2U);
}

TEST(Schema, MoneyIsExact) {
  EXPECT_EQ(error_of("items", R"([{"quantity":1,"price":0.1}])"), "");
  EXPECT_EQ(error_of("items", R"([{"quantity":1,"price":999999999999.99}])"), "");
  EXPECT_EQ(error_of("items", R"([{"quantity":1,"price":0.001}])"),
            "items[0].price must have at most two decimals");
}

TEST(Schema, ReportsAllBadFieldsAtOnce) {
  const auto errors = errors_of(
      R"({"email":"x","items":[{"quantity":1},{"quantity":"2","price":1.234}],"deliveryAddress":{"zip":1},"nmae":1})");
  const auto has = [&](const FieldError& wanted) {
    return std::ranges::find(errors, wanted) != errors.end();
  };
  EXPECT_EQ(errors.size(), 8U);
  EXPECT_TRUE(has({"name", "is required"}));
  EXPECT_TRUE(has({"email", "must be an e-mail address"}));
  EXPECT_TRUE(has({"items[1].quantity", "must be an integer"}));
  EXPECT_TRUE(has({"items[1].price", "must have at most two decimals"}));
  EXPECT_TRUE(has({"deliveryAddress.zip", "unknown field"}));
  EXPECT_TRUE(has({"deliveryAddress.street", "is required"}));
  EXPECT_TRUE(has({"deliveryAddress.city", "is required"}));
  EXPECT_TRUE(has({"nmae", "unknown field"}));
}

TEST(Schema, IgnoresReadOnlyFieldsSoThatAnAnswerCanBePutBack) {
  auto parsed = parse_json(R"({"guid":12,"name":"x","items":[{"guid":"no uuid","quantity":1}]})");
  auto& body = std::get<json::value>(parsed).get_object();
  FieldErrors errors;
  validate(schema, body, errors);
  EXPECT_TRUE(errors.empty());
  EXPECT_FALSE(body.contains("guid"));
  EXPECT_FALSE(body.at("items").at(0).get_object().contains("guid"));
}

TEST(Schema, PrefixStandsBeforeTheNames) {
  json::object body{{"nmae", 1}};
  FieldErrors errors;
  validate(address, body, errors, "[3].");
  ASSERT_EQ(errors.size(), 3U);
  EXPECT_EQ(errors[0], (FieldError{"[3].nmae", "unknown field"}));
  EXPECT_EQ(errors[1], (FieldError{"[3].street", "is required"}));
}

TEST(Schema, ParametersAreReadAsText) {
  EXPECT_FALSE(text_problem(Kind::integer, "12"));
  EXPECT_EQ(text_problem(Kind::integer, "12x"), "must be an integer");
  EXPECT_EQ(text_problem(Kind::integer, "1.0"), "must be an integer");
  EXPECT_EQ(text_problem(Kind::integer, "99999999999999999999"), "must be an integer");
  EXPECT_EQ(text_problem(Kind::number, "inf"), "must be a number");
  EXPECT_FALSE(text_problem(Kind::boolean, "false"));
  EXPECT_EQ(text_problem(Kind::boolean, "1"), "must be true or false");
}

}  // namespace
}  // namespace waybill::api
