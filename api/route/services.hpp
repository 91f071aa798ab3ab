#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include <boost/asio/awaitable.hpp>

#include "api/threads/analysis.hpp"
#include "api/threads/background.hpp"
#include "base/clock.hpp"
#include "base/secret_box.hpp"
#include "net/destination.hpp"
#include "storage/database.hpp"

namespace waybill::api {

namespace asio = boost::asio;

class Maps;
class PasswordHasher;
class Readiness;
class Stores;

/// Limits of the workflows of a business.
struct WorkflowLimits {
  std::int64_t per_business = 500;               // managed ones do not count
  std::int64_t per_trigger = 100;                // active ones
  Duration delay_below = std::chrono::days(30);  // the time that events are kept
};

/// Requests an hour that send account mails; 0: any number.
struct AccountMailLimits {
  std::int64_t per_network = 10;
  std::int64_t per_address = 3;
};

/// The operator's choices that handlers follow.
struct Settings {
  net::DestinationPolicy destinations;
  WorkflowLimits workflow_limits;
  AccountMailLimits account_mails;
  std::string public_url;  // for links in mails; without a trailing slash
};

/// The services that handlers use: one set for each io thread, used on that thread alone. Everything referred
/// to outlives the server.
struct Services {
  storage::Database& db;
  const Clock& clock;
  const SecretBox& secrets;
  const Settings& settings;
  Analysis& analysis;      // for requests that read much of the history
  Background& background;  // for work that would hold up the io thread
  Maps& maps;
  Stores& stores;
  PasswordHasher& passwords;
  Readiness& readiness;

  /// Makes this process forget its cached tokens; other processes do so within half a second. Call it after a
  /// change of tokens, users or plans is committed.
  std::function<void()> tokens_changed;

  /// Sends the mails in the outbox now and waits for their first attempt, a second at most: they are safe in
  /// the database.
  std::function<asio::awaitable<void>()> send_mails;
};

/// The same services on another database.
inline Services with_database(const Services& services, storage::Database& database) {
  // The binding does not compile if a member is missing here.
  const auto& [db, clock, secrets, settings, analysis, background, maps, stores, passwords, readiness,
               tokens_changed, send_mails] = services;
  return {database, clock,  secrets,   settings,  analysis,       background,
          maps,     stores, passwords, readiness, tokens_changed, send_mails};
}

}  // namespace waybill::api
