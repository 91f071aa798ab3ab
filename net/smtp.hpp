#pragma once

#include <memory>

#include "net/mail.hpp"

namespace waybill::net {

/// Sends by SMTP (RFC 5321) to one server, on a thread of its own, up to four messages at a time over
/// connections that are used again. Where the server offers STARTTLS it is used, and credentials never go out
/// without TLS, unless
/// `?tls=none` forbids TLS altogether; certificates are always checked. A refusal of the message itself (5xx
/// to MAIL, RCPT, DATA or the text) is permanent, all else temporary: what a server says of the session, such
/// as a login it refuses, is for the operator to mend. With several recipients all get it or none.
class SmtpMailer final : public Mailer {
 public:
  /// Throws std::runtime_error for a CA file that cannot be read.
  SmtpMailer(SmtpServer server, const MailOptions& options);
  ~SmtpMailer() override;

 private:
  class Impl;
  void transmit(MailMessage message, Done done) override;

  std::unique_ptr<Impl> impl_;
};

}  // namespace waybill::net
