#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "actions/stored_templates.hpp"
#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"
#include "api/records/fields.hpp"
#include "api/records/row_json.hpp"
#include "api/templates/template_body.hpp"
#include "matching/current_record.hpp"
#include "matching/stored_texts.hpp"
#include "storage/sql/templates.sql.hpp"

namespace waybill::api {
namespace {

// Includes the built-in templates.
constexpr std::size_t longest_list = 1'000;

constexpr Property preview_properties[] = {
    {.name = "entityId",
     .kind = Kind::uuid,
     .required = true,
     .nullable = false,
     .description = "The guid of a record of the template's entity type."},
    {.name = "subject", .kind = Kind::text, .description = "Takes the place of the saved subject."},
    {.name = "body", .kind = Kind::text, .description = "Takes the place of the saved text."},
    {.name = "html", .kind = Kind::text, .description = "Takes the place of the saved HTML."},
    {.name = "title", .kind = Kind::text, .description = "Takes the place of the saved title."},
    {.name = "url", .kind = Kind::text, .description = "Takes the place of the saved link."},
};
constexpr Schema preview_schema{"TemplatePreview", preview_properties};

constexpr Property rendered_properties[] = {
    {.name = "subject", .kind = Kind::text}, {.name = "body", .kind = Kind::text},
    {.name = "html", .kind = Kind::text},    {.name = "title", .kind = Kind::text},
    {.name = "url", .kind = Kind::text},
};
constexpr Schema rendered_schema{"RenderedTemplate", rendered_properties};

json::object answer_of(const templates::BuiltIn& built_in) {
  json::object answer{{"guid", built_in.guid.to_string()}};
  for (auto& [name, value] : TemplateDefinition::of(built_in).to_object()) answer[name] = std::move(value);
  answer["version"] = 1;
  return answer;
}

void refuse_built_in(const Guid& guid) {
  if (templates::find_built_in(guid) == nullptr) return;
  throw Failure(ErrorCode::forbidden,
                "A built-in template cannot be changed; create one with the same code to replace it.");
}

/// Locks and returns the template of the path, as an answer has it. Throws Failure (404) if there is none.
asio::awaitable<json::object> lock_template(const Call& call, storage::Transaction& transaction) {
  const auto rows =
      co_await transaction.run(sql::templates::Lock{.business = call.business(), .guid = call.id()});
  if (rows.empty()) throw not_found("template");
  co_return json::parse(json_object(rows)).as_object();
}

asio::awaitable<void> require_unused(const Call& call, storage::Transaction& transaction,
                                     std::string_view code) {
  const auto found =
      co_await transaction.run(sql::templates::InUse{.business = call.business(), .code = code});
  if (found.front().in_use) throw conflict("A workflow uses this template.");
}

asio::awaitable<Answer> list_templates(Call& call, Services& services) {
  const auto rows = co_await services.db.read(sql::templates::List{.business = call.business()});
  std::string data = json_array(rows);
  data.pop_back();
  for (const templates::BuiltIn& built_in : templates::built_in_templates()) {
    if (data.size() > 1) data += ',';
    append_json(data, answer_of(built_in));
  }
  co_return Answer::of(data + "]");
}

asio::awaitable<Answer> get_template(Call& call, Services& services) {
  if (const auto* const built_in = templates::find_built_in(call.id())) {
    co_return Answer::of(to_json(answer_of(*built_in)));
  }
  const auto rows =
      co_await services.db.read(sql::templates::Get{.business = call.business(), .guid = call.id()});
  if (rows.empty()) throw not_found("template");
  co_return Answer::of(json_object(rows));
}

/// Throws Failure (409) if `definition` makes the texts of the templates, or the workflows with the texts of
/// their templates, exceed the limit of bytes. It replaces the template with the code `replaced`; without
/// one, it is added. Call it before the change: the change locks the row of the workflows' epoch, for which
/// all businesses wait.
asio::awaitable<void> check_sizes(const Call& call, const Services& services,
                                  storage::Transaction& transaction, const TemplateDefinition& definition,
                                  const std::optional<std::string>& replaced = {}) {
  std::int64_t bytes = 0;
  for (const auto& part : definition.parts) bytes += part ? std::ssize(*part) : 0;
  const std::vector<std::string> partials = definition.partials();
  const auto present = co_await transaction.run(
      sql::templates::TextSizes{.business = call.business(), .bytes = 0, .partials = partials});
  const auto changed = co_await transaction.run(sql::templates::TextSizes{.business = call.business(),
                                                                          .replaced = replaced,
                                                                          .code = definition.code,
                                                                          .bytes = bytes,
                                                                          .partials = partials});
  const auto before = present.front();
  const auto after = changed.front();
  const std::int64_t limit = services.settings.workflow_limits.bytes_per_business;
  const auto refuse = [&](std::string_view counted, std::int64_t size) {
    return conflict("The " + std::string(counted) + " of the business would have " + std::to_string(size) +
                    " bytes; " + std::to_string(limit) + " are allowed in total.");
  };
  if (after.templates > std::max(limit, before.templates)) throw refuse("templates", after.templates);
  if (after.workflows > std::max(limit, before.workflows))
    throw refuse("workflows, with the texts of their templates,", after.workflows);
}

asio::awaitable<Answer> create_template(Call& call, Services& services) {
  TemplateDefinition definition;
  merge_template(call.object(), definition);
  const std::size_t limit = longest_list - templates::built_in_templates().size();
  const auto transaction = co_await services.db.begin(call.cause());
  co_await transaction->run(sql::templates::LockBusiness{.business = call.business()});
  co_await check_sizes(call, services, *transaction, definition);
  const auto& [subject, body, html, title, url] = definition.parts;
  const auto made = co_await transaction->run(
      sql::templates::Create{.business = call.business(),
                             .code = definition.code,
                             .name = definition.name,
                             .entity_type = static_cast<std::int16_t>(definition.entity_type),
                             .type = definition.type,
                             .subject = subject,
                             .body = body,
                             .html = html,
                             .title = title,
                             .url = url,
                             .partials = definition.partials(),
                             .max_templates = limit});
  if (made.empty()) throw conflict("A business has at most " + std::to_string(limit) + " templates.");
  co_await transaction->commit();
  co_return Answer::created(json_object(made.all()),
                            "/api/workflows/templates/" + made.front().guid.to_string());
}

asio::awaitable<Answer> update_template(Call& call, Services& services) {
  refuse_built_in(call.id());
  const auto transaction = co_await services.db.begin(call.cause());
  // Locked before the template's row, as when a workflow that uses it is configured, to prevent deadlocks.
  co_await transaction->run(sql::templates::LockBusiness{.business = call.business()});
  const json::object present = co_await lock_template(call, *transaction);
  check_version(call.object(), "template", present.at("version").to_number<std::int64_t>());
  const auto before = TemplateDefinition::of(present);
  TemplateDefinition definition = before;
  merge_template(call.object(), definition);
  const bool has_new_identity = definition.code != before.code || definition.type != before.type ||
                                definition.entity_type != before.entity_type;
  if (has_new_identity) co_await require_unused(call, *transaction, before.code);
  co_await check_sizes(call, services, *transaction, definition, before.code);
  const auto& [subject, body, html, title, url] = definition.parts;
  const auto rows = co_await transaction->run(
      sql::templates::Change{.business = call.business(),
                             .guid = call.id(),
                             .code = definition.code,
                             .name = definition.name,
                             .entity_type = static_cast<std::int16_t>(definition.entity_type),
                             .type = definition.type,
                             .subject = subject,
                             .body = body,
                             .html = html,
                             .title = title,
                             .url = url,
                             .partials = definition.partials()});
  co_await transaction->commit();
  co_return Answer::of(json_object(rows));
}

asio::awaitable<Answer> delete_template(Call& call, Services& services) {
  refuse_built_in(call.id());
  const auto transaction = co_await services.db.begin(call.cause());
  const auto definition = TemplateDefinition::of(co_await lock_template(call, *transaction));
  co_await require_unused(call, *transaction, definition.code);
  co_await transaction->run(sql::templates::Remove{.business = call.business(), .guid = call.id()});
  co_await transaction->commit();
  co_return Answer::none();
}

/// Returns the parts of a template rendered for a record. The variables that only an event has are empty.
json::object render_parts(const TemplateDefinition& definition, const json::object& context,
                          const json::object& stored) {
  json::object rendered;
  FieldErrors errors;
  WorkBudget budget(templates::max_work);
  for (std::size_t i = 0; i < definition.parts.size(); ++i) {
    const std::string_view name = templates::part_names[i];
    rendered[name] = nullptr;
    if (!definition.parts[i]) continue;
    const auto escape = templates::part_escape(definition.type, name);
    try {
      const auto text = templates::render(*definition.parts[i], context, escape,
                                          actions::stored_partials(&stored, escape), budget);
      rendered[name] = name == "subject" ? templates::single_line(text) : text;
    } catch (const std::length_error& error) {
      errors.push_back({std::string(name), error.what()});
    }
  }
  if (!errors.empty()) throw invalid(std::move(errors));
  return rendered;
}

asio::awaitable<TemplateDefinition> find_definition(const Call& call, Services& services) {
  if (const auto* const built_in = templates::find_built_in(call.id())) {
    co_return TemplateDefinition::of(*built_in);
  }
  const auto rows =
      co_await services.db.read(sql::templates::Get{.business = call.business(), .guid = call.id()});
  if (rows.empty()) throw not_found("template");
  co_return TemplateDefinition::of(json::parse(json_object(rows)).as_object());
}

asio::awaitable<Answer> preview_template(Call& call, Services& services) {
  TemplateDefinition definition = co_await find_definition(call, services);
  merge_parts(call.object(), definition);
  const Guid& business = call.business();
  const Guid entity_id = guid_at(call.object(), "entityId").value();
  const auto entity = co_await matching::current_entity(services.db, business, definition.entity_type,
                                                        entity_id, services.settings.public_url);
  if (!entity) throw not_found(domain::record_type(definition.entity_type).label);
  auto texts = co_await matching::stored_texts(services.db, business, definition.partials());

  const json::object action;
  const json::object previous;
  json::object context = actions::template_context({.guid = {},
                                                    .name = {},
                                                    .business_id = business,
                                                    .business_name = texts.business_name,
                                                    .action = action,
                                                    .zone_offsets = texts.zone_offsets},
                                                   {.entity = *entity,
                                                    .previous = previous,
                                                    .entity_type = definition.entity_type,
                                                    .entity_id = entity_id,
                                                    .event_id = 0,
                                                    .at = services.clock.now(),
                                                    .trigger = {}});
  context["workflow"] = {{"guid", nullptr}, {"name", nullptr}};
  json::object& event = context["event"].as_object();
  event["id"] = event["type"] = nullptr;
  const json::object stored = std::move(texts.templates);
  // The coroutine waits here, so the references in the work stay valid.
  co_return Answer::of(co_await services.background.run(
      business, [&] { return to_json(render_parts(definition, context, stored)); }));
}

const Endpoint template_endpoint_table[] = {
    {.method = Method::get,
     .path = "/api/workflows/templates",
     .permission = Permission::read,
     .handler = list_templates,
     .operation_id = "listTemplates",
     .summary = "Lists the templates of the business, then the built-in ones",
     .description = "Actions name a template by its code.",
     .tag = "Templates",
     .answer = &template_schema,
     .answer_is_array = true},
    {.method = Method::post,
     .path = "/api/workflows/templates",
     .permission = Permission::administer,
     .handler = create_template,
     .operation_id = "createTemplate",
     .summary = "Creates a template",
     .description = "A template with the code of a built-in template replaces it.",
     .tag = "Templates",
     .body = &template_create_schema,
     .body_check = check_new_template,
     .body_kind = BodyKind::object,
     .answer = &template_schema,
     .status = 201},
    {.method = Method::get,
     .path = "/api/workflows/templates/{guid}",
     .permission = Permission::read,
     .handler = get_template,
     .operation_id = "getTemplate",
     .summary = "Returns a template",
     .description = "A built-in template or one of the business.",
     .tag = "Templates",
     .answer = &template_schema},
    {.method = Method::put,
     .path = "/api/workflows/templates/{guid}",
     .permission = Permission::administer,
     .handler = update_template,
     .operation_id = "updateTemplate",
     .summary = "Updates a template",
     .description =
         "This makes a new version, which the next runs use. Fields that are left out keep their values.",
     .tag = "Templates",
     .body = &template_update_schema,
     .body_check = check_template_fields,
     .body_kind = BodyKind::object,
     .answer = &template_schema},
    {.method = Method::del,
     .path = "/api/workflows/templates/{guid}",
     .permission = Permission::administer,
     .handler = delete_template,
     .operation_id = "deleteTemplate",
     .summary = "Deletes a template that no workflow uses",
     .description = "A built-in template cannot be deleted.",
     .tag = "Templates"},
    {.method = Method::post,
     .path = "/api/workflows/templates/{guid}/preview",
     .permission = Permission::read,
     .handler = preview_template,
     .operation_id = "previewTemplate",
     .summary = "Renders a template for a record",
     .description =
         "Nothing changes and nothing is sent. Parts in the body are rendered instead of the saved ones.",
     .tag = "Templates",
     .body = &preview_schema,
     .body_check = check_template_parts,
     .body_kind = BodyKind::object,
     .answer = &rendered_schema},
};

}  // namespace

std::span<const Endpoint> template_endpoints() { return template_endpoint_table; }

}  // namespace waybill::api
