#include <gtest/gtest.h>

#include "base/crypto.hpp"
#include "base/utf8.hpp"
#include "net/destination/ascii_host.hpp"
#include "net/mail/mail.hpp"
#include "net/mail/mail_domain.hpp"
#include "net/mail/sealed_mail.hpp"

namespace waybill::net {
namespace {

const Time sent_at = parse_timestamp("2026-11-20T05:45:12Z").value();

MailMessage mail() {
  return {.from = "no-reply@example.com",
          .to = {"ada@example.com"},
          .subject = "Hello",
          .text = "Hello Ada\n",
          .message_id = "<1@example.com>"};
}

std::string format(const MailMessage& message) {
  EXPECT_FALSE(mail_problem(message)) << *mail_problem(message);
  return format_mail(message, sent_at);
}

/// The value of a header, unfolded.
std::string header(const std::string& text, const std::string& name) {
  const auto start = text.find("\r\n" + name + ": ");
  if (start == std::string::npos) return "none";
  auto end = text.find("\r\n", start + 2);
  while (text[end + 2] == ' ') end = text.find("\r\n", end + 2);
  auto value = text.substr(start + name.size() + 4, end - start - name.size() - 4);
  for (auto fold = value.find("\r\n"); fold != std::string::npos; fold = value.find("\r\n"))
    value.erase(fold, 2);
  return value;
}

std::string body_of(const std::string& text) { return text.substr(text.find("\r\n\r\n") + 4); }

TEST(Mail, IsAPlainMessage) {
  EXPECT_EQ(format(mail()),
            "Date: Fri, 20 Nov 2026 05:45:12 +0000\r\n"
            "From: no-reply@example.com\r\n"
            "To: ada@example.com\r\n"
            "Subject: Hello\r\n"
            "Message-ID: <1@example.com>\r\n"
            "MIME-Version: 1.0\r\n"
            "Content-Type: text/plain; charset=utf-8\r\n"
            "Content-Transfer-Encoding: 7bit\r\n"
            "\r\n"
            "Hello Ada\r\n");
}

TEST(Mail, WithTextAndHtmlIsMultipartAlternative) {
  auto message = mail();
  message.html = "<p>Hello Ada</p>";
  const auto text = format(message);
  const auto type = header(text, "Content-Type");
  ASSERT_TRUE(type.starts_with("multipart/alternative; boundary=\"")) << type;
  const auto boundary = type.substr(33, type.size() - 34);
  EXPECT_EQ(body_of(text),
            "--" + boundary +
                "\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 7bit\r\n\r\n"
                "Hello Ada\r\n--" +
                boundary +
                "\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: 7bit\r\n\r\n"
                "<p>Hello Ada</p>\r\n--" +
                boundary + "--\r\n");
  message.text.clear();
  EXPECT_TRUE(header(format(message), "Content-Type").starts_with("text/html"));
}

TEST(Mail, NoFieldCanInjectAHeader) {
  auto message = mail();
  message.subject = "Hi\r\nBcc: eve@example.com\r\n\r\nbody";
  message.headers = {{"X-Tag", "a\r\nBcc: eve@example.com"}};
  message.from = "\"A\\\"B, C\" <no-reply@example.com>";
  const auto text = format(message);
  EXPECT_EQ(text.find("\r\nBcc"), std::string::npos) << text;
  EXPECT_EQ(header(text, "From"), "\"A\\\"B, C\" <no-reply@example.com>");
  EXPECT_EQ(body_of(text), "Hello Ada\r\n");
}

TEST(Mail, RefusesInvalidMessages) {
  const auto problem = [](auto change) {
    auto message = mail();
    change(message);
    return mail_problem(message).has_value();
  };
  for (const auto* const bad :
       {"", "ada", "@example.com", "ada@", "a b@example.com", "ada@example.com\r\nBcc: x@y",
        "<ada@example.com", "ada@example.com>", "A, B <ada@example.com>", "ada@exa_mple.com",
        ".a@example.com", "a..b@example.com", "ada@example.com, bob@example.com", "ada@example.com\n"}) {
    EXPECT_TRUE(problem([&](auto& message) { message.from = bad; })) << bad;
    EXPECT_TRUE(problem([&](auto& message) { message.to.push_back(bad); })) << bad;
  }
  EXPECT_TRUE(problem([](auto& message) { message.to.clear(); }));
  EXPECT_FALSE(problem([](auto& message) { message.to.assign(100, "a@example.com"); }));
  EXPECT_TRUE(problem([](auto& message) { message.to.assign(101, "a@example.com"); }));
  for (const auto* const name :
       {"", "Bcc", "bcc", "FROM", "Reply-To", "Content-Type", "X Tag", "X:", "X\r\nY", "Subject"}) {
    EXPECT_TRUE(problem([&](auto& message) { message.headers = {{name, "x"}}; })) << name;
  }
  EXPECT_FALSE(problem([](auto& message) { message.headers = {{"References", "<a@example.com>"}}; }));
  EXPECT_FALSE(problem([](auto& message) { message.reply_to = "a@example.com"; }));
  EXPECT_TRUE(problem([](auto& message) { message.reply_to = "a@example.com\r\nBcc: x@y"; }));
  EXPECT_TRUE(problem([](auto& message) { message.subject = "\xff"; }));
  EXPECT_TRUE(problem([](auto& message) { message.text = "\xff"; }));
  for (const auto* const id : {"x", "<x>", "<a b@c>", "<a@b>\r\n", "a@b"}) {
    EXPECT_TRUE(problem([&](auto& message) { message.message_id = id; })) << id;
  }
}

std::string decoded_words(std::string_view words) {
  std::string decoded;
  for (auto at = words.find("=?UTF-8?B?"); at != std::string::npos; at = words.find("=?UTF-8?B?", at + 10)) {
    const auto end = words.find("?=", at + 10);
    EXPECT_LE(end + 2 - at, 75U);
    const auto bytes = base64_decode(std::string(words.substr(at + 10, end - at - 10))).value();
    decoded.append(bytes.begin(), bytes.end());
  }
  return decoded;
}

TEST(Mail, EncodesNonAsciiTextInHeaders) {
  auto message = mail();
  message.from = "Zoë Ångström <no-reply@example.com>";
  message.subject = "Grüße aus Köln, und noch ein ganzer Satz, damit es mehr als ein Wort wird: äöüß";
  const auto text = format(message);
  EXPECT_EQ(header(text, "From"), "=?UTF-8?B?" +
                                      base64(Bytes{'Z', 'o', 0xc3, 0xab, ' ', 0xc3, 0x85, 'n', 'g', 's', 't',
                                                   'r', 0xc3, 0xb6, 'm'}) +
                                      "?= <no-reply@example.com>");
  EXPECT_EQ(decoded_words(header(text, "Subject")), message.subject);
  EXPECT_EQ(header(format({.from = "a@b", .to = {"ä@ö.example"}, .subject = "x", .text = "x"}), "To"),
            "ä@xn--nda.example")
      << "a local part stays as it is (RFC 6532)";
}

/// The lines of the header part that have an encoded word.
std::vector<std::string> encoded_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; text.compare(at, 2, "\r\n") != 0;) {
    const auto end = text.find("\r\n", at);
    if (const auto line = text.substr(at, end - at); line.find("=?UTF-8") != std::string::npos)
      lines.push_back(line);
    at = end + 2;
  }
  return lines;
}

TEST(Mail, ALineWithAnEncodedWordHasAtMost76Characters) {
  const std::string filler = "Übergrößenträger – 東京👍 ";
  for (std::size_t length = 1; length < 120; ++length) {
    std::string words;
    while (words.size() < length) words += filler;
    words.resize(length);
    words.resize(valid_utf8_prefix(words));
    words = "ü" + words;
    auto message = mail();
    message.subject = words;
    message.from =
        mailbox_text({.name = words, .address = std::string(length % 64 + 1, 'a') + "@example.com"});
    message.to = {message.from, message.from};
    message.headers = {{std::string(length % 70 + 1, 'X'), words}};
    const auto text = format(message);
    for (const auto& line : encoded_lines(text)) EXPECT_LE(line.size(), 76U) << line;
    EXPECT_EQ(decoded_words(header(text, "Subject")), words);
    EXPECT_TRUE(header(text, "From").ends_with(" <" + parse_mailbox(message.from)->address + ">"));
  }
}

TEST(Mail, DomainsBeyondAsciiAreWrittenInTheirXnForm) {
  for (const auto& [unicode, ascii] : {std::pair("bücher.example", "xn--bcher-kva.example"),
                                       {"straße.example", "xn--strae-oqa.example"},
                                       {"BÜCHER.Example", "xn--bcher-kva.example"},
                                       {"bu\u0308cher.example", "xn--bcher-kva.example"},
                                       {"例え.jp", "xn--r8jz45g.jp"},
                                       {"пример.рф", "xn--e1afmkfd.xn--p1ai"},
                                       {"example.com", "example.com"}}) {
    EXPECT_EQ(ascii_domain_address("ann@" + std::string(unicode)), "ann@" + std::string(ascii));
    const auto text = format({.from = "a@" + std::string(unicode),
                              .to = {"b@" + std::string(unicode)},
                              .cc = {"Cy <c@" + std::string(unicode) + ">"},
                              .subject = "x",
                              .text = "x"});
    EXPECT_EQ(header(text, "From"), "a@" + std::string(ascii));
    EXPECT_EQ(header(text, "To"), "b@" + std::string(ascii));
    EXPECT_EQ(header(text, "Cc"), "Cy <c@" + std::string(ascii) + ">");
  }
  EXPECT_EQ(ascii_domain("\uE000ü.example"), "\uE000ü.example") << "no such domain";
}

TEST(Mail, NamesOfSendersCanHoldAnyCharacter) {
  const auto from = [](std::string_view name) {
    auto message = mail();
    message.from = mailbox_text({.name = std::string(name), .address = "no-reply@example.com"});
    message.reply_to = "help@example.com";
    EXPECT_EQ(mail_problem(message), std::nullopt) << name;
    const auto text = format(message);
    EXPECT_EQ(header(text, "Reply-To"), "help@example.com");
    EXPECT_EQ(text.find("\r\nBcc"), std::string::npos) << text;
    return header(text, "From");
  };
  EXPECT_EQ(from("Ada"), "Ada <no-reply@example.com>");
  EXPECT_EQ(from("Ada \\ \"Co\", Ltd. <x@y>"), R"("Ada \\ \"Co\", Ltd. <x@y>" <no-reply@example.com>)");
  EXPECT_EQ(from("Ada\r\nBcc: eve@example.com"), "\"Ada  Bcc: eve@example.com\" <no-reply@example.com>");
  EXPECT_EQ(from("Zoë"), "=?UTF-8?B?" + base64(Bytes{'Z', 'o', 0xc3, 0xab}) + "?= <no-reply@example.com>");
  std::string longest;
  for (int i = 0; i < 200; ++i) longest += "ü";
  EXPECT_TRUE(from(longest).ends_with("<no-reply@example.com>"));
  EXPECT_FALSE(parse_mailbox(mailbox_text({.name = longest + "x", .address = "no-reply@example.com"})));
}

TEST(Mail, FoldsLongHeadersAtTheirSpaces) {
  auto message = mail();
  std::string subject;
  for (int word = 0; word < 40; ++word) subject += "word" + std::to_string(word) + (word < 39 ? " " : "");
  message.subject = subject;
  const auto text = format(message);
  EXPECT_EQ(header(text, "Subject"), subject);
  for (std::size_t at = 0; at < text.size();) {
    const auto end = text.find("\r\n", at);
    EXPECT_LE(end - at, 78U);
    at = end + 2;
  }
  message.subject = std::string(300, 'x');
  EXPECT_EQ(header(format(message), "Subject"), message.subject) << "a link in a header stays a link";
  message.subject = std::string(1000, 'x');
  EXPECT_TRUE(header(format(message), "Subject").starts_with("=?UTF-8?B?"))
      << "a line has at most 998 characters";
}

TEST(Mail, QuotesNonAsciiTextAndLongLines) {
  auto message = mail();
  message.text = "Grüße = \t\nab ";
  const auto text = format(message);
  EXPECT_EQ(header(text, "Content-Transfer-Encoding"), "quoted-printable");
  EXPECT_EQ(body_of(text), "Gr=C3=BC=C3=9Fe =3D =09\r\nab=20\r\n");
  message.text = std::string(999, 'x');
  const auto lines = body_of(format(message));
  EXPECT_EQ(lines.substr(0, 78), std::string(75, 'x') + "=\r\n");
  message.text = std::string(998, 'x');
  EXPECT_EQ(body_of(format(message)), message.text + "\r\n") << "the longest line that needs no encoding";
}

TEST(Mail, EveryLineEndsInCrLf) {
  auto message = mail();
  message.text = "a\nb\rc\r\nd";
  EXPECT_EQ(body_of(format(message)), "a\r\nb\r\nc\r\nd\r\n");
}

TEST(Mail, MessageIdsHaveTheSendersDomain) {
  EXPECT_EQ(message_id("x", "Waybill <a@example.com>"), "<x@example.com>");
  EXPECT_EQ(message_id("x", "a@ö.example"), "<x@xn--nda.example>");
  auto message = mail();
  message.message_id.clear();
  EXPECT_NE(header(format(message), "Message-ID"), header(format(message), "Message-ID"));
}

TEST(Mailbox, IsAnAddressWithOrWithoutAName) {
  EXPECT_EQ(parse_mailbox("waybill@localhost")->address, "waybill@localhost");
  EXPECT_EQ(parse_mailbox("Way Bill <a@b.c>")->name, "Way Bill");
  EXPECT_EQ(parse_mailbox(R"("Bill, Way \"x\"" <a@b.c>)")->name, R"(Bill, Way "x")");
  EXPECT_EQ(parse_mailbox("<a@b.c>")->address, "a@b.c");
  EXPECT_EQ(parse_mailbox("\u200b a@b.c\u00a0")->address, "a@b.c");
  EXPECT_FALSE(parse_mailbox("a@b\u00ad.c"));
}

TEST(Mailbox, TakesTheNameOfABusiness) {
  EXPECT_EQ(named_sender("Waybill <a@b.c>", "Ada"), R"("Ada" <a@b.c>)");
  EXPECT_EQ(named_sender("Waybill <a@b.c>", ""), "Waybill <a@b.c>");
  EXPECT_EQ(named_sender("no address", "Ada"), "no address");
}

TEST(SealedMail, OpensOnlyUnderItsGuid) {
  const SecretBox box(SecretBox::Key{7});
  const auto guid = Guid::random();
  auto message = mail();
  message.headers = {{"X-Tag", "ä"}};
  message.html = "<p>";
  message.sender_name = "Ada's shop";
  message.reply_to = "replies@example.com";
  const auto sealed = sealed_mail(box, guid, message);
  EXPECT_EQ(std::string(sealed.begin(), sealed.end()).find("Ada"), std::string::npos);
  const auto opened = open_mail(box, guid, sealed);
  EXPECT_EQ(opened.to, message.to);
  EXPECT_EQ(opened.subject, message.subject);
  EXPECT_EQ(opened.text, message.text);
  EXPECT_EQ(opened.html, message.html);
  EXPECT_EQ(opened.headers, message.headers);
  EXPECT_EQ(opened.sender_name, message.sender_name);
  EXPECT_EQ(opened.reply_to, message.reply_to);
  EXPECT_THROW(open_mail(box, Guid::random(), sealed), SecretError);
  EXPECT_THROW(open_mail(box, guid, Bytes{1, 2, 3}), SecretError);
}

}  // namespace
}  // namespace waybill::net
