#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include <boost/asio/awaitable.hpp>

#include "api/http/call_limit.hpp"
#include "api/threads/analysis.hpp"
#include "api/threads/background.hpp"
#include "base/clock.hpp"
#include "base/secret_box.hpp"
#include "net/destination/destination.hpp"
#include "storage/database/database.hpp"

namespace waybill::connectors {
class Gateways;
}

namespace waybill::api {

namespace asio = boost::asio;

class Maps;
class PasswordHasher;
struct PrintPlaces;
class Readiness;
class Stores;
class Totals;

/// Limits of the workflows of a business.
struct WorkflowLimits {
  std::int64_t per_business = 500;                     // without managed workflows
  std::int64_t per_trigger = 100;                      // active workflows
  std::int64_t bytes_per_business = 8L * 1024 * 1024;  // with the texts of templates
  Duration delay_below = std::chrono::days(30);        // the retention of events
};

/// Requests in an hour that send account mails; 0: unlimited.
struct AccountMailLimits {
  std::int64_t per_network = 10;
  std::int64_t per_address = 3;
};

/// The configuration that handlers use.
struct Settings {
  net::DestinationPolicy destinations;
  WorkflowLimits workflow_limits;
  AccountMailLimits account_mails;
  std::string public_url;                // for links in mails; without a trailing slash
  std::string push_contact;              // address of the operator, for push services (net::VapidSigner)
  std::filesystem::path mail_directory;  // folder of written mails; empty if mails go to a server
};

/// Limits of the calls without a token, of this process. Used by all io threads.
struct PublicLimits {
  CallLimit inbound_failures;  // inbound calls with an unknown guid or a wrong signature
  CallLimit page_views{
      {.most_calls = 120, .most_clients = 200'000}};  // limit of tracking pages; each view counts
};

/// The services that handlers use: one set for each io thread, used on that thread only. All references
/// outlive the server.
struct Services {
  storage::Database& db;
  const Clock& clock;
  const SecretBox& secrets;
  const Settings& settings;
  Analysis& analysis;      // for requests that read much of the history
  Background& background;  // for work that would block the io thread
  Background& bodies;      // for parsing large bodies and checking their signatures
  Background& drawing;     // for labels, packing slips and pick lists
  Background& merging;     // for merging labels, in processes of their own
  PrintPlaces& printing;   // for requests that merge labels
  Maps& maps;
  Stores& stores;
  connectors::Gateways& gateways;
  PasswordHasher& passwords;
  Readiness& readiness;
  PublicLimits& public_limits;
  Totals& totals;  // totals of lists

  /// Invalidates the cached tokens of this process; those of other processes expire within half a second.
  /// Call it after the commit of a change to tokens, users or plans.
  std::function<void()> tokens_changed;

  /// Notes that the database refused a write because its disk is full.
  std::function<void()> note_full_disk;

  /// Sends the mails in the outbox and waits up to a second for their first attempt. A mail that is not sent
  /// by then stays in the outbox.
  std::function<asio::awaitable<void>()> send_mails;

  /// Makes the process look for due jobs. Call it after the commit of a new or stopped job.
  std::function<void()> wake_jobs;

  /// The services without the transaction of a request with an Idempotency-Key, for what is done before its
  /// answer is known; it is done again if the request is repeated before its answer is kept. Null without a
  /// key.
  Services* outside = nullptr;

  /// The services of what is done before the answer is known.
  Services& at_once() { return outside == nullptr ? *this : *outside; }
};

/// The same services with another database.
inline Services with_database(const Services& services, storage::Database& database) {
  // Does not compile if a member is missing here.
  const auto& [db, clock, secrets, settings, analysis, background, bodies, drawing, merging, printing, maps,
               stores, gateways, passwords, readiness, public_limits, totals, tokens_changed, note_full_disk,
               send_mails, wake_jobs, outside] = services;
  return {database,       clock,      secrets,   settings,      analysis, background,
          bodies,         drawing,    merging,   printing,      maps,     stores,
          gateways,       passwords,  readiness, public_limits, totals,   tokens_changed,
          note_full_disk, send_mails, wake_jobs, outside};
}

}  // namespace waybill::api
