#pragma once

#include <optional>
#include <string>

#include <boost/asio/awaitable.hpp>

#include "api/endpoint/services.hpp"
#include "base/clock.hpp"

namespace waybill::api {

/// An attempt to log in. It counts as failed from the start, in the database, for all nodes together, so that
/// simultaneous attempts cannot exceed the limit. After a crash it still counts as failed.
class LoginAttempt {
 public:
  /// `network` comes from network_of (api/http/client_network.hpp). A login without an e-mail address counts
  /// for its network alone, so that nobody can keep others out. Throws Failure (RATE_LIMITED) if ten logins
  /// have failed within 15 minutes for the e-mail address or the network.
  static asio::awaitable<LoginAttempt> begin(Services& services, std::optional<std::string> email,
                                             std::string network);

  /// Removes the attempt from the failed ones.
  asio::awaitable<void> succeed(Services& services) const;

 private:
  LoginAttempt(std::optional<std::string> email, std::string network, Time counted_at)
      : email_(std::move(email)), network_(std::move(network)), counted_at_(counted_at) {}

  std::optional<std::string> email_;
  std::string network_;
  Time counted_at_;
};

}  // namespace waybill::api
