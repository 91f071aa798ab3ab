#include "domain/workflows/digest.hpp"

#include <set>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace waybill::domain {
namespace {

using namespace std::chrono_literals;
using Fields = std::set<std::string>;

const Time start = parse_timestamp("2026-11-20T08:00:00Z").value();

const RecordType& order() { return record_type(EntityType::order); }

Fields refused(std::string_view text) {
  FieldErrors errors;
  parse_digest(json::parse(text), order(), errors);
  Fields fields;
  for (const FieldError& error : errors) fields.insert(error.field);
  return fields;
}

Digest parsed(std::string_view text) {
  FieldErrors errors;
  auto digest = parse_digest(json::parse(text), order(), errors);
  EXPECT_TRUE(errors.empty()) << text;
  return digest.value_or(Digest());
}

TEST(Digests, NeedEitherATimeAfterTheFirstEventOrAfterTheLast) {
  EXPECT_EQ(refused(R"({"every": "PT1H"})"), Fields{});
  EXPECT_EQ(refused(R"({"quiet": "PT1S", "atMost": "P20D", "max": 1000, "by": "customer.email"})"), Fields{});
  EXPECT_EQ(refused("{}"), Fields{"digest"});
  EXPECT_EQ(refused(R"({"every": "PT1H", "quiet": "PT1H"})"), Fields{"digest"});
  EXPECT_EQ(refused("[]"), Fields{"digest"});
  EXPECT_EQ(refused(R"({"every": "PT1H", "each": true})"), Fields{"digest.each"});
}

TEST(Digests, RefuseWrongMembers) {
  EXPECT_EQ(refused(R"({"every": "PT1H", "atMost": "P1D"})"), Fields{"digest.atMost"});
  for (const char* const time : {"\"PT0S\"", "\"-PT1H\"", "\"1h\"", "3600", "\"P400D\""}) {
    EXPECT_EQ(refused(R"({"every": )" + std::string(time) + "}"), Fields{"digest.every"}) << time;
    EXPECT_EQ(refused(R"({"quiet": )" + std::string(time) + "}"), Fields{"digest.quiet"}) << time;
    EXPECT_EQ(refused(R"({"quiet": "PT1H", "atMost": )" + std::string(time) + "}"), Fields{"digest.atMost"});
  }
  for (const char* const max : {"0", "1001", "1.5", "\"10\""})
    EXPECT_EQ(refused(R"({"every": "PT1H", "max": )" + std::string(max) + "}"), Fields{"digest.max"}) << max;
  for (const char* const by : {"nmae", "items", "tags", "previous.status", "items.sku", ""})
    EXPECT_EQ(refused(R"({"every": "PT1H", "by": ")" + std::string(by) + "\"}"), Fields{"digest.by"}) << by;
}

TEST(Digests, HaveDefaults) {
  const Digest digest = parsed(R"({"quiet": "PT10M"})");
  EXPECT_EQ(digest.terms.at_most, Duration(24h));
  EXPECT_EQ(digest.terms.max, 100);
  EXPECT_EQ(digest.by, std::nullopt);
  EXPECT_EQ(to_json(digest.shown()), R"({"by":null,"every":null,"quiet":"PT10M","atMost":"P1D","max":100})");
  EXPECT_EQ(parsed(to_json(digest.shown())), digest);
}

TEST(Digests, AreDueAfterTheirFirstEventOrAfterTheirLast) {
  const DigestTerms every = parsed(R"({"every": "PT1H"})").terms;
  EXPECT_EQ(every.due(start, start + 59min), start + 1h);
  EXPECT_EQ(every.longest(), Duration(1h));
  const DigestTerms quiet = parsed(R"({"quiet": "PT10M", "atMost": "PT1H"})").terms;
  EXPECT_EQ(quiet.due(start, start + 5min), start + 15min);
  EXPECT_EQ(quiet.due(start, start + 55min), start + 1h);
  EXPECT_EQ(quiet.longest(), Duration(1h));
}

TEST(Digests, CollectByAValueOfTheRecord) {
  const Digest digest = parsed(R"({"every": "PT1H", "by": "customer.email"})");
  EXPECT_EQ(digest.value_of({{"customer", {{"email", "a@example.com"}}}}), json::value("a@example.com"));
  EXPECT_EQ(digest.value_of({{"customer", nullptr}}), json::value());
  EXPECT_EQ(parsed(R"({"every": "PT1H"})").value_of({{"status", "pending"}}), json::value());
  EXPECT_NE(digest_value_key("null"), digest_value_key("\"null\""));
}

TEST(Digests, TakeEventsUntilTheyAreDueOrHaveTheirNumberOrBytes) {
  const DigestTerms terms{.every = 1h, .max = 3};
  DigestExtent extent = DigestExtent::begun(start, 4);
  extent.add(terms, start, 100);
  EXPECT_TRUE(extent.takes(start + 59min, 100));
  EXPECT_FALSE(extent.takes(start + 1h, 100));
  EXPECT_FALSE(extent.takes(start, largest_digest - 100));
  extent.add(terms, start - 1min, 100);
  EXPECT_EQ(extent.due_at, start + 1h) << "the first collected event counts, whenever it was";
  EXPECT_FALSE(extent.is_full);
  extent.add(terms, start + 2min, 100);
  EXPECT_TRUE(extent.is_full);
  EXPECT_EQ(extent.due_at, start + 2min);
  EXPECT_FALSE(extent.takes(start + 3min, 1));
}

}  // namespace
}  // namespace waybill::domain
