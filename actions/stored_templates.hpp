#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "actions/action.hpp"
#include "templates/mustache.hpp"

namespace waybill::actions {

// Whoever loads a workflow puts the stored templates that its action uses, itself or through partials, into
// the action's definition as "templates": an object of {subject, body, html, title, url} by code.
// PostgreSQL's function template_texts collects those of the business and answers null for codes that it has
// not.

/// Fills in the built-in templates for those of `stored` (template_texts' answer) that are null; what remains
/// null exists nowhere, and renders as nothing.
void add_built_in_templates(json::object& stored);

/// A part of a built-in or stored template of `action`; nullopt when the template has no such part. Throws
/// std::invalid_argument when there is no such template.
std::optional<std::string_view> stored_part(const json::object& action, std::string_view code,
                                            std::string_view part);

/// `{{> code}}`: a template's html within html, and its body elsewhere or when it has no html. Refers to
/// `action`.
templates::Partials stored_partials(const json::object& action, templates::Escape escape);

/// Adds the codes that a Mustache text includes, each once.
void add_partials(std::string_view text, std::vector<std::string>& codes);

/// Why `code` is no template for this action, as a sentence; nullopt when it is one.
std::optional<std::string> stored_template_problem(const CheckContext& context, std::string_view code,
                                                   std::string_view type);

/// What templates see: the entity's fields, and `previous`, `workflow`, `business`, `event`.
json::object template_context(const WorkflowView& workflow, const EventView& event,
                              const json::storage_ptr& memory = {});

}  // namespace waybill::actions
