#include "api/workflows/configure.hpp"

#include <string>
#include <vector>

#include "actions/stored_steps.hpp"
#include "api/records/fields.hpp"
#include "api/records/row_json.hpp"
#include "api/workflows/definition/named_records.hpp"
#include "api/workflows/definition/step_body.hpp"
#include "api/workflows/definition/workflow_body.hpp"
#include "api/workflows/definition/workflow_headers.hpp"
#include "api/workflows/definition/workflow_schemas.hpp"
#include "api/workflows/trials/test_and_backtest.hpp"
#include "base/exact_number.hpp"
#include "base/observe.hpp"
#include "domain/workflows/triggers.hpp"
#include "storage/settings/sealing_purposes.hpp"
#include "storage/sql/pacing.sql.hpp"
#include "storage/sql/templates.sql.hpp"
#include "storage/sql/users.sql.hpp"
#include "storage/sql/workflows.sql.hpp"
#include "storage/statement/errors.hpp"

namespace waybill::api {
namespace {

constexpr Property configured_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "name", .kind = Kind::string, .nullable = false},
    {.name = "isActive", .kind = Kind::boolean, .nullable = false},
    {.name = "version", .kind = Kind::integer, .nullable = false},
    {.name = "firedLast7Days",
     .kind = Kind::integer,
     .description = "How often the workflow would have run; null if there are too many events to count."},
    {.name = "action", .kind = Kind::any, .schema = &action_schema},
    {.name = "steps",
     .kind = Kind::any,
     .optional = true,
     .schema = &steps_schema,
     .description = "Only for a workflow with steps."},
    warnings_property,
};
constexpr std::int64_t most_woken = 50'000;  // runs that wait for a window

template <typename Part>
std::optional<std::string> stored_json(const std::optional<Part>& part) {
  return part ? std::optional(to_json(part->stored())) : std::nullopt;
}

/// Runs sql::workflows::Create or sql::workflows::Change. `kept_credentials` are the stored ones if they do
/// not change: encrypted anew, they would look changed in the audit log.
template <storage::TypedStatement S>
asio::awaitable<storage::Rows> store(const Call& call, const Services& services,
                                     storage::Transaction& transaction, const Guid& guid,
                                     const WorkflowDefinition& definition,
                                     std::optional<Bytes> kept_credentials = {}) {
  std::optional<Bytes> sealed_secret, sealed_credentials = std::move(kept_credentials);
  if (definition.secret) sealed_secret = seal_workflow_secret(services, *definition.secret, guid);
  if (!sealed_credentials && !definition.credentials.empty()) {
    sealed_credentials =
        services.secrets.seal(definition.credentials.text(), actions::Credentials::purpose(guid));
  }
  co_return co_await transaction.run(S{.business = call.business(),
                                       .workflow = guid,
                                       .name = definition.name,
                                       .entity_type = static_cast<std::int16_t>(definition.entity_type),
                                       .trigger = definition.trigger_code,
                                       .action = to_json(definition.action),
                                       .conditions = to_json(definition.conditions),
                                       .is_active = definition.is_active,
                                       .ordered = definition.ordered,
                                       .delay = definition.delay,
                                       .sealed_secret = sealed_secret,
                                       .template_codes = definition.template_codes,
                                       .sealed_credentials = sealed_credentials,
                                       .window = stored_json(definition.pacing.window),
                                       .limit = stored_json(definition.pacing.limit),
                                       .rate = stored_json(definition.pacing.rate),
                                       .workdays = definition.workdays,
                                       .cancel_on = definition.cancel_on.is_null()
                                                        ? std::nullopt
                                                        : std::optional(to_json(definition.cancel_on))});
}

asio::awaitable<void> check_user(const Call& call, storage::Transaction& transaction,
                                 const WorkflowDefinition& definition) {
  std::vector<std::pair<Guid, std::string>> named;  // with the field
  for_each_action(definition.action, [&](const actions::Action& action, const json::object& action_definition,
                                         const std::string& field) {
    if (const auto user = action.user(action_definition)) named.emplace_back(*user, field + ".recipient");
  });
  for (const auto& [user, field] : named) {
    const auto found =
        co_await transaction.run(storage::sql::users::IsMember{.business = call.business(), .user = user});
    if (!found.front().is_member) throw invalid(field, "there is no user with this guid");
  }
}

/// Throws Failure if the database's server does not know the time zone of the window.
asio::awaitable<void> check_zone(const Call& call, const Services& services,
                                 storage::Transaction& transaction, const WorkflowDefinition& definition) {
  const auto& window = definition.pacing.window;
  if (!window || !window->zone) co_return;
  const std::vector<std::int64_t> days(window->days.begin(), window->days.end());
  const auto opening =
      co_await transaction.run(storage::sql::pacing::NextOpening{.business = call.business(),
                                                                 .zone = window->zone,
                                                                 .days = days,
                                                                 .opens = window->from,
                                                                 .closes = window->to,
                                                                 .at = services.clock.now(),
                                                                 .workdays = window->workdays});
  if (!opening.front().is_known_zone)
    throw invalid("window.timezone", "is not known to the database's server");
}

/// Stores the expected number of firings, by which the worker detects excessive ones. A failure is only
/// logged.
asio::awaitable<void> store_expectation(const Call& call, Services& services, const Guid& workflow,
                                        std::uint64_t fired) {
  const auto& name = sql::workflows::ExpectFirings::statement.name;
  try {
    co_await services.db.write(
        sql::workflows::ExpectFirings{.business = call.business(),
                                      .workflow = workflow,
                                      .expected_weekly = static_cast<std::int64_t>(fired)},
        {});
  } catch (const std::exception& error) {
    observe(Observable::statement_failed, {{"statement", name}, {"error", error.what()}});
  }
}

/// Adds the signing secret to the webhooks of a shown workflow.
void show_secret(const std::string& secret, json::object& shown) {
  const auto add = [&](json::object& action) {
    const auto* const type = actions::find_action(text_at(action, "type").value_or(""));
    if (type != nullptr && type->has_secret()) action["secret"] = secret;
  };
  if (auto* const action = shown.at("action").if_object()) add(*action);
  if (auto* const steps = shown.at("steps").if_array())
    actions::for_each_step(*steps, {}, [&](json::object& step, const std::string&) { add(step); });
}

json::array warnings_of(const WorkflowDefinition& definition) {
  json::array warnings;
  if (definition.ordered && awaits_events(definition.action))
    warnings.emplace_back(
        "While a run waits for an event, the later runs for its record wait, too, because the "
        "workflow is ordered.");
  const auto choice = domain::parse_choice(definition.trigger_code);
  if (choice && choice->digest && choice->digest->terms.quiet > choice->digest->terms.at_most)
    warnings.emplace_back("The digest always ends after atMost (" +
                          format_duration(choice->digest->terms.at_most) + "), because quiet is longer.");
  return warnings;
}

/// `fired` is the number of times the workflow would have fired; nullopt if it was not counted.
asio::awaitable<std::string> configured_answer(const Call& call, Services& services, const Guid& guid,
                                               const storage::Rows& rows,
                                               const WorkflowDefinition& definition,
                                               std::optional<std::uint64_t> fired) {
  json::object configured = json::parse(json_object(rows)).as_object();
  if (json::array warnings = warnings_of(definition); !warnings.empty())
    configured["warnings"] = std::move(warnings);
  configured["firedLast7Days"] = fired ? json::value(*fired) : json::value();
  if (fired) co_await store_expectation(call, services, guid, *fired);
  show_action(configured);
  if (definition.secret) show_secret(*definition.secret, configured);
  if (configured.at("steps").is_null()) configured.erase("steps");
  co_return to_json(configured);
}

/// True if storing `after` would change nothing in a workflow that is stored as `before`.
bool is_unchanged(const WorkflowDefinition& before, const WorkflowDefinition& after) {
  return !after.secret && before.name == after.name && before.entity_type == after.entity_type &&
         before.trigger_code == after.trigger_code && is_same_json(before.action, after.action) &&
         is_same_json(before.conditions, after.conditions) && before.is_active == after.is_active &&
         before.ordered == after.ordered && before.delay == after.delay &&
         before.workdays == after.workdays && before.pacing == after.pacing &&
         is_same_json(before.cancel_on, after.cancel_on) && before.credentials == after.credentials;
}

/// Merges the body of a request into a definition and checks the result.
asio::awaitable<void> merge_checked(const Call& call, Services& services, storage::Transaction& transaction,
                                    const Guid& guid, const json::object& body,
                                    WorkflowDefinition& definition) {
  const FindTemplate find = co_await find_template(call, transaction, body, definition);
  merge_workflow(body, services.settings.destinations, find, services.settings.workflow_limits.delay_below,
                 definition);
  co_await check_user(call, transaction, definition);
  co_await check_zone(call, services, transaction, definition);
  co_await check_limits(call, services, transaction, guid, definition.trigger_code, definition.is_active,
                        &definition);
}

asio::awaitable<WorkflowDefinition> new_definition(const Call& call, Services& services,
                                                   storage::Transaction& transaction, const Guid& guid) {
  WorkflowDefinition definition;
  definition.conditions = json::object();
  // Locked before a template's row, as in a change of a workflow or of a template, to prevent deadlocks.
  co_await transaction.run(storage::sql::templates::LockBusiness{.business = call.business()});
  co_await merge_checked(call, services, transaction, guid, call.object(), definition);
  co_return definition;
}

/// A stored workflow, which the transaction has locked, and its definition after a change.
struct ChangedWorkflow {
  WorkflowDefinition before;
  WorkflowDefinition after;
  std::optional<Bytes> kept_credentials;  // the stored ones if they do not change
};

/// Returns the newest secret that signs the workflow's webhooks, nullopt if there is none.
asio::awaitable<std::optional<std::string>> newest_secret(const Call& call, const Services& services,
                                                          storage::Transaction& transaction,
                                                          const Guid& guid) {
  const auto secrets =
      co_await transaction.run(sql::workflows::Secrets{.business = call.business(), .workflow = guid});
  const auto newest = secrets.find();
  if (!newest) co_return std::nullopt;
  co_return services.secrets.open(newest->sealed, storage::workflow_secret_purpose(guid));
}

asio::awaitable<ChangedWorkflow> changed_definition(const Call& call, Services& services,
                                                    storage::Transaction& transaction, const Guid& guid,
                                                    const json::object& body,
                                                    const std::optional<actions::Credentials>& credentials) {
  // Locked before the workflow's row, as in every request that adds or switches a workflow, to prevent
  // deadlocks.
  co_await transaction.run(storage::sql::templates::LockBusiness{.business = call.business()});
  const auto locked =
      co_await transaction.run(sql::workflows::Lock{.business = call.business(), .workflow = guid});
  const auto found = locked.find();
  if (!found) throw not_found("workflow");
  if (found->is_managed) {
    throw Failure(ErrorCode::forbidden, "A managed workflow can be switched off, not changed.");
  }
  check_version(body, "workflow", found->version);
  ChangedWorkflow changed;
  changed.before = stored_definition(locked.more());
  auto stored = open_headers(services, found->sealed_credentials.value_or(""), guid);
  changed.before.credentials = actions::stored_credentials(changed.before.action, stored);
  changed.after = changed.before;
  if (credentials) changed.after.credentials = *credentials;
  co_await merge_checked(call, services, transaction, guid, body, changed.after);
  if (changed.after.credentials != changed.before.credentials) {
    changed.before.credentials.earlier = std::move(stored.earlier);
    changed.after.credentials.keep_earlier(changed.before.credentials);
  } else if (found->sealed_credentials) {
    changed.kept_credentials = unhex(*found->sealed_credentials);
  }
  if (changed.after.secret &&
      changed.after.secret == co_await newest_secret(call, services, transaction, guid))
    changed.after.secret.reset();
  co_return changed;
}

}  // namespace

const Schema configured_schema{"WorkflowConfigured", configured_properties};

Bytes seal_workflow_secret(const Services& services, std::string_view secret, const Guid& workflow) {
  return services.secrets.seal(secret, storage::workflow_secret_purpose(workflow));
}

// The firings of the past are counted between two transactions: with an Idempotency-Key the second one stays
// open until the answer is known, and its first write locks the row of the workflows' epoch, for which the
// changes of all businesses wait.

asio::awaitable<Answer> configure_workflow(Call& call, Services& services) {
  if (const auto guid = guid_at(call.object(), "guid")) {
    co_return co_await change_workflow(call, services, *guid, call.object());
  }
  const Guid guid = Guid::random();
  auto transaction = co_await services.db.begin(call.cause());
  WorkflowDefinition definition = co_await new_definition(call, services, *transaction, guid);
  co_await transaction->roll_back();
  co_await check_records(call, services, definition.action, {});
  const auto fired = co_await fired_last_7_days(services, call.business(), definition);
  transaction = co_await services.db.begin(call.cause());
  definition = co_await new_definition(call, services, *transaction, guid);
  const auto rows = co_await store<sql::workflows::Create>(call, services, *transaction, guid, definition);
  co_await transaction->commit();
  co_return Answer::created(co_await configured_answer(call, services, guid, rows, definition, fired),
                            "/api/workflows/configured/" + guid.to_string());
}

/// Wakes the runs that wait for the old window of a workflow and that other sessions had locked when it was
/// changed. If these keep their locks for longer than a write waits, the runs wait for the old window.
asio::awaitable<void> wake_left(const Call& call, Services& services, const Guid& workflow) {
  try {
    co_await services.db.write(
        sql::workflows::WakeLeft{.business = call.business(), .workflow = workflow, .limit = most_woken},
        call.cause());
  } catch (const storage::StatementError& error) {
    if (!storage::is_lock_conflict(error)) throw;
  }
}

asio::awaitable<Answer> change_workflow(Call& call, Services& services, const Guid& guid,
                                        const json::object& body,
                                        std::optional<actions::Credentials> credentials) {
  auto transaction = co_await services.db.begin(call.cause());
  ChangedWorkflow changed =
      co_await changed_definition(call, services, *transaction, guid, body, credentials);
  co_await transaction->roll_back();
  co_await check_records(call, services, changed.after.action, changed.before.action);
  const auto fired = co_await fired_last_7_days(services, call.business(), changed.after);
  transaction = co_await services.db.begin(call.cause());
  changed = co_await changed_definition(call, services, *transaction, guid, body, credentials);
  const auto window = stored_json(changed.before.pacing.window);
  // Before the change, which locks the row of the workflows' epoch.
  bool has_left = false;
  if (window && window != stored_json(changed.after.pacing.window)) {
    const auto woken = co_await transaction->run(
        sql::workflows::WakeWaiting{.business = call.business(), .workflow = guid, .limit = most_woken});
    has_left = woken.front().has_left;
  }
  const auto rows =
      is_unchanged(changed.before, changed.after)
          ? co_await transaction->run(sql::workflows::Present{.business = call.business(), .workflow = guid})
          : co_await store<sql::workflows::Change>(call, services, *transaction, guid, changed.after,
                                                   std::move(changed.kept_credentials));
  co_await transaction->commit();
  if (has_left) co_await wake_left(call, services, guid);
  co_return Answer::of(co_await configured_answer(call, services, guid, rows, changed.after, fired));
}

asio::awaitable<void> check_limits(const Call& call, const Services& services,
                                   storage::Transaction& transaction, const Guid& guid,
                                   std::string_view triggers, bool is_active,
                                   const WorkflowDefinition* definition) {
  const WorkflowLimits& limits = services.settings.workflow_limits;
  co_await transaction.run(storage::sql::templates::LockBusiness{.business = call.business()});
  std::vector<std::string> codes;
  if (const auto choice = domain::parse_choice(triggers)) {
    for (const domain::Trigger* const trigger : domain::narrowest_first(choice->set))
      codes.emplace_back(trigger->code);
    if (choice->set.none()) codes.emplace_back(choice->first->code);
  }
  const std::vector<std::string> templates =
      definition == nullptr ? std::vector<std::string>() : definition->template_codes;
  const auto rows = co_await transaction.run(sql::workflows::Count{
      .business = call.business(), .triggers = codes, .workflow = guid, .template_codes = templates});
  const auto count = rows.front();
  if (!count.exists && count.others >= limits.per_business) {
    throw conflict("The business has " + std::to_string(count.others) + " workflows; " +
                   std::to_string(limits.per_business) + " are allowed.");
  }
  const auto size =
      definition == nullptr ? 0 : static_cast<std::int64_t>(stored_size(*definition)) + count.text_bytes;
  if (size > count.bytes && count.others_bytes + size > limits.bytes_per_business) {
    throw conflict("The definitions of the business's other workflows have " +
                   std::to_string(count.others_bytes) +
                   " bytes with the texts of their templates, and this one has " + std::to_string(size) +
                   "; " + std::to_string(limits.bytes_per_business) + " are allowed in total.");
  }
  if (is_active && count.trigger && count.others_active >= limits.per_trigger) {
    throw conflict("The business has " + std::to_string(count.others_active) +
                   " active workflows for the trigger " + std::string(*count.trigger) + "; " +
                   std::to_string(limits.per_trigger) + " are allowed.");
  }
}

}  // namespace waybill::api
