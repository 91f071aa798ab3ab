#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/crypto.hpp"
#include "base/guid.hpp"
#include "base/secret_box.hpp"
#include "net/mail/mail.hpp"

namespace waybill::net {

/// A message as the mail outbox stores it: sealed, because it may contain a token. The sender and the
/// Message-ID are not stored; the process that sends the mail sets them. Mails of the outbox have no `cc` and
/// no `bcc`.
Bytes sealed_mail(const SecretBox& secrets, const Guid& guid, const MailMessage& message);

/// The sealed message as text of a PostgreSQL bytea.
std::string seal_mail(const SecretBox& secrets, const Guid& guid, const MailMessage& message);

/// Returns the purpose (SecretBox) that a stored message is bound to.
std::string mail_purpose(const Guid& guid);

/// Opens a sealed message. Throws SecretError if no key opens it, another exception if its content cannot be
/// read.
MailMessage open_mail(const SecretBox& secrets, const Guid& guid, std::span<const std::uint8_t> sealed);

}  // namespace waybill::net
