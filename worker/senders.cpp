#include "worker/senders.hpp"

#include <utility>

#include "actions/web_push/stored_subscriptions.hpp"
#include "base/database_clock.hpp"
#include "worker/delivery/mail_limit.hpp"

namespace waybill::worker {
namespace {

std::unique_ptr<net::Mailer> make_mailer(const Worker::Options& options) {
  auto mailer = net::make_mailer(options.mail);
  if (options.mails_per_day == 0) return mailer;
  return std::make_unique<MailLimit>(
      MailLimit::Options{.database_url = options.database_url, .recipients_per_day = options.mails_per_day},
      std::move(mailer));
}

}  // namespace

Senders::Senders(const Worker::Options& options, const Guid& worker, const SecretBox& secrets,
                 net::DestinationCounts& counts)
    : options_(options),
      push_(
          std::make_unique<actions::StoredSubscriptions>(options.database_url, secrets, options.push_contact),
          net::CircuitBreaker::Options(), &counts),
      http_({.policy = options.destinations, .ca_file = options.ca_file}),
      stores_({.database_url = options.database_url,
               .destinations = options.destinations,
               .ca_file = options.ca_file,
               .read_connections = options.store_reads,
               .write_connections = options.store_writes}),
      tracking_({.worker = worker,
                 .connectors = options.connectors,
                 .public_url = options.public_url,
                 .counts = &counts},
                secrets, database_clock(), stores_),
      mailer_(make_mailer(options)) {}

actions::Effects Senders::effects() {
  return {.http = http_,
          .clock = database_clock(),
          .mailer = *mailer_,
          .mail_from = options_.mail_from,
          .push = &push_,
          .tracking = &tracking_};
}

}  // namespace waybill::worker
