#pragma once

#include <optional>
#include <string>
#include <vector>

#include "actions/action.hpp"
#include "api/endpoint/endpoint.hpp"
#include "base/json.hpp"
#include "domain/records/record_type.hpp"
#include "domain/workflows/pacing.hpp"
#include "net/destination/destination.hpp"

namespace waybill::api {

extern const Schema workflow_configure_schema;

/// A workflow in the form that is stored.
struct WorkflowDefinition {
  std::string name;
  domain::EntityType entity_type{};
  std::string trigger_code;  // in the form of domain::TriggerChoice::stored
  json::object action;       // one action, or several steps (actions::steps_type)
  json::value conditions;
  bool is_active = true;
  bool ordered = false;
  std::optional<std::string> delay;
  bool workdays = false;                    // the delay counts working days
  bool has_secret = false;                  // a secret is stored
  std::optional<std::string> secret;        // from the body, or generated
  std::vector<std::string> template_codes;  // the stored templates that the action uses
  actions::Credentials credentials;         // replaced by stars in the action
  domain::Pacing pacing;
  json::value cancel_on;  // the events that cancel its runs, as given; null without any
  bool is_test = false;   // nothing is sent, so stars may replace missing credentials
};

/// The type of the template lookup in actions::CheckContext.
using FindTemplate = decltype(actions::CheckContext::find_template);

/// Returns a lookup of the templates, stored or built-in, that the action or steps of `body`, or else of
/// `definition`, name. A stored template is locked until the transaction ends.
asio::awaitable<FindTemplate> find_template(const Call& call, storage::Transaction& transaction,
                                            const json::object& body, const WorkflowDefinition& definition);

/// Overwrites `definition` with the members of `body`, which has passed the schema, and checks the result. A
/// delay must be below `delay_below`, and action and conditions have at most 256 KiB together. Throws Failure
/// with every invalid field; 404 for an unknown trigger.
void merge_workflow(const json::object& body, const net::DestinationPolicy& destinations,
                    const FindTemplate& find_template, Duration delay_below, WorkflowDefinition& definition);

/// True if a run is for several records: for all of a schedule's query, or for those of a digest.
bool is_of_list(const WorkflowDefinition& definition);

/// The bytes of action and conditions as they are stored.
std::size_t stored_size(const WorkflowDefinition& definition);

/// Replaces the member `trigger` of a workflow's row, the stored form of its triggers, by what the API shows:
/// `trigger` (a code), `triggerId`, `triggers`, `timer`, the members of a schedule, and `digest`.
void show_triggers(json::object& workflow);

/// Replaces a delay of working days, which the stored definition of a version has apart, by what the API
/// shows: `delay` and `workdays`.
void show_delay(json::object& version);

/// Reads the members `window`, `limit` and `rate` of a workflow's row. Adds an error for each bad place.
domain::Pacing read_pacing(const json::object& stored, const domain::RecordType& type, FieldErrors& errors);

/// Reads a definition from the row of workflows/get.sql, or from the last columns of workflows/lock.sql.
/// Throws Failure if this version cannot read its window, limit or rate.
WorkflowDefinition stored_definition(const storage::Rows& rows);

/// Like check_workflow_body, for a definition that needs no name.
void check_definition(const json::object& definition, FieldErrors& errors);

/// Checks the body of a new workflow, whatever its shape. merge_workflow checks the rest: that the
/// destination is allowed, that the template exists, and the body of a change, which depends on the stored
/// workflow.
void check_workflow_body(const json::object& body, FieldErrors& errors);

}  // namespace waybill::api
