#pragma once

#include <memory>
#include <optional>
#include <string>

#include "net/mail/mail.hpp"

namespace waybill::net {

/// Connects to the server of `options.smtp_url`, logs in and quits without sending a mail. Returns the reason
/// if that fails. Blocks for up to 10 s. Throws std::runtime_error for a CA file that cannot be read.
std::optional<std::string> smtp_fault(const MailOptions& options);

/// Sends by SMTP (RFC 5321) to one server, on its own thread, up to four messages at a time over reused
/// connections. Uses STARTTLS if the server offers it and never sends credentials without TLS, unless
/// `?tls=none` forbids TLS; always checks certificates. A refusal of the message (5xx to MAIL, RCPT, DATA or
/// the text) is permanent. All other failures are temporary, also those of the session such as a refused
/// login, which the operator can correct.
class SmtpMailer final : public Mailer {
 public:
  /// Throws std::runtime_error for a CA file that cannot be read.
  SmtpMailer(SmtpServer server, const MailOptions& options);
  ~SmtpMailer() override;

 private:
  class Impl;
  void transmit(MailMessage message, Done done) override;
  void end(Moment until) override;

  std::unique_ptr<Impl> impl_;
};

}  // namespace waybill::net
