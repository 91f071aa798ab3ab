#pragma once

#include <stdexcept>

#include "net/mail/mail.hpp"

namespace waybill::tests {

/// The mailer of actions that send no mail.
class NoMailer : public net::Mailer {
  void transmit(net::MailMessage, Done) override { throw std::logic_error("the action sends a mail"); }
};

}  // namespace waybill::tests
