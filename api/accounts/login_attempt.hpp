#pragma once

#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>

#include "api/route/services.hpp"

namespace waybill::api {

/// One try to log in. It counts as failed from the start, in the database, for all nodes together: so tries
/// that run at the same time cannot pass the limit together. A crash leaves it failed.
class LoginAttempt {
 public:
  /// `network` as network_of (api/http/failure_limit.hpp) gives it. Throws Failure (RATE_LIMITED) when ten
  /// logins have failed within 15 minutes for the e-mail address or the network.
  static asio::awaitable<LoginAttempt> begin(Services& services, std::string email, std::string network);

  /// It did not fail.
  asio::awaitable<void> succeed(Services& services) const;

 private:
  LoginAttempt(std::string email, std::string network, std::string at)
      : email_(std::move(email)), network_(std::move(network)), at_(std::move(at)) {}

  std::string email_;
  std::string network_;
  std::string at_;
};

}  // namespace waybill::api
