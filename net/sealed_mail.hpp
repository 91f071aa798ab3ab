#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/guid.hpp"
#include "base/secret_box.hpp"
#include "net/mail.hpp"

namespace waybill::net {

/// A message as the mail outbox stores it: sealed, because it may contain a token, as text of a PostgreSQL
/// bytea. The sender and the Message-ID are not stored; the process that sends the mail sets them.
std::string seal_mail(const SecretBox& secrets, const Guid& guid, const MailMessage& message);

/// Opens a sealed message (PostgreSQL's "\x…"). Throws SecretError.
MailMessage open_mail(const SecretBox& secrets, const Guid& guid, std::string_view sealed);

}  // namespace waybill::net
