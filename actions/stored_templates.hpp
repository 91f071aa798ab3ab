#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "actions/action.hpp"
#include "templates/mustache.hpp"

namespace waybill::actions {

// When a workflow is loaded, so are the stored templates that its actions use, directly or through partials:
// an object of {subject, body, html, title, url} by code. The SQL function template_texts collects those of
// the business and returns null for unknown codes. A null pointer stands for no templates.

/// Replaces the null entries of `stored` (the result of template_texts) by built-in templates. An entry that
/// stays null exists nowhere and renders as nothing.
void add_built_in_templates(json::object& stored);

/// The code of the stored template that a mail or push message is made from; empty if it is made from none.
std::string_view template_code(const json::object& action);

/// Returns a part of a built-in or stored template; nullopt if the template has no such part. Throws
/// std::invalid_argument if the template does not exist.
std::optional<std::string_view> stored_part(const json::object* templates, std::string_view code,
                                            std::string_view part);

/// Resolves `{{> code}}` to the template's html within html, and to its body elsewhere or if it has no html.
/// The result refers to `stored`.
templates::Partials stored_partials(const json::object* stored, templates::Escape escape);

/// Adds the codes of the partials of a Mustache text, without duplicates.
void add_partials(std::string_view text, std::vector<std::string>& codes);

/// The error message if `code` is not a template for this type of action; nullopt if it is.
std::optional<std::string> stored_template_problem(const CheckContext& context, std::string_view code,
                                                   std::string_view type);

/// The data available to templates: the entity's fields, `previous`, `workflow`, `business`, `event`,
/// `steps`; `formatted` with the amounts and local dates of a record, and `liveShipments` of an order: those
/// that are neither cancelled nor returned.
json::object template_context(const WorkflowView& workflow, const EventView& event,
                              const json::storage_ptr& memory = {});

}  // namespace waybill::actions
