#include "domain/values/email.hpp"

#include <chrono>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace waybill::domain {
namespace {

TEST(Email, HoldsNoWhiteSpaceAndNoInvisibleCharacter) {
  for (const std::string blank :
       {" ", "\t", "\r\n", "\u00a0", "\u00ad", "\u1680", "\u2009", "\u200b", "\u200d", "\u200e", "\u2028",
        "\u202c", "\u202f", "\u2060", "\u2066", "\u3000", "\ufeff", "\u0085"}) {
    for (const auto& text :
         {blank + "ann@example.com", "ann@example.com" + blank, "ann@exam" + blank + "ple.com",
          "a" + blank + "nn@example.com", "ann@" + blank + "example.com"}) {
      EXPECT_FALSE(is_email(text)) << testing::PrintToString(text);
    }
  }
}

TEST(Email, HoldsNoCharacterThatIsNotShown) {
  for (const std::string hidden :
       {"\u034f", "\u115f", "\u1160", "\u17b4", "\u17b5", "\u180b", "\u180c", "\u180d", "\u180e", "\u180f",
        "\u3164", "\ufe00", "\ufe0e", "\ufe0f", "\uffa0", "\U000e0100", "\U000e01ef"}) {
    for (const auto& text : {hidden + "ann@example.com", "ann@example.com" + hidden,
                             "ann" + hidden + "@example.com", "ann@exam" + hidden + "ple.com"}) {
      EXPECT_FALSE(is_email(text)) << testing::PrintToString(text);
      EXPECT_EQ(email_in(text), "ann@example.com") << testing::PrintToString(text);
      EXPECT_TRUE(email_problem(text)) << testing::PrintToString(text);
    }
  }
}

TEST(Email, MayHaveLettersOfAnyScript) {
  for (const std::string_view text :
       {"ann@example.com", "zoë@bücher.example", "田中@例え.jp", "почта@пример.рф", "ann@col·legi.example"})
    EXPECT_TRUE(is_email(text)) << text;
}

TEST(Email, HoldsNoPunctuationBeyondAscii) {
  for (const std::string_view text :
       {"“ann@example.com”", "‘ann@example.com’", "«ann@example.com»", "„ann@example.com“",
        "「ann@example.com」", "（ann@example.com）", "o’brien@example.com", "ann@example.com。",
        "ann@ex–ample.com", "ann@example.com，"})
    EXPECT_FALSE(is_email(text)) << text;
}

TEST(Email, ATextWithoutALocalPartOrADomainIsNone) {
  for (const std::string_view text :
       {"n/a", "-", "none", "no@", "@example.com", "+44 20 7946 0958", "ann@localhost", ""})
    EXPECT_FALSE(is_email(text)) << text;
}

TEST(EmailIn, IsAnAddressOrNothing) {
  for (const auto* const text : {"ann@example.com", " ann@example.com\n", "\u200bann@example.com\u00a0",
                                 "ann@exam\u00adple.com", "ann@example.com\u202c", "ann@example.com\ufeff"}) {
    EXPECT_EQ(email_in(text), "ann@example.com") << text;
  }
  for (const auto* const text : {"n/a", "-", "none", "no@", "@", "", "+49 30 1234", "ann@example",
                                 "ann lee@example.com", "ann\u00a0lee@example.com", "ann@@example.com"}) {
    EXPECT_EQ(email_in(text), std::nullopt) << text;
  }
}

TEST(EmailIn, IsReadWithoutWhatIsPastedWithIt) {
  for (const auto* const text :
       {"mailto:ann@example.com", "MAILTO: ann@example.com", "<ann@example.com>", "Ann Lee <ann@example.com>",
        "\"Lee, Ann\" <mailto:ann@example.com>", "“ann@example.com”", "'ann@example.com'",
        "\"ann@example.com\"", "«ann@example.com»", "(ann@example.com)", "ann@example.com.",
        "ann@example.com,", "\u202a<ann@example.com>;"})
    EXPECT_EQ(email_in(text), "ann@example.com") << text;
  for (const auto* const text : {"<>", "mailto:", "“”", "Ann <n/a>", "><"})
    EXPECT_EQ(email_in(text), std::nullopt) << text;
}

TEST(EmailIn, IsTheFirstOfSeveral) {
  for (const auto* const text :
       {"ann@example.com, bob@example.org", "ann@example.com,bob@example.org",
        "ann@example.com; bob@example.org", "ann@example.com;", "ann@example.com bob@example.org",
        "ann@example.com / bob@example.org", "ann@example.com/bob@example.org",
        "ann@example.com | bob@example.org", "ann@example.com & bob@example.org",
        "ann@example.com oder bob@example.org", "ann@example.com\nbob@example.org",
        "Ann Lee <ann@example.com>, Bob <bob@example.org>", "\"Lee, Ann\" <ann@example.com>; bob@example.org",
        "<ann@example.com> <bob@example.org", "ann@example.com, Tel. 030 1234",
        "ann@example.com， bob@example.org", "ann@example.com；bob@example.org",
        "ann@example.com\u00a0bob@example.org"})
    EXPECT_EQ(email_in(text), "ann@example.com") << text;
  EXPECT_EQ(email_in("a/b@example.com; c@example.org"), "a/b@example.com");
}

TEST(EmailIn, HasPlainLettersForThoseThatStandForThem) {
  for (const auto* const text : {"ann＠example.com", "ａｎｎ＠ｅｘａｍｐｌｅ．ｃｏｍ", "ann@example。com",
                                 "ann﹫example.com", "ann@example｡com", "\u3000ａｎｎ@example.com\u3000",
                                 "𝐚𝐧𝐧@example.com", "ann@example.com。", "ⓐnn@example.com"})
    EXPECT_EQ(email_in(text), "ann@example.com") << text;
  EXPECT_EQ(email_in("zoe\u0308@example.com"), "zoë@example.com");
  EXPECT_EQ(email_in("田中@例え.jp"), "田中@例え.jp");
}

TEST(EmailIn, IsAnAddressThatNamesItself) {
  constexpr std::string_view parts[] = {
      "ann@example.com", "@",  "a",  ".", "<",      ">",      " ",  ",", ";", "\"", "(",
      "mailto:",         "＠", "ｂ", "é", "\u200b", "\u00a0", "。", "ﬁ", "-"};
  std::mt19937 random(7);
  std::uniform_int_distribution<std::size_t> part(0, std::size(parts) - 1), length(1, 12);
  int found = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (auto left = length(random); left > 0; --left) text += parts[part(random)];
    const auto email = email_in(text);
    if (!email) continue;
    ++found;
    EXPECT_TRUE(is_email(*email)) << text;
    EXPECT_EQ(email_in(*email), email) << text;
    EXPECT_EQ(email_problem(*email), std::nullopt) << text;
  }
  EXPECT_GT(found, 1'000);
}

/// `count` copies of a text.
std::string repeated(std::string_view text, std::size_t count) {
  std::string whole;
  for (; count > 0; --count) whole += text;
  return whole;
}

// Removing the signs before each separator again would take a minute.
TEST(EmailIn, IsLookedForInOnePass) {
  const auto begun = std::chrono::steady_clock::now();
  for (const std::string_view signs :
       {",", "<", "<a", "<,", "),", "\"|", " /", "a,", "<ann@x,", "mailto:,"}) {
    const auto text = "ann@example.com" + repeated(signs, (longest_email_text - 40) / signs.size());
    for (int i = 0; i < 10; ++i) {
      EXPECT_FALSE(has_several_emails(text)) << signs;
      EXPECT_EQ(email_in(text + "<ann@example.com>"), "ann@example.com") << signs;
      email_in(text);
    }
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(10));
}

TEST(EmailIn, IsTheSameBehindManySigns) {
  for (const std::string_view signs : {",", "<", ")", " ,", "<<"}) {
    const auto many = repeated(signs, 1'000);
    EXPECT_EQ(email_in(many + "<ann@example.com" + many + ">"), "ann@example.com") << signs;
    EXPECT_EQ(email_in("ann@example.com" + many + ", bob@example.org"), "ann@example.com") << signs;
  }
  EXPECT_EQ(email_in("<a><b <ann@example.com,<>> <bob@example.org>"), "ann@example.com");
  EXPECT_EQ(email_in("ann@example.com), ;) (Ann) | bob@example.org"), "ann@example.com");
  EXPECT_EQ(email_in("|ann@example.com bob@example.org"), "|ann@example.com");
}

TEST(HasSeveralEmails, IsFalseForALongText) {
  const std::string two = "ann@example.com; bob@example.org";
  EXPECT_TRUE(has_several_emails(two));
  EXPECT_TRUE(has_several_emails(two + std::string(longest_email_text - two.size(), ',')));
  EXPECT_FALSE(has_several_emails(two + std::string(longest_email_text - two.size() + 1, ',')));
  EXPECT_FALSE(has_several_emails(two + repeated("。", 4UL << 20)));
}

// Looking for an address in each part of a longer text would take minutes.
TEST(EmailIn, IsNotLookedForInALongText) {
  const std::string address = "<ann@example.com>";
  EXPECT_EQ(email_in(address + std::string(longest_email_text - address.size(), ',')), "ann@example.com");
  for (const char filling : {' ', '<', ',', '@'})
    EXPECT_EQ(email_in(address + std::string(1 << 20, filling)), std::nullopt) << filling;
}

TEST(EmailIn, IsNoneIfItsEndsAreNotClear) {
  for (const auto* const text : {"ann@mail.example,com", "ann@example. com", "ann @example.com",
                                 "ann lee@example.com, bob@example.org", "ann@mail.example .com",
                                 "Ann Lee ann@example.com", "ann@example,com", "a@b@example.com"})
    EXPECT_EQ(email_in(text), std::nullopt) << text;
}

TEST(Email, HoldsNoCharacterThatStandsForOthers) {
  for (const std::string_view text :
       {"ａｎｎ@example.com", "ann@ｅｘａｍｐｌｅ.com", "ann@exa㎜ple.com", "ａnn@example.com",
        "ann@oﬃce.example", "①@example.com", "ann＠example.com"})
    EXPECT_FALSE(is_email(text)) << text;
}

TEST(EmailProblem, SaysWhatIsNotPartOfAnAddress) {
  EXPECT_EQ(email_problem("ann@example.com"), std::nullopt);
  EXPECT_EQ(email_problem("n/a"), "must be an e-mail address");
  EXPECT_EQ(email_problem("ann@example.com; bob@example.org"), "must be one e-mail address, not several");
  for (const auto* const text :
       {" ann@example.com", "Ann <ann@example.com>", "ann＠example.com", "ann@example.com."})
    EXPECT_EQ(email_problem(text),
              "must be an e-mail address, without blanks, names, full-width letters and signs around it");
}

}  // namespace
}  // namespace waybill::domain
