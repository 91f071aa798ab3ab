#pragma once

#include <string>

#include <boost/asio/awaitable.hpp>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"

namespace waybill::api {

/// Counts a registration, a forgotten password or a resent mail for the caller's network and the e-mail
/// address, in the database, for all nodes together. Throws Failure (RATE_LIMITED) if either has reached its
/// hourly limit; the request then counts for neither. Must be called first, so that the answer does not
/// depend on the account.
asio::awaitable<void> count_account_mail(const Call& call, Services& services, std::string email);

/// Counts an invitation for the business and the invited address. Invitations have a separate counter per
/// address, so that they cannot prevent its owner from resetting the password.
asio::awaitable<void> count_invitation(const Call& call, Services& services, std::string email);

}  // namespace waybill::api
