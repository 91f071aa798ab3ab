#include "actions/mail/recipients.hpp"

#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "templates/parts.hpp"

namespace waybill::actions {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view context = R"j({
  "customer": {"name": "Lovelace, Ada", "email": "ada@example.com"}, "none": null, "bad": "no address",
  "two": "one@example.com, two@example.com", "wide": "ａｎｎ＠example.com", "stop": "ann@example.com.",
  "hidden": "\u200bann@example.com\u00a0", "named": "Bob <bob@example.com>; Ann <ann@example.com>", "break": "x@example.com\r\nBcc: y@example.com",
  "contacts": [{"email": "a@example.com"}, {"email": "b@example.com"}]})j";

std::vector<std::string> resolve(const json::value& recipient) {
  const json::object data = json::parse(context).as_object();
  return resolve_recipients(recipient, [&](std::string_view text) {
    WorkBudget budget(templates::max_work);
    return templates::render(text, data, templates::Escape::none, {}, budget);
  });
}

TEST(Recipients, AreAddressesListsOrMustache) {
  for (const char* const good : {R"("ada@example.com")", R"("Ada <ada@example.com>, bob@example.com,")",
                                 R"("\"L, A\" <ada@example.com>")", R"("{{customer.email}}")",
                                 R"(["a@example.com", "{{customer.email}}"])", R"("grüße@example.com")"}) {
    EXPECT_TRUE(recipient_problems(json::parse(good), "recipient").empty()) << good;
  }
  for (const char* const bad : {R"("")", R"(" , ")", R"("ada")", R"("ada@example.com, bob")",
                                R"("{{#open}}")", "[]", "[1]", R"(["a@example.com", null])", "7", "{}",
                                R"(["a@example.com", ""])", R"("a@example.com\r\nBcc: b@example.com")"}) {
    EXPECT_FALSE(recipient_problems(json::parse(bad), "recipient").empty()) << bad;
  }
}

TEST(Recipients, EachBadEntryOfAListIsReported) {
  const auto problems =
      recipient_problems(json::parse(R"(["a@example.com", 5, "{{x}}", "b"])"), "action.recipient");
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_EQ(problems[0].field, "action.recipient[1]");
  EXPECT_EQ(problems[1].field, "action.recipient[3]");
}

TEST(Recipients, AreAtMost100) {
  const auto list = [](std::size_t count) {
    json::array entries;
    for (std::size_t i = 0; i < count; ++i) entries.emplace_back("a" + std::to_string(i) + "@example.com");
    return entries;
  };
  EXPECT_TRUE(recipient_problems(list(100), "recipient").empty());
  EXPECT_FALSE(recipient_problems(list(101), "recipient").empty());
  EXPECT_EQ(resolve(list(100)).size(), 100U);
  EXPECT_THROW(resolve(list(101)), std::length_error);
}

TEST(Recipients, AreRenderedWithoutDuplicates) {
  EXPECT_THAT(resolve("{{customer.email}}"), ElementsAre("ada@example.com"));
  EXPECT_THAT(resolve("{{customer.email}}, ADA@example.com, bob@example.com"),
              ElementsAre("ada@example.com", "bob@example.com"));
  EXPECT_THAT(resolve(json::array{"{{none}}", "{{bad}}", "bob@example.com"}), ElementsAre("bob@example.com"));
  EXPECT_THAT(resolve("{{#contacts}}{{email}},{{/contacts}}"), ElementsAre("a@example.com", "b@example.com"));
  EXPECT_THAT(resolve("{{none}}"), IsEmpty());
}

TEST(Recipients, ACommaWithinAValueAddsNoRecipient) {
  EXPECT_THAT(resolve("{{two}}"), ElementsAre("one@example.com")) << "the first counts, as in an import";
  EXPECT_THAT(resolve("{{&named}}"), ElementsAre("bob@example.com"));
  EXPECT_THAT(resolve("{{customer.name}} <{{customer.email}}>"), ElementsAre("ada@example.com"));
}

TEST(Recipients, ValuesMayBeWhatPeopleTyped) {
  for (const char* const text :
       {"{{wide}}", "{{stop}}", "{{hidden}}", "Ann <{{wide}}>", "{{customer.name}} <{{stop}}>"})
    EXPECT_THAT(resolve(text), ElementsAre("ann@example.com")) << text;
}

TEST(Recipients, MayBeSeparatedBySemicolons) {
  EXPECT_THAT(resolve("{{customer.email}}; bob@example.com"),
              ElementsAre("ada@example.com", "bob@example.com"));
  EXPECT_THAT(resolve("{{#contacts}}{{email}};{{/contacts}}"), ElementsAre("a@example.com", "b@example.com"));
  EXPECT_THAT(split_addresses("\"L; A\" <ada@example.com>;bob@example.com"),
              ElementsAre("\"L; A\" <ada@example.com>", "bob@example.com"));
}

TEST(Recipients, ALineBreakAddsNoHeader) {
  for (const auto& address : resolve("{{{break}}}")) EXPECT_EQ(address.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace waybill::actions
