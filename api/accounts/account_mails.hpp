#pragma once

#include <string>

#include <boost/asio/awaitable.hpp>

#include "api/route/route.hpp"
#include "api/route/services.hpp"

namespace waybill::api {

/// Counts a registration, a forgotten password or a resent mail for the caller's network and the e-mail
/// address, in the database, for all nodes together. Throws Failure (RATE_LIMITED) when either has used up
/// its hour; the request then counts for neither. To be called before anything else is done or looked at, so
/// that the answer does not depend on the account.
asio::awaitable<void> count_account_mail(const Call& call, Services& services, std::string email);

/// The same for an invitation: by the business and the invited address. An address has a count of its own for
/// invitations, so that nobody's invitations keep its owner from resetting the password.
asio::awaitable<void> count_invitation(const Call& call, Services& services, std::string email);

}  // namespace waybill::api
