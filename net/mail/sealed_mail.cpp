#include "net/mail/sealed_mail.hpp"

#include "base/json.hpp"

namespace waybill::net {

std::string mail_purpose(const Guid& guid) { return "mail:" + guid.to_string(); }

Bytes sealed_mail(const SecretBox& secrets, const Guid& guid, const MailMessage& message) {
  json::object written{{"senderName", message.sender_name},
                       {"to", json::value_from(message.to)},
                       {"remaining", json::value_from(message.remaining)},
                       {"replyTo", message.reply_to},
                       {"subject", message.subject},
                       {"text", message.text},
                       {"html", message.html},
                       {"headers", json::value_from(message.headers)}};
  return secrets.seal(to_json(written), mail_purpose(guid));
}

std::string seal_mail(const SecretBox& secrets, const Guid& guid, const MailMessage& message) {
  return "\\x" + hex(sealed_mail(secrets, guid, message));
}

MailMessage open_mail(const SecretBox& secrets, const Guid& guid, std::span<const std::uint8_t> sealed) {
  const auto written = json::parse(secrets.open(sealed, mail_purpose(guid))).as_object();
  using Headers = std::vector<std::pair<std::string, std::string>>;
  using Recipients = std::vector<std::string>;
  const auto optional_text = [&](std::string_view name) {  // mails of earlier versions have none
    const auto* const text = written.if_contains(name);
    return text == nullptr ? std::string() : json::value_to<std::string>(*text);
  };
  const auto* const remaining = written.if_contains("remaining");
  return {.sender_name = optional_text("senderName"),
          .to = json::value_to<Recipients>(written.at("to")),
          .remaining = remaining == nullptr ? Recipients() : json::value_to<Recipients>(*remaining),
          .reply_to = optional_text("replyTo"),
          .subject = json::value_to<std::string>(written.at("subject")),
          .text = json::value_to<std::string>(written.at("text")),
          .html = json::value_to<std::string>(written.at("html")),
          .headers = json::value_to<Headers>(written.at("headers"))};
}

}  // namespace waybill::net
