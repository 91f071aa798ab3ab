#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/guid.hpp"
#include "base/secret_box.hpp"
#include "net/mail.hpp"

namespace waybill::net {

/// A message as the mail outbox keeps it: sealed, as it may hold a token. The sender and the Message-ID are
/// those of whoever sends it. As PostgreSQL reads a bytea.
std::string seal_mail(const SecretBox& secrets, const Guid& guid, const MailMessage& message);

/// The message of a sealed value (PostgreSQL's "\x…"). Throws SecretError.
MailMessage open_mail(const SecretBox& secrets, const Guid& guid, std::string_view sealed);

}  // namespace waybill::net
