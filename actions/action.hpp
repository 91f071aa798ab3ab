#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
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
#include "net/destination/destination.hpp"
#include "net/http/http_client.hpp"
#include "net/http/webhook_signature.hpp"
#include "net/mail/mail.hpp"
#include "storage/changes/record_change.hpp"

namespace waybill::actions {

/// The context in which `check` judges an action of a workflow.
struct CheckContext {
  domain::EntityType entity_type;
  const net::DestinationPolicy& destinations;
  /// Returns the action type ("send_email", ...) and entity type of a stored template; nullopt if no template
  /// has this code. Empty if templates cannot be looked up now; every code is then accepted.
  std::function<std::optional<std::pair<std::string, domain::EntityType>>(std::string_view code)>
      find_template;
};

/// An event as an action sees it. The references are valid only during the call.
struct EventView {
  const json::object&
      entity;  // {count, items} for a run for several records; {count, items, by} for a digest
  const json::object& previous;
  domain::EntityType entity_type;
  Guid entity_id;          // nil for several records
  std::uint64_t event_id;  // negative as a bigint for a run without an event; 0 for a test without one
  Time at;
  std::string_view trigger;  // code
  /// The codes of the triggers that the event meets, the narrowest first; only for a workflow with a list of
  /// triggers.
  std::span<const std::string_view> triggers = {};
  const json::object* steps = nullptr;  // values of the run's earlier steps, by name; null if there are none
};

struct WorkflowView {
  Guid guid;
  std::string_view name;
  Guid business_id;
  std::string_view business_name;
  const json::object& action;               // as `check` returned it
  std::string_view sender_name = {};        // name in the business's mails; may be empty
  std::string_view reply_to = {};           // address for replies; may be empty
  const json::object* templates = nullptr;  // that the action uses (actions/stored_templates.hpp)
  std::string_view zone_offsets = {};       // of the business's time zone; empty: UTC
};

/// The content of a run, in the shape of the contract's `wouldSend`: webhook {url, headers, body}, mail {to,
/// subject, body, html, senderName, replyTo}, push {title, body, url, ...}, update_status {entityType,
/// entityIds, status}, push_tracking {orderId, trackingNumber, carrier, shippedAt}. It is stored with the
/// run, so that every attempt and replay sends the same. It never holds a secret.
struct Plan {
  json::object request;             // everything but `body`
  std::optional<std::string> body;  // separate, because a JSON string of it would be mostly escapes
};

/// One attempt of a run.
struct Attempt {
  const json::object& request;
  std::string_view body;
  Guid run;
  std::string_view message_id;  // the same for all attempts and replays of an event × workflow
  std::span<const net::WebhookSecret> secrets;  // secrets of the workflow, newest first, at most 2
  int number;                                   // from 1
  Guid business_id{};
  std::string_view trigger = {};  // code
  domain::EntityType entity_type{};
  Guid entity_id{};
  std::string_view tries = "[]";  // earlier attempts, the JSON array stored with the run
  Guid workflow{};
  std::string_view workflow_name = {};
  int depth = 0;                             // number of changes by workflows that led to the event
  const Credentials* credentials = nullptr;  // credentials of the workflow, or of its step
  int step = 1;                              // number of the step in a workflow of several, from 1
  Time expires_at = {};                      // when the event of the run is no longer kept
};

/// The result of an attempt, from which the worker derives the run's next state.
struct Done {
  std::optional<std::string> pause = std::nullopt;  // reason to pause the workflow
};
struct Retry {
  std::string code;                                    // "HTTP_503", "TIMEOUT", "DNS", ...
  std::optional<Duration> retry_after = std::nullopt;  // the minimum delay that the destination asked for
  std::optional<std::string> pause = std::nullopt;     // reason to pause the workflow
};
struct Dead {
  std::string code;  // the run is dead at once
};
struct Skip {
  std::string code;  // the run is skipped because there was nothing to do
};
struct Pause {
  std::string code;    // the run is dead with this code
  std::string reason;  // reason to pause the workflow
};
/// The last five are requests to change records. The change is made when the run is recorded, in the same
/// transaction; the result of the run is known only then.
using Outcome = std::variant<Done, Retry, Dead, Skip, Pause, storage::StatusChange, storage::FieldChange,
                             storage::NewShipment, storage::LabelPurchase, storage::LabelVoid>;

/// The stored result of an attempt.
struct AttemptResult {
  Outcome outcome;
  Time started_at;
  Duration duration{};
  std::optional<int> status_code;
  std::optional<std::string> response;  // valid UTF-8: 4 KiB of a response, or the report of a push message
  std::optional<std::string> error;     // a whole sentence
  std::optional<std::string> answer = std::nullopt;  // the declared values of an answer, as a JSON object
  // True if the attempt was not made or was cut off: the worker stopped, the database was unavailable or no
  // slot was free. It does not count, and `outcome` has no meaning.
  bool cancelled = false;
  std::optional<Time> next_attempt_at =
      std::nullopt;                 // earliest time of the next attempt, for a cancelled one
  bool destination_failed = false;  // counts against the destination's circuit breaker
};

class WebPushSender;
class TrackingSender;

/// The clients and services that actions use. All are thread-safe and outlive every attempt in flight.
struct Effects {
  net::HttpSender& http;
  const Clock& clock;
  net::Mailer& mailer;
  std::string_view mail_from;          // the sender of mails
  WebPushSender* push = nullptr;       // null if no push messages are sent
  TrackingSender* tracking = nullptr;  // null if no tracking is sent to stores
};

/// The notifications that a business can switch off.
enum class Notification : std::uint8_t { none, email, push };

/// Thrown by `Action::plan` for a value that is invalid once it is rendered. The run is then dead with code
/// INVALID_VALUE. The text is a sentence that names the field.
class InvalidValue : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A carrier, or an item of an order, that a checked definition names.
struct NamedRecord {
  enum class Kind : std::uint8_t { carrier, item };
  Kind kind;
  Guid guid;
};

/// A value of a performed step for the steps after it.
struct StepValue {
  std::string path;          // below `steps.NAME.`
  domain::FieldType type{};  // of one that `is_any`: string
  bool is_any = false;       // of any type, like a value of metadata
};

/// One type of action. Implementations have no state; one instance serves all threads.
class Action {
 public:
  virtual ~Action() = default;

  virtual std::string_view type() const = 0;

  /// Checks a workflow's `action` object when the workflow is configured. Returns the form to store, with
  /// defaults and without the secret. Problems are added to `errors` under "action.…"; the result is then
  /// not used. Pure.
  virtual json::object check(const json::object& definition, const CheckContext& context,
                             FieldErrors& errors) const = 0;

  /// True if only the managed workflows of a business may have this action.
  virtual bool managed_only() const { return false; }

  /// True if workflows with this action have a signing secret, which is generated if none is given.
  virtual bool has_secret() const { return false; }

  /// The kind of notification that runs with this action send.
  virtual Notification notification() const { return Notification::none; }

  /// True if runs of a checked definition send the whole entity.
  virtual bool sends_entity(const json::object& /*definition*/) const { return false; }

  /// True if versions that know only the first format of definitions (domain/workflows/triggers.hpp) would
  /// perform a checked definition in another way. They then hold the workflow as unreadable.
  virtual bool needs_second_format(const json::object& /*definition*/) const { return false; }

  /// The codes of the stored templates that a checked definition uses, as its text or as partials.
  virtual std::vector<std::string> templates(const json::object& /*definition*/) const { return {}; }

  /// The user that a checked definition names; must belong to the business.
  virtual std::optional<Guid> user(const json::object& /*definition*/) const { return std::nullopt; }

  /// The records that a checked definition names by literal guids; must belong to the business.
  virtual std::vector<NamedRecord> records(const json::object& /*definition*/) const { return {}; }

  /// True if runs with this action change records. Those of one event are performed in the order in which
  /// their workflows were created, and not at all if the event's depth is beyond the limit.
  virtual bool changes_records() const { return false; }

  /// True if the requests of this action hold no data of a person, so that they stay when a person is erased.
  virtual bool is_impersonal() const { return false; }

  /// Plans a run. Pure. Throws std::length_error if a rendered part is too large; the run is then dead with
  /// code PAYLOAD_TOO_LARGE. Throws InvalidValue.
  virtual Plan plan(const WorkflowView& workflow, const EventView& event) const = 0;

  /// The key by which limits, circuit breakers and the queue's fairness count; empty if the run need not
  /// wait. It includes the business ("host:port/business"), because a server may fail the requests of one
  /// business and serve those of another.
  virtual std::string destination(const json::object& request, const Guid& business) const = 0;

  /// The destination of a run that is queued before it is rendered, from its checked definition.
  virtual std::string queue_destination(const json::object& /*definition*/, const Guid& business) const {
    return destination({}, business);
  }

  /// The most attempts that a worker may have in flight for one destination, even if it is healthy.
  virtual std::size_t max_in_flight() const { return SIZE_MAX; }

  using Finish = std::function<void(AttemptResult)>;

  /// Makes one attempt. `attempt` must live until `finish` is called, exactly once, on any thread, possibly
  /// before `perform` returns. After a crash before that call, the attempt is not recorded and is made again.
  virtual void perform(const Attempt& attempt, Effects& effects, Finish finish) const = 0;

  /// The values that a step with a checked definition has once it has succeeded. Throws std::invalid_argument
  /// for a part that this version cannot read.
  virtual std::vector<StepValue> values(const json::object& /*definition*/) const { return {}; }

  /// True if a run waits for an event of its record after the attempt.
  virtual bool awaits_events() const { return false; }
};

/// Returns null for an unknown type.
const Action* find_action(std::string_view type);
/// True for the type of an action that sends something and changes no records.
bool only_sends(std::string_view type);
std::span<const Action* const> all_actions();

}  // namespace waybill::actions
