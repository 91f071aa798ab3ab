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

/// What handlers work with: one set for each io thread, used on that thread alone. Everything referred to
/// outlives the server.
struct Services {
  storage::Database& db;
  const Clock& clock;
  const SecretBox& secrets;
  const net::DestinationPolicy& destinations;
  Analysis& analysis;      // for what reads much of the history
  Background& background;  // for what would hold up the io thread
  WorkflowLimits workflow_limits = {};
  std::string public_url = {};  // without a trailing slash; for links that leave the service

  Maps* maps = nullptr;      // never null but in tests that ask for no places
  Stores* stores = nullptr;  // never null but in tests that have none

  /// Tells the worker that events may be waiting; cheap, from any thread. The dispatcher calls it after each
  /// request that may have changed something, handlers need not.
  std::function<void()> wake_worker = [] {};

  /// Makes this node forget what it knows of tokens; the others do within half a second. For whoever changed
  /// what a token stands for, once that is committed.
  std::function<void()> tokens_changed = [] {};

  /// Has what was put into the mail outbox sent now, and waits for the first try of it, but no longer than a
  /// second: the mail is safe in the database.
  std::function<asio::awaitable<void>()> send_mails = []() -> asio::awaitable<void> { co_return; };

  AccountMailLimits account_mails = {};

  PasswordHasher* passwords = nullptr;  // of an API that has users

  Readiness* readiness = nullptr;  // of an API that has a database
};

/// The same services on another database. Every member has its line here; the binding does not compile when
/// one is missing.
inline Services with_database(const Services& services, storage::Database& database) {
  const auto& [db, clock, secrets, destinations, analysis, background, workflow_limits, public_url, maps,
               stores, wake_worker, tokens_changed, send_mails, account_mails, passwords, readiness] =
      services;
  return {.db = database,
          .clock = clock,
          .secrets = secrets,
          .destinations = destinations,
          .analysis = analysis,
          .background = background,
          .workflow_limits = workflow_limits,
          .public_url = public_url,
          .maps = maps,
          .stores = stores,
          .wake_worker = wake_worker,
          .tokens_changed = tokens_changed,
          .send_mails = send_mails,
          .account_mails = account_mails,
          .passwords = passwords,
          .readiness = readiness};
}

}  // namespace waybill::api
