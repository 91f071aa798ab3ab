#include "net/mail/mail.hpp"

#include <atomic>
#include <chrono>
#include <fstream>
#include <future>
#include <iterator>
#include <latch>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "net/mail/smtp.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/harness/http.hpp"
#include "tests/harness/smtp.hpp"
#include "tests/net/raw_server.hpp"

namespace waybill::tests {
namespace {

using net::MailMessage;
using net::MailOutcome;
using net::MailResult;

MailMessage mail(std::string subject = "Hello") {
  return {.from = "Waybill <no-reply@example.com>",
          .to = {"ada@example.com"},
          .subject = std::move(subject),
          .text = "one\n.two\n"};
}

MailOutcome send(net::Mailer& mailer, MailMessage message) {
  std::promise<MailOutcome> promise;
  mailer.send(std::move(message), [&](MailOutcome outcome) { promise.set_value(std::move(outcome)); });
  return promise.get_future().get();
}

/// A mail server with a certificate that a mailer may trust.
class MailTest : public testing::Test {
 protected:
  json::object options(json::object more = {}) const {
    more["key"] = certificate.key_pem();
    more["cert"] = certificate.pem();
    return more;
  }

  net::MailOptions to(std::string url, bool trusts = true) {
    const auto file = directory / "ca.pem";
    std::ofstream(file) << certificate.pem();
    return {.smtp_url = std::move(url), .ca_file = trusts ? file.string() : ""};
  }

  const RawServer::Certificate certificate;
  TempDirectory directory;
};

TEST_F(MailTest, UsesNoTlsIfTheServerOffersNone) {
  SmtpServer server({{"starttls", false}});
  const auto mailer = net::make_mailer(to(server.url()));
  auto message = mail();
  message.to = {"ada@example.com", "Bob <bob@example.com>"};
  const auto outcome = send(*mailer, message);
  EXPECT_EQ(outcome.result, MailResult::sent) << outcome.reply;
  EXPECT_TRUE(outcome.reply.starts_with("250 ")) << outcome.reply;
  const auto seen = server.message(1);
  EXPECT_EQ(text_at(seen, "from"), "no-reply@example.com");
  EXPECT_EQ(json::serialize(seen.at("to")), R"(["ada@example.com","bob@example.com"])");
  EXPECT_FALSE(seen.at("secure").as_bool());
  EXPECT_NE(text_at(seen, "raw").find("\r\n\r\none\r\n.two\r\n"), std::string::npos)
      << "the leading dot is preserved";
}

TEST_F(MailTest, UsesStarttlsWheneverItIsOffered) {
  SmtpServer server(options());
  const auto mailer = net::make_mailer(to(server.url()));
  EXPECT_EQ(send(*mailer, mail()).result, MailResult::sent);
  EXPECT_TRUE(server.message(1).at("secure").as_bool());
}

TEST_F(MailTest, LogsInOverStarttls) {
  SmtpServer server(options({{"user", "post@man"}, {"password", "s3cret/:"}}));
  const auto mailer = net::make_mailer(to(server.url("post%40man:s3cret%2F%3A")));
  const auto outcome = send(*mailer, mail());
  EXPECT_EQ(outcome.result, MailResult::sent) << outcome.reply;
  EXPECT_EQ(text_at(server.message(1), "user"), "post@man");
  EXPECT_TRUE(server.message(1).at("secure").as_bool());
}

TEST_F(MailTest, CredentialsAreNeverSentWithoutTlsUnlessTlsIsDisabled) {
  SmtpServer server({{"user", "u"}, {"password", "p"}, {"starttls", false}});
  const auto refused = send(*net::make_mailer(to(server.url("u:p"))), mail());
  EXPECT_EQ(refused.result, MailResult::temporary);
  const auto outcome = send(*net::make_mailer(to(server.url("u:p") + "?tls=none")), mail());
  EXPECT_EQ(outcome.result, MailResult::sent) << outcome.reply;
  EXPECT_EQ(server.message(1).at("connections"), 2) << "the first session was given up";
}

TEST_F(MailTest, DisabledTlsIsNotUsedEvenIfOffered) {
  SmtpServer server(options());
  EXPECT_EQ(send(*net::make_mailer(to(server.url() + "?tls=none", false)), mail()).result, MailResult::sent);
  EXPECT_FALSE(server.message(1).at("secure").as_bool());
}

TEST_F(MailTest, ACertificateThatIsNotTrustedEndsTheSession) {
  SmtpServer server(options());
  const auto outcome = send(*net::make_mailer(to(server.url(), false)), mail());
  EXPECT_EQ(outcome.result, MailResult::temporary);
  EXPECT_FALSE(outcome.reply.empty());
}

TEST_F(MailTest, UsesImplicitTls) {
  SmtpServer server(options({{"secure", true}, {"user", "u"}, {"password", "p"}}));
  const auto outcome = send(*net::make_mailer(to(server.url("u:p", "smtps"))), mail());
  EXPECT_EQ(outcome.result, MailResult::sent) << outcome.reply;
  EXPECT_TRUE(server.message(1).at("secure").as_bool());
}

TEST_F(MailTest, ReusesAConnection) {
  SmtpServer server(options({{"user", "u"}, {"password", "p"}}));
  const auto mailer = net::make_mailer(to(server.url("u:p")));
  for (int number = 1; number <= 3; ++number) {
    EXPECT_EQ(send(*mailer, mail()).result, MailResult::sent);
    EXPECT_EQ(server.message(number).at("connections"), 1);
  }
}

TEST_F(MailTest, APermanentRefusalOfTheMessageHasTheMessageOfTheServer) {
  for (const auto* const command : {"mail", "rcpt", "data"}) {
    SmtpServer server({{"starttls", false}, {command, "550 5.1.1 no such user"}});
    const auto outcome = send(*net::make_mailer(to(server.url())), mail());
    EXPECT_EQ(outcome.result, MailResult::permanent) << command;
    EXPECT_EQ(outcome.reply, "550 5.1.1 no such user") << command;
  }
}

TEST_F(MailTest, ATemporaryRefusalHasTheMessageOfTheServer) {
  for (const auto* const command : {"mail", "rcpt", "data"}) {
    SmtpServer server({{"starttls", false}, {command, "451 4.7.1 try again later"}});
    const auto outcome = send(*net::make_mailer(to(server.url())), mail());
    EXPECT_EQ(outcome.result, MailResult::temporary) << command;
    EXPECT_EQ(outcome.reply, "451 4.7.1 try again later") << command;
  }
}

TEST_F(MailTest, RefusedRecipientsAreReportedAndTheOthersGetTheMessage) {
  SmtpServer server({{"starttls", false},
                     {"rcpt", {{"b@example.com", "550 5.1.1 no"}, {"c@example.com", "451 4.7.1 later"}}}});
  const auto mailer = net::make_mailer(to(server.url()));
  auto message = mail();
  message.to = {"a@example.com", "B <b@example.com>", "c@example.com", "d@example.com"};
  auto outcome = send(*mailer, message);
  EXPECT_EQ(outcome.result, MailResult::sent);
  EXPECT_EQ(server.message(1).at("to"), (json::array{"a@example.com", "d@example.com"}));
  ASSERT_EQ(outcome.refused.size(), 2U);
  EXPECT_EQ(outcome.refused[0].to, "B <b@example.com>");
  EXPECT_EQ(outcome.refused[0].reply, "550 5.1.1 no");
  EXPECT_TRUE(outcome.refused[0].is_final);
  EXPECT_EQ(outcome.refused[1].to, "c@example.com");
  EXPECT_FALSE(outcome.refused[1].is_final);

  message.remaining = {"c@example.com", "B <b@example.com>"};
  outcome = send(*mailer, message);
  EXPECT_EQ(outcome.result, MailResult::temporary) << "while one recipient may still be accepted";
  EXPECT_EQ(outcome.reply, "451 4.7.1 later");
  message.remaining = {"B <b@example.com>"};
  outcome = send(*mailer, message);
  EXPECT_EQ(outcome.result, MailResult::permanent);
  EXPECT_EQ(outcome.reply, "550 5.1.1 no");
  message.remaining = {"d@example.com"};
  EXPECT_EQ(send(*mailer, message).result, MailResult::sent);
  EXPECT_EQ(server.message(2).at("to"), json::array{"d@example.com"});
}

TEST_F(MailTest, AServerWithoutSmtpUtf8GetsDomainsInTheirXnForm) {
  SmtpServer server({{"starttls", false}, {"smtputf8", false}});
  auto message = mail();
  message.from = "Bücher <no-reply@bücher.example>";
  message.to = {"ann@bücher.example", "Bob <bob@例え.jp>"};
  const auto outcome = send(*net::make_mailer(to(server.url())), message);
  EXPECT_EQ(outcome.result, MailResult::sent) << outcome.reply;
  const auto seen = server.message(1);
  const auto& envelope = seen.at("envelope").as_array();
  ASSERT_EQ(envelope.size(), 3U);
  EXPECT_TRUE(envelope[0].as_string().starts_with("MAIL FROM:<no-reply@xn--bcher-kva.example>"));
  EXPECT_EQ(envelope[1], "RCPT TO:<ann@xn--bcher-kva.example>");
  EXPECT_EQ(envelope[2], "RCPT TO:<bob@xn--r8jz45g.jp>");
}

TEST_F(MailTest, AMessageDoesNotWaitForTheManyMessagesOfAnotherBusiness) {
  SmtpServer server({{"starttls", false}});
  const auto mailer = net::make_mailer(to(server.url()));
  constexpr int many = 60;
  std::latch over(many + 1);
  const auto send_one = [&](const std::string& owner) {
    auto message = mail(owner);
    message.owner = owner;
    mailer->send(std::move(message), [&](const MailOutcome& outcome) {
      EXPECT_EQ(outcome.result, MailResult::sent);
      over.count_down();
    });
  };
  for (int i = 0; i < many; ++i) send_one("loud");
  send_one("quiet");
  over.wait();
  int place = 1;
  while (text_at(server.message(place), "raw").find("Subject: quiet") == std::string::npos) ++place;
  EXPECT_LT(place, many / 3);
}

TEST_F(MailTest, AMessageThatWaitsTooLongIsNotSent) {
  RawServer silent([](const RawServer::Request&) { return RawServer::Reply{}; });
  auto mail_options = to("smtp://127.0.0.1:" + std::to_string(silent.port()));
  mail_options.longest_wait = std::chrono::milliseconds(100);
  mail_options.most_waiting = 10;
  std::promise<MailOutcome> late;
  const auto mailer = net::make_mailer(mail_options);
  constexpr int connections = 4;
  for (int i = 0; i < connections; ++i) mailer->send(mail(), [](const MailOutcome&) {});
  mailer->send(mail(), [&](MailOutcome outcome) { late.set_value(std::move(outcome)); });
  EXPECT_EQ(late.get_future().get().result, MailResult::not_attempted);
}

TEST_F(MailTest, AMessageThatWaitedTooLongWhileTheProcessSleptIsNotSent) {
  SmtpServer server({{"starttls", false}});
  auto mail_options = to(server.url());
  mail_options.longest_wait = std::chrono::milliseconds(500);
  std::promise<MailOutcome> late;
  const auto mailer = net::make_mailer(mail_options);
  mailer->send(mail(), [&](const MailOutcome& outcome) {
    EXPECT_EQ(outcome.result, MailResult::sent);
    mailer->send(mail(), [&](MailOutcome next) { late.set_value(std::move(next)); });
    // The mailer's thread stands still, as in a process that is stopped.
    const auto over = std::chrono::steady_clock::now() + mail_options.longest_wait;
    EXPECT_TRUE(eventually([&] { return std::chrono::steady_clock::now() > over; }));
  });
  EXPECT_EQ(late.get_future().get().result, MailResult::not_attempted);
}

TEST_F(MailTest, AMessageBeyondTheQueueLimitIsRefused) {
  RawServer silent([](const RawServer::Request&) { return RawServer::Reply{}; });
  auto mail_options = to("smtp://127.0.0.1:" + std::to_string(silent.port()));
  mail_options.most_waiting = 2;
  std::atomic<int> refused = 0;
  const auto mailer = net::make_mailer(mail_options);
  for (int i = 0; i < 10; ++i) {  // four in flight, two waiting
    mailer->send(mail(),
                 [&](const MailOutcome& outcome) { refused += outcome.result == MailResult::not_attempted; });
  }
  EXPECT_GE(refused, 4);
}

TEST_F(MailTest, MessagesOfOneOwnerBeyondTheQueueLimitLeaveRoomToOthers) {
  RawServer silent([](const RawServer::Request&) { return RawServer::Reply{}; });
  auto mail_options = to("smtp://127.0.0.1:" + std::to_string(silent.port()));
  mail_options.most_waiting = 2;
  std::map<std::string, std::atomic<int>> refused;
  const auto mailer = net::make_mailer(mail_options);
  const auto send_one = [&](const std::string& owner) {
    auto message = mail();
    message.owner = owner;
    mailer->send(std::move(message), [&count = refused[owner]](const MailOutcome& outcome) {
      count += outcome.result == MailResult::not_attempted;
    });
  };
  for (int i = 0; i < 10; ++i) send_one("loud");
  EXPECT_GE(refused["loud"], 4);
  send_one("quiet");
  EXPECT_EQ(refused["quiet"], 0);
}

TEST_F(MailTest, ARefusedLoginIsATemporaryFailure) {
  SmtpServer server(options({{"user", "u"}, {"password", "p"}}));
  const auto outcome = send(*net::make_mailer(to(server.url("u:wrong"))), mail());
  EXPECT_EQ(outcome.result, MailResult::temporary);
  EXPECT_NE(outcome.reply.find("535"), std::string::npos) << outcome.reply;
  EXPECT_EQ(outcome.reply.find("wrong:"), std::string::npos) << "the password is not shown";
}

TEST_F(MailTest, AnUnreachableServerIsATemporaryFailure) {
  std::string url;
  {
    SmtpServer server;
    url = server.url();
  }
  EXPECT_EQ(send(*net::make_mailer(to(url)), mail()).result, MailResult::temporary);
}

TEST_F(MailTest, ASilentServerRunsIntoTheTimeout) {
  RawServer silent([](const RawServer::Request&) { return RawServer::Reply{}; });
  auto mail_options = to("smtp://127.0.0.1:" + std::to_string(silent.port()));
  mail_options.total_timeout = std::chrono::milliseconds(200);
  EXPECT_EQ(send(*net::make_mailer(mail_options), mail()).result, MailResult::temporary);
}

TEST_F(MailTest, AMessageInFlightAtDestructionIsATemporaryFailure) {
  RawServer silent([](const RawServer::Request&) { return RawServer::Reply{}; });
  auto mailer = net::make_mailer(to("smtp://127.0.0.1:" + std::to_string(silent.port())));
  std::promise<MailOutcome> promise;
  mailer->send(mail(), [&](MailOutcome outcome) { promise.set_value(std::move(outcome)); });
  mailer.reset();
  EXPECT_EQ(promise.get_future().get().result, MailResult::temporary);
}

TEST_F(MailTest, WithoutAServerEachMailIsAFile) {
  const auto folder = directory / "new/mail";
  const auto mailer = net::make_mailer({.directory = folder});
  for (const auto* const subject : {"first", "second"}) {
    EXPECT_EQ(send(*mailer, mail(subject)).result, MailResult::sent);
  }
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.insert(entry.path());
  ASSERT_EQ(files.size(), 2U) << "and nothing else";
  std::ifstream file(*files.begin());
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  EXPECT_NE(text.find("\r\nSubject: first\r\n"), std::string::npos) << text;
  for (const auto& path : files) {
    EXPECT_EQ(path.extension(), ".eml");
    EXPECT_EQ(std::filesystem::status(path).permissions(),
              std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  }
}

TEST_F(MailTest, AnUnwritableFolderIsATemporaryFailure) {
  std::ofstream(directory / "taken") << "a file";
  const auto outcome = send(*net::make_mailer({.directory = directory / "taken"}), mail());
  EXPECT_EQ(outcome.result, MailResult::temporary);
  EXPECT_FALSE(outcome.reply.empty());
}

TEST_F(MailTest, AMalformedMessageIsAPermanentFailure) {
  const auto mailer = net::make_mailer({.directory = directory / "mail"});
  auto message = mail();
  message.to = {"ada@example.com\r\nBcc: eve@example.com"};
  EXPECT_EQ(send(*mailer, message).result, MailResult::permanent);
}

TEST(SmtpUrl, HasAServerOptionalCredentialsAndNothingElse) {
  const auto server = net::parse_smtp_url("smtps://a%40b:p%3Aw@mail.example.com:2465");
  ASSERT_TRUE(server);
  EXPECT_EQ(server->url, "smtps://mail.example.com:2465");
  EXPECT_EQ(server->user, "a@b");
  EXPECT_EQ(server->password, "p:w");
  EXPECT_TRUE(server->allow_tls);
  EXPECT_EQ(net::parse_smtp_url("smtp://mail.example.com")->url, "smtp://mail.example.com");
  EXPECT_EQ(net::parse_smtp_url("smtp://[::1]:25/")->url, "smtp://[::1]:25");
  EXPECT_FALSE(net::parse_smtp_url("smtp://h:25?tls=none")->allow_tls);
  for (const auto* const text :
       {"", "http://h", "smtp://", "smtp://h/path", "smtp://h?tls=maybe", "smtp://h#x", "smtps://h?tls=none",
        "smtp://h:port", "smtp://h:0", "smtps://u:p@h:00", "mail.example.com:25"}) {
    EXPECT_FALSE(net::parse_smtp_url(text)) << text;
  }
}

}  // namespace
}  // namespace waybill::tests
