// The sender of the mail outbox, with a real mail server.
#include <string>

#include <gtest/gtest.h>

#include "base/guid.hpp"
#include "base/secret_box.hpp"
#include "net/mail/sealed_mail.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/harness/postgres.hpp"
#include "tests/harness/server.hpp"
#include "tests/harness/smtp.hpp"

namespace waybill::tests {
namespace {

class MailSenderTest : public testing::Test {
 protected:
  explicit MailSenderTest(const json::object& replies = {})
      : smtp_([&] {
          json::object options{{"starttls", false}};
          options.insert(replies.begin(), replies.end());
          return options;
        }()),
        waybill_(database_.url(), {.arguments = {"--smtp-url", smtp_.url()}}),
        secrets_(SecretBox::read_key(waybill_.secret_key_file())),
        session_(database_.connect()) {}

  /// Adds mails in one transaction, so that one batch has them all.
  void add(const std::vector<std::pair<Guid, std::string>>& mails) {
    std::string statement = "insert into mail_outbox (guid, sealed, expires_at) values ";
    for (const auto& [guid, sealed] : mails) {
      if (!statement.ends_with(' ')) statement += ", ";
      statement += "('" + guid.to_string() + "', '" + sealed + "', now() + interval '1 hour')";
    }
    session_.exec(statement);
  }
  std::pair<Guid, std::string> mail(std::vector<std::string> to, const std::string& subject) const {
    const Guid guid = Guid::random();
    return {guid, net::seal_mail(secrets_, guid, {.to = std::move(to), .subject = subject, .text = "text"})};
  }
  bool is_empty() { return session_.number("select count(*) from mail_outbox") == 0; }

  SmtpServer smtp_;
  TestDatabase database_;
  Waybill waybill_;
  SecretBox secrets_;
  Session session_;
};

TEST_F(MailSenderTest, AMailThatCannotBeReadIsDelayedAndOthersAreSent) {
  const Guid unreadable = Guid::random();
  const auto sealed = "\\x" + hex(secrets_.seal(R"({"format": 2})", net::mail_purpose(unreadable)));
  add({mail({"ada@example.com"}, "before"), {unreadable, sealed}, mail({"ada@example.com"}, "after")});
  std::string both = text_at(smtp_.message(1), "raw") + text_at(smtp_.message(2), "raw");
  EXPECT_NE(both.find("Subject: before"), std::string::npos) << both;
  EXPECT_NE(both.find("Subject: after"), std::string::npos) << both;
  EXPECT_TRUE(eventually([&] {
    return session_.value("select string_agg(guid::text, ',') from mail_outbox where due_at > now()") ==
           unreadable.to_string();
  }));
}

class MailSenderFairness : public MailSenderTest {
 protected:
  MailSenderFairness()
      : MailSenderTest({{"hold", {{"address", "flood@example.com"}, {"until", "other@example.com"}}}}) {}
};

// The server answers the first business only after the mail of the second one.
TEST_F(MailSenderFairness, TheMailOfOneBusinessDoesNotWaitForThoseOfAnother) {
  const auto add_of = [this](const Guid& business, const std::string& to) {
    const auto [guid, sealed] = mail({to}, "fair");
    session_.exec("insert into mail_outbox (guid, sealed, expires_at, business_id) values ('" +
                  guid.to_string() + "', '" + sealed + "', now() + interval '1 hour', '" +
                  business.to_string() + "')");
  };
  const Guid flood = Guid::random();
  for (int i = 0; i < 30; ++i) add_of(flood, "flood@example.com");
  ASSERT_TRUE(eventually(
      [&] { return session_.number("select count(*) from mail_outbox where attempts = 1") == 3; }));
  add_of(Guid::random(), "other@example.com");
  EXPECT_EQ(smtp_.message(1).at("to"), (json::array{"other@example.com"}));
  EXPECT_TRUE(eventually([&] { return is_empty(); }));
}

class MailSenderRefusals : public MailSenderTest {
 protected:
  MailSenderRefusals()
      : MailSenderTest({{"rcpt",
                         {{"later@example.com", {"450 4.2.1 try again"}},
                          {"never@example.com", "550 5.1.1 no such user"}}}}) {}
};

TEST_F(MailSenderRefusals, RecipientsThatItRefusesForNowGetTheMailLaterAndTheOthersOnce) {
  add({mail({"ada@example.com", "later@example.com", "never@example.com"}, "paused")});
  EXPECT_EQ(smtp_.message(1).at("to"), (json::array{"ada@example.com"}));
  EXPECT_EQ(smtp_.message(2).at("to"), (json::array{"later@example.com"}));
  EXPECT_TRUE(eventually([&] { return is_empty(); }));
}

}  // namespace
}  // namespace waybill::tests
