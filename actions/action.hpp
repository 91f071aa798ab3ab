#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "actions/credentials.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/guid.hpp"
#include "base/json.hpp"
#include "domain/records/record_type.hpp"
#include "net/destination.hpp"
#include "net/http_client.hpp"
#include "net/mail.hpp"
#include "net/webhook_signature.hpp"

namespace waybill::actions {

/// What configuring may ask while it checks an action.
struct CheckContext {
  domain::EntityType entity_type;
  const net::DestinationPolicy& destinations;
  /// The type ("send_email", ...) and entity type a stored template is for; nullopt when there is none of
  /// that code. Empty: it cannot be asked now, and whatever is named is good.
  std::function<std::optional<std::pair<std::string, domain::EntityType>>(std::string_view code)>
      find_template;
};

/// An event as an action sees it. The references live as long as the call.
struct EventView {
  const json::object& entity;
  const json::object& previous;
  domain::EntityType entity_type;
  Guid entity_id;
  std::uint64_t event_id;
  Time at;
  std::string_view trigger;  // code
};

struct WorkflowView {
  Guid guid;
  std::string_view name;
  Guid business_id;
  std::string_view business_name;
  const json::object& action;  // as `check` returned it, with "templates" (actions/stored_templates.hpp)
};

/// What a run will do, in the shape of the contract's `wouldSend`: webhook {url, headers, body}, mail {to,
/// subject, body, html}, push {title, body, url, ...}, update_status {entityType, entityIds, status},
/// push_tracking {orderId, trackingNumber, carrier, shippedAt}. It is stored with the run, so that each try
/// and replay sends the same; it never holds a secret.
struct Plan {
  json::object request;             // all of it but `body`
  std::optional<std::string> body;  // apart, because as a JSON string most of it would be escapes
};

/// One try of a run.
struct Attempt {
  const json::object& request;
  std::string_view body;
  Guid run;
  std::string_view message_id;                  // the same for every try and replay of one event × workflow
  std::span<const net::WebhookSecret> secrets;  // of the workflow, newest first, at most two
  int number;                                   // from 1
  Guid business_id{};
  std::string_view trigger = {};  // code
  domain::EntityType entity_type{};
  Guid entity_id{};
  std::string_view tries = "[]";  // those before, a JSON array as the run keeps it
  Guid workflow{};
  std::string_view workflow_name = {};
  int depth = 0;                             // how many changes by workflows led to the event
  const Credentials* credentials = nullptr;  // of the workflow
};

/// How a try ended; the worker turns it into the run's next state.
struct Done {
  std::optional<std::string> pause = std::nullopt;  // its workflow is paused with this reason
};
struct Retry {
  std::string code;                                    // "HTTP_503", "TIMEOUT", "DNS", ...
  std::optional<Duration> retry_after = std::nullopt;  // a lower bound the destination asked for
  std::optional<std::string> pause = std::nullopt;     // its workflow is paused with this reason
};
struct Never {
  std::string code;  // the run is dead at once
};
struct Skip {
  std::string code;  // the run is skipped: there was nothing to do
};
struct Pause {
  std::string code;    // the run is dead with this code ...
  std::string reason;  // ... and its workflow is paused with this reason
};
/// Records are to be moved to a status. It happens when the run is recorded, in the same transaction; how the
/// run ends is known only then.
struct Move {
  domain::EntityType entity_type;  // order or shipment
  std::vector<Guid> records;
  std::string status;
  std::optional<std::string> when_all_shipments;  // of orders: the status all their shipments must have
  std::string cause;                              // JSON {by, depth} of the events that it makes
};
using Outcome = std::variant<Done, Retry, Never, Skip, Pause, Move>;

/// What is kept of a try.
struct AttemptResult {
  Outcome outcome;
  Time started_at;
  Duration duration{};
  std::optional<int> status_code;
  std::optional<std::string> response;  // valid UTF-8: 4 KiB of an answer, or the report of a push
  std::optional<std::string> error;     // a sentence
  bool cancelled = false;  // called off by the worker's end, or the database is away: it was no try, and
                           // `outcome` says nothing
  std::optional<Time> again_at = std::nullopt;  // of a cancelled one: not before
  bool destination_failed = false;              // counts against the destination's circuit breaker
};

class WebPushSender;
class TrackingSender;

/// The means by which actions act. All are thread-safe and outlive every action in flight.
struct Effects {
  net::HttpClient& http;
  const Clock& clock;
  net::Mailer& mailer;
  std::string_view mail_from;  // who mails are from
  // True once the mailer is being taken down: what it then calls a temporary failure was no try. Null: never.
  const std::atomic<bool>* mailer_ends = nullptr;
  WebPushSender* push = nullptr;       // null where no push message is performed
  TrackingSender* tracking = nullptr;  // null where no store is told of shipments
};

/// One type of action. Implementations have no state: one instance serves every thread.
class Action {
 public:
  virtual ~Action() = default;

  virtual std::string_view type() const = 0;

  /// Checks a workflow's `action` object at configure time. Returns the form to store (defaults filled in,
  /// without the secret); what is wrong goes to `errors` under "action.…", and the result is then not used.
  /// Pure.
  virtual json::object check(const json::object& definition, const CheckContext& context,
                             FieldErrors& errors) const = 0;

  /// True when only workflows that come with the business may have it.
  virtual bool managed_only() const { return false; }

  /// True when a workflow of this type has a signing secret, made when none is given.
  virtual bool has_secret() const { return false; }

  /// The codes of the stored templates that a checked definition uses, as its text or as partials of texts of
  /// its own.
  virtual std::vector<std::string> templates(const json::object& /*definition*/) const { return {}; }

  /// The user that a checked definition names, who must be of the business.
  virtual std::optional<Guid> user(const json::object& /*definition*/) const { return std::nullopt; }

  /// True when its runs change records. Those of one event are performed in the order in which their
  /// workflows were made, and not at all for an event too deep.
  virtual bool changes_records() const { return false; }

  /// What a run will do. Pure. Throws std::length_error when a rendered part is too large; the run is then
  /// dead with code PAYLOAD_TOO_LARGE.
  virtual Plan plan(const WorkflowView& workflow, const EventView& event) const = 0;

  /// What limits, breakers and turns in the queue count by; empty when there is nothing to wait for. A
  /// business's own ("host:port/business"), for what one asks of a host may fail where another's succeeds.
  virtual std::string destination(const json::object& request, const Guid& business) const = 0;

  /// The destination of the runs of a checked definition, for a run that is queued before it is rendered.
  virtual std::string queue_destination(const json::object& /*definition*/, const Guid& business) const {
    return destination({}, business);
  }

  /// How many tries of one destination may be under way on a worker, healthy as it may be.
  virtual std::size_t max_in_flight() const { return SIZE_MAX; }

  using Finish = std::function<void(AttemptResult)>;

  /// Makes one try. `attempt` lives until `finish` is called, which happens exactly once, on any thread,
  /// possibly before perform returns. A crash before that leaves the try unrecorded, and it is made again.
  virtual void perform(const Attempt& attempt, Effects& effects, Finish finish) const = 0;
};

/// Null when unknown.
const Action* find_action(std::string_view type);
std::span<const Action* const> all_actions();

}  // namespace waybill::actions
