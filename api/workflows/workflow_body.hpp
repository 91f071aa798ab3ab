#pragma once

#include <optional>
#include <string>
#include <vector>

#include "actions/action.hpp"
#include "api/route/route.hpp"
#include "base/json.hpp"
#include "domain/records/record_type.hpp"
#include "net/destination.hpp"

namespace waybill::api {

extern const Schema workflow_configure_schema;

/// A workflow as it is to be stored.
struct WorkflowDefinition {
  std::string name;
  domain::EntityType entity_type{};
  std::string trigger_code;
  json::object action;
  json::value conditions;
  bool is_active = true;
  bool ordered = false;
  std::optional<std::string> delay;
  bool has_secret = false;                  // it has one already
  std::optional<std::string> secret;        // given or made now
  std::vector<std::string> template_codes;  // of the stored templates that the action uses
  actions::Credentials credentials;         // which the action shows as stars
  bool is_tried_out = false;                // nothing is sent: stars may stand for nothing
};

/// As actions::CheckContext asks for templates.
using FindTemplate = decltype(actions::CheckContext::find_template);

/// What is known of the stored template, own or built-in, that the action of `body`, or else of `definition`,
/// names. An own one stays until the transaction ends.
asio::awaitable<FindTemplate> find_template(const Call& call, storage::Transaction& transaction,
                                            const json::object& body, const WorkflowDefinition& definition);

/// Overwrites `definition` with what `body`, which has the schema's shape, gives, and checks the whole of it.
/// A delay must be below `delay_below`. Throws Failure with every bad field; 404 for an unknown trigger.
void merge_workflow(const json::object& body, const net::DestinationPolicy& destinations,
                    const FindTemplate& find_template, Duration delay_below, WorkflowDefinition& definition);

/// What is stored of a workflow, from the row of sql::workflows::get or ::lock.
WorkflowDefinition stored_definition(const storage::Rows& rows);

/// Like check_workflow_body, of a definition that needs no name.
void check_definition(const json::object& definition, FieldErrors& errors);

/// The checks of a body that makes a workflow, whatever its shape; only whether a destination is allowed and
/// a template exists is left to merge_workflow. One that changes a workflow can be checked beside that
/// workflow alone.
void check_workflow_body(const json::object& body, FieldErrors& errors);

}  // namespace waybill::api
