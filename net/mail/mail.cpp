#include "net/mail/mail.hpp"

#include <stdexcept>

#include "net/mail/mail_directory.hpp"
#include "net/mail/smtp.hpp"

namespace waybill::net {

void Mailer::send(MailMessage message, Done done) {
  if (auto problem = mail_problem(message)) {
    done({MailResult::permanent, std::move(*problem)});
  } else {
    transmit(std::move(message), std::move(done));
  }
}

std::unique_ptr<Mailer> make_mailer(const MailOptions& options) {
  if (options.smtp_url.empty()) return std::make_unique<DirectoryMailer>(options.directory);
  auto server = parse_smtp_url(options.smtp_url);
  if (!server) throw std::invalid_argument("the SMTP server's URL is malformed");
  return std::make_unique<SmtpMailer>(std::move(*server), options);
}

}  // namespace waybill::net
