// Dimension presets and their application to orders.
#include <array>
#include <string>
#include <utility>

#include "api/products/product_body.hpp"
#include "api/records/columns.hpp"
#include "api/records/fields.hpp"
#include "api/records/row_json.hpp"
#include "api/records/unchangeable_order.hpp"
#include "storage/sql/dimension_presets.sql.hpp"

namespace waybill::api {
namespace {

/// `create` requires name and lengths.
constexpr auto preset_properties(bool create) {
  constexpr auto length = [](std::string_view name, bool required) {
    return Property{.name = name,
                    .kind = Kind::number,
                    .required = required,
                    .nullable = false,
                    .minimum = 0,
                    .maximum = largest_measure};
  };
  return std::to_array<Property>({
      {.name = "guid", .kind = Kind::uuid, .nullable = false, .read_only = true},
      {.name = "name", .kind = Kind::string, .required = create, .nullable = false, .min_length = 1},
      length("length", create),
      length("width", create),
      length("height", create),
      {.name = "weight", .kind = Kind::number, .minimum = 0, .maximum = largest_measure},
      {.name = "unit",
       .kind = Kind::one_of,
       .nullable = create,
       .values = length_units,
       .description = "Default: the unit of the product settings."},
      {.name = "weightUnit",
       .kind = Kind::one_of,
       .nullable = create,
       .values = weight_units,
       .description = "Default: the unit of the product settings."},
  });
}
constexpr auto new_preset_properties = preset_properties(true);
constexpr auto preset_change_properties = preset_properties(false);
constexpr Schema new_preset_schema{"DimensionPresetCreate", new_preset_properties};
constexpr Schema preset_schema{"DimensionPreset", preset_change_properties};

constexpr Property application_properties[] = {
    {.name = "presetId", .kind = Kind::uuid, .required = true},
    {.name = "itemId",
     .kind = Kind::uuid,
     .required = true,
     .description = "The guid of an item of the order."},
};
constexpr Schema application_schema{"DimensionPresetApplication", application_properties};
constexpr Property guid_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false, .description = "The guid of the order."}};
constexpr Schema guid_schema{"OrderWithPreset", guid_properties};

constexpr auto preset_columns = std::to_array<BodyColumn>({{"name", "name"},
                                                           {"length", "length"},
                                                           {"width", "width"},
                                                           {"height", "height"},
                                                           {"weight", "weight"},
                                                           {"unit", "unit"},
                                                           {"weightUnit", "weight_unit"}});

void check_change(const json::object& body, FieldErrors& errors) { check_not_blank(body, "name", errors); }

asio::awaitable<Answer> list_presets(Call& call, Services& services) {
  co_return Answer::of(
      json_array(co_await services.db.read(sql::dimension_presets::List{.business = call.business()})));
}

asio::awaitable<Answer> get_preset(Call& call, Services& services) {
  const auto rows = co_await services.db.read(
      sql::dimension_presets::Get{.business = call.business(), .preset = call.id()});
  if (rows.empty()) throw not_found("dimension preset");
  co_return Answer::of(json_object(rows));
}

asio::awaitable<Answer> create_preset(Call& call, Services& services) {
  const auto made = co_await services.db.write(
      sql::dimension_presets::Create{.business = call.business(),
                                     .columns = to_json(changed_columns(call.object(), preset_columns))},
      call.cause());
  if (made.empty()) throw conflict("The business already has the maximum of 1000 dimension presets.");
  co_return Answer::created(json_object(made.all()),
                            "/api/v1/dimension-presets/" + made.front().guid.to_string());
}

asio::awaitable<Answer> update_preset(Call& call, Services& services) {
  const auto rows = co_await services.db.write(
      sql::dimension_presets::Update{.business = call.business(),
                                     .preset = call.id(),
                                     .changes = to_json(changed_columns(call.object(), preset_columns))},
      call.cause());
  if (rows.empty()) throw not_found("dimension preset");
  co_return Answer::of(json_object(rows));
}

asio::awaitable<Answer> delete_preset(Call& call, Services& services) {
  const auto rows = co_await services.db.write(
      sql::dimension_presets::Remove{.business = call.business(), .preset = call.id()}, call.cause());
  if (rows.affected() == 0) throw not_found("dimension preset");
  co_return Answer::none();
}

asio::awaitable<Answer> apply_preset(Call& call, Services& services) {
  const auto rows = co_await services.db.write(
      sql::dimension_presets::Apply{.business = call.business(),
                                    .order = call.id(),
                                    .preset = guid_at(call.object(), "presetId").value(),
                                    .item = guid_at(call.object(), "itemId").value()},
      call.cause());
  if (rows.empty()) throw not_found("order");
  const auto found = rows.front();
  if (!found.preset_exists) throw not_found("dimension preset");
  if (!found.item_exists) throw not_found("item");
  if (found.status == "shipped" || found.status == "delivered") {
    throw unchangeable_order(found.status);
  }
  co_return Answer::of(R"({"guid":")" + call.id().to_string() + R"("})");
}

constexpr Endpoint preset_endpoint_table[] = {
    {.method = Method::get,
     .path = "/api/v1/dimension-presets",
     .permission = Permission::read,
     .handler = list_presets,
     .operation_id = "listDimensionPresets",
     .summary = "Lists the dimension presets by name",
     .description = "At most 1000.",
     .tag = "Dimension presets",
     .answer = &preset_schema,
     .answer_is_array = true},
    {.method = Method::post,
     .path = "/api/v1/dimension-presets",
     .permission = Permission::operate,
     .handler = create_preset,
     .operation_id = "createDimensionPreset",
     .summary = "Creates a dimension preset",
     .description = "Items of orders take its measures by add-dimension-preset.",
     .tag = "Dimension presets",
     .body = &new_preset_schema,
     .body_kind = BodyKind::object,
     .answer = &preset_schema,
     .status = 201},
    {.method = Method::get,
     .path = "/api/v1/dimension-presets/{guid}",
     .permission = Permission::read,
     .handler = get_preset,
     .operation_id = "getDimensionPreset",
     .summary = "Returns a dimension preset",
     .description = "A preset of another business is 404.",
     .tag = "Dimension presets",
     .answer = &preset_schema},
    {.method = Method::put,
     .path = "/api/v1/dimension-presets/{guid}",
     .permission = Permission::operate,
     .handler = update_preset,
     .operation_id = "updateDimensionPreset",
     .summary = "Updates a dimension preset",
     .description = "Fields that are left out keep their values.",
     .tag = "Dimension presets",
     .body = &preset_schema,
     .body_check = check_change,
     .body_kind = BodyKind::object,
     .answer = &preset_schema},
    {.method = Method::del,
     .path = "/api/v1/dimension-presets/{guid}",
     .permission = Permission::operate,
     .handler = delete_preset,
     .operation_id = "deleteDimensionPreset",
     .summary = "Deletes a dimension preset",
     .description = "Items that took its measures keep them.",
     .tag = "Dimension presets"},
    {.method = Method::post,
     .path = "/api/v1/Orders/{orderId}/add-dimension-preset",
     .permission = Permission::operate,
     .handler = apply_preset,
     .operation_id = "applyDimensionPreset",
     .summary = "Applies a dimension preset to an item of an order",
     .description = "The item takes the measures of the preset.",
     .tag = "Orders",
     .body = &application_schema,
     .body_kind = BodyKind::object,
     .answer = &guid_schema},
};

}  // namespace

std::span<const Endpoint> preset_endpoints() { return preset_endpoint_table; }

}  // namespace waybill::api
