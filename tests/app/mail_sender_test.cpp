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
  explicit MailSenderTest(const json::object& refusals = {})
      : smtp_({{"starttls", false}, {"rcpt", refusals}}),
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

TEST_F(MailSenderTest, TheMailOfOneBusinessDoesNotWaitForThoseOfAnother) {
  const Guid flood = Guid::random(), other = Guid::random();
  std::string statement = "insert into mail_outbox (guid, sealed, expires_at, business_id, due_at) values ";
  for (int i = 0; i < 30; ++i) {
    const auto [guid, sealed] = mail({"ada@example.com"}, "flood");
    statement += "('" + guid.to_string() + "', '" + sealed + "', now() + interval '1 hour', '" +
                 flood.to_string() + "', now() - interval '1 minute'), ";
  }
  const auto [guid, sealed] = mail({"ada@example.com"}, "other");
  session_.exec(statement + "('" + guid.to_string() + "', '" + sealed + "', now() + interval '1 hour', '" +
                other.to_string() + "', now())");
  std::string first;
  for (int i = 1; i <= 8; ++i) first += text_at(smtp_.message(i), "raw");
  EXPECT_NE(first.find("Subject: other"), std::string::npos) << "among the first 8 of 31";
  EXPECT_TRUE(eventually([&] { return is_empty(); }));
}

class MailSenderRefusals : public MailSenderTest {
 protected:
  MailSenderRefusals()
      : MailSenderTest({{"later@example.com", {"450 4.2.1 try again"}},
                        {"never@example.com", "550 5.1.1 no such user"}}) {}
};

TEST_F(MailSenderRefusals, RecipientsThatItRefusesForNowGetTheMailLaterAndTheOthersOnce) {
  add({mail({"ada@example.com", "later@example.com", "never@example.com"}, "paused")});
  EXPECT_EQ(smtp_.message(1).at("to"), (json::array{"ada@example.com"}));
  EXPECT_EQ(smtp_.message(2).at("to"), (json::array{"later@example.com"}));
  EXPECT_TRUE(eventually([&] { return is_empty(); }));
}

}  // namespace
}  // namespace waybill::tests
