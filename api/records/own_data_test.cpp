#include "api/records/own_data.hpp"

#include <string>
#include <string_view>
#include <variant>

#include <gtest/gtest.h>

#include "base/exact_number.hpp"

namespace waybill::api {
namespace {

constexpr Property properties[] = {
    {.name = "externalReference", .kind = Kind::string}, tags_property, metadata_property};
constexpr Schema schema{"Sample", properties};

json::object parsed(std::string_view text) {
  auto parsed = parse_json(text);
  return std::get<json::value>(parsed).get_object();
}

/// The errors of a body, as the API finds them.
FieldErrors errors_of(json::object body) {
  FieldErrors errors;
  validate(schema, body, errors);
  check_own_data(body, errors);
  return errors;
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

json::array numbered_tags(std::size_t count) {
  json::array tags;
  for (std::size_t i = 0; i < count; ++i) tags.push_back(json::value("tag" + std::to_string(i)));
  return tags;
}

json::object numbered_metadata(std::size_t count) {
  json::object metadata;
  for (std::size_t i = 0; i < count; ++i) metadata.emplace("key" + std::to_string(i), i);
  return metadata;
}

TEST(OwnData, LengthsCountCharacters) {
  const auto body = [](std::size_t reference, std::size_t tag, std::size_t value) {
    return json::object{{"externalReference", repeated("ü", reference)},
                        {"tags", json::array{json::value(repeated("ü", tag))}},
                        {"metadata", json::object{{"note", repeated("ü", value)}}}};
  };
  EXPECT_EQ(errors_of(body(200, 50, 500)), FieldErrors());
  EXPECT_EQ(errors_of(body(201, 51, 501)),
            (FieldErrors{{"externalReference", "must have at most 200 characters"},
                         {"tags[0]", "must have at most 50 characters"},
                         {"metadata.note", "must have at most 500 characters"}}));
}

TEST(OwnData, ATagHasOneLimitHoweverLongItIs) {
  for (const std::size_t length : {51U, 100U, 201U, 20'000U}) {
    EXPECT_EQ(errors_of({{"tags", json::array{json::value(repeated("t", length))}}}),
              (FieldErrors{{"tags[0]", "must have at most 50 characters"}}))
        << length;
  }
}

TEST(OwnData, NumbersOfMetadataThatNoDoubleIsNearAreRefused) {
  auto body = parse_exact_json(
      R"({"metadata": {"huge": 1e400, "less": -1e400, "tiny": 1e-400, "id": 12345678901234567890123}})");
  EXPECT_EQ(errors_of(std::get<json::value>(body).get_object()),
            (FieldErrors{{"metadata.huge", "is out of range"},
                         {"metadata.less", "is out of range"},
                         {"metadata.tiny", "is out of range"}}));
}

TEST(OwnData, NamesEachBadTag) {
  EXPECT_EQ(errors_of(parsed(R"({"tags": ["a", 1, "c", "  ", null]})")),
            (FieldErrors{{"tags[1]", "must be a string"},
                         {"tags[4]", "must not be null"},
                         {"tags[3]", "must not be blank"}}));
  EXPECT_EQ(errors_of(parsed(R"({"tags": "vip"})")), (FieldErrors{{"tags", "must be an array"}}));
}

TEST(OwnData, NamesEachBadKeyAndValueOfMetadata) {
  EXPECT_EQ(errors_of(parsed(R"({"metadata": {"a.b-c_1": true, "n": 1.5, "gone": null}})")), FieldErrors());
  const auto errors = errors_of(parsed(R"({"metadata": {"a b": 1, "": 2, "list": [], "object": {}}})"));
  ASSERT_EQ(errors.size(), 4U);
  EXPECT_EQ(errors[0].field, "metadata.a b");
  EXPECT_EQ(errors[1].field, "metadata.");
  EXPECT_EQ(errors[2], (FieldError{"metadata.list", "must be a string, a number, true or false"}));
  EXPECT_EQ(errors[3].field, "metadata.object");
  EXPECT_EQ(errors_of(parsed(R"({"metadata": []})")), (FieldErrors{{"metadata", "must be an object"}}));

  const std::string longest(domain::longest_metadata_key, 'k');
  EXPECT_EQ(errors_of({{"metadata", json::object{{longest, 1}}}}), FieldErrors());
  EXPECT_EQ(errors_of({{"metadata", json::object{{longest + 'k', 1}}}}).size(), 1U);
}

TEST(OwnData, LimitsTheNumberOfTagsAndKeys) {
  EXPECT_EQ(errors_of({{"tags", numbered_tags(50)}, {"metadata", numbered_metadata(50)}}), FieldErrors());
  EXPECT_EQ(
      errors_of({{"tags", numbered_tags(51)}, {"metadata", numbered_metadata(51)}}),
      (FieldErrors{{"tags", "must have at most 50 entries"}, {"metadata", "must have at most 50 keys"}}));
}

TEST(OwnData, KeepsTheFirstSpellingOfATagGivenTwice) {
  EXPECT_EQ(tags_value(json::parse(R"(["Vip", "new", "VIP", "Öl", "öL", "new"])")),
            json::parse(R"(["Vip","new","Öl"])"));
}

TEST(OwnData, MetadataIsMergedByKey) {
  FieldErrors errors;
  const auto after = merged_metadata(R"({"color": "red", "size": 4, "gift": true})",
                                     parsed(R"({"size": 5, "gift": null, "note": "x"})"), errors);
  EXPECT_EQ(parsed(after.value()), parsed(R"({"color": "red", "size": 5, "note": "x"})"));
  EXPECT_EQ(merged_metadata(R"({"color": "red"})", nullptr, errors), std::nullopt);
  EXPECT_EQ(errors, FieldErrors());
}

TEST(OwnData, AMergeKeepsAllDigitsOfOtherNumbers) {
  FieldErrors errors;
  EXPECT_EQ(merged_metadata(R"({"id": 12345678901234567890123, "share": 0.12345678901234567891})",
                            parsed(R"({"note": "x"})"), errors),
            R"({"id":12345678901234567890123,"share":0.12345678901234567891,"note":"x"})");
}

TEST(OwnData, NoTagsAndNoKeysAreNull) {
  FieldErrors errors;
  EXPECT_EQ(tags_value(json::array()), json::value());
  EXPECT_EQ(tags_value(nullptr), json::value());
  EXPECT_EQ(merged_metadata(R"({"color": "red"})", parsed(R"({"color": null})"), errors), std::nullopt);
}

TEST(OwnData, MergedMetadataHasALimitToo) {
  FieldErrors errors;
  const auto full = to_json(numbered_metadata(50));
  merged_metadata(full, parsed(R"({"key0": null, "one": 1})"), errors);
  EXPECT_EQ(errors, FieldErrors());
  merged_metadata(full, parsed(R"({"more": 1})"), errors);
  EXPECT_EQ(errors, (FieldErrors{{"metadata", "must have at most 50 keys"}}));
  EXPECT_EQ(too_much_metadata().details(), errors);
}

}  // namespace
}  // namespace waybill::api
