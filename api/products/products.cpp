#include <string>
#include <utility>

#include "api/endpoint/paging.hpp"
#include "api/products/product_body.hpp"
#include "api/records/answer_columns.hpp"
#include "api/records/fields.hpp"
#include "api/records/list.hpp"
#include "api/records/merged_columns.hpp"
#include "api/records/numbering.hpp"
#include "api/records/own_data.hpp"
#include "api/records/properties.hpp"
#include "api/records/row_json.hpp"
#include "base/clock.hpp"
#include "base/guid.hpp"
#include "storage/sql/product_settings.sql.hpp"
#include "storage/sql/products.sql.hpp"

namespace waybill::api {
namespace {

constexpr Property dimensions_properties[] = {
    {.name = "length", .kind = Kind::number, .minimum = 0, .maximum = largest_measure},
    {.name = "width", .kind = Kind::number, .minimum = 0, .maximum = largest_measure},
    {.name = "height", .kind = Kind::number, .minimum = 0, .maximum = largest_measure},
};

constexpr Property listed_variant_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "name", .kind = Kind::string, .nullable = false},
    {.name = "sku", .kind = Kind::string},
};
constexpr Schema listed_variant_schema{"VariantOfProduct", listed_variant_properties};

constexpr Property own_properties[] = {
    {.name = "dimensions", .kind = Kind::object, .schema = &product_dimensions_schema},
    {.name = "variants",
     .kind = Kind::array,
     .nullable = false,
     .read_only = true,
     .schema = &listed_variant_schema},
    {.name = "variantCount", .kind = Kind::integer, .nullable = false, .read_only = true},
};

constexpr auto type = domain::EntityType::product;
const auto create_properties = record_properties(type, Use::create, own_properties);
const auto update_properties = record_properties(type, Use::change, own_properties);
const auto answer_properties = record_properties(type, Use::answer, std::span(own_properties).first(2));
const auto entry_properties = [] {
  const Property own[] = {own_properties[0], own_properties[2]};
  return record_properties(type, Use::entry, own);
}();
const Schema create_schema{"ProductCreate", create_properties};
const Schema update_schema{"ProductUpdate", update_properties};
const Schema product_schema{"Product", answer_properties};
const Schema entry_schema{"ProductEntry", entry_properties};
constexpr Schema summary_schema{"ProductSummary", listed_variant_properties};
constexpr Schema name_schema{"ProductName", std::span(listed_variant_properties).first(2)};

constexpr Property settings_properties[] = {
    {.name = "autoGenerateSku", .kind = Kind::boolean, .nullable = false},
    {.name = "defaultUnit", .kind = Kind::one_of, .nullable = false, .values = length_units},
    {.name = "defaultWeightUnit", .kind = Kind::one_of, .nullable = false, .values = weight_units},
};
constexpr Schema settings_schema{"ProductSettings", settings_properties};

void check_create(const json::object& body, FieldErrors& errors) {
  check_not_blank(body, "sku", errors);
  check_own_data(body, errors);
}

void check_update(const json::object& body, FieldErrors& errors) {
  check_product_change(body, errors);
  check_own_data(body, errors);
}

asio::awaitable<Answer> list_products(Call& call, Services& services) {
  return list_records(call, services, domain::record_type(type), sql::products::List::statement);
}

asio::awaitable<Answer> get_product(Call& call, Services& services) {
  const auto rows = co_await read_selected(
      call, services.db, sql::products::Get{.business = call.business(), .product = call.id()});
  if (rows.empty()) throw not_found("product");
  co_return Answer::of(json_object(rows));
}

asio::awaitable<Answer> create_product(Call& call, Services& services) {
  const bool assigns_sku = co_await needs_generated_sku(call, services);
  const auto product = Guid::timed_random(to_unix_ms(services.clock.now()));
  auto values = record_changes(type, call.object());
  values.emplace("guid", product.to_string());
  const auto entry = to_json(values);
  const auto made = co_await write_numbered(assigns_sku, sku_constraints, [&] {
    return services.db.write<sql::products::Create>(storage::SharedEntry{product, entry}, call.cause());
  });
  co_return Answer::created(json_object(made.all()), "/api/v1/Products/" + product.to_string());
}

asio::awaitable<Answer> update_product(Call& call, Services& services) {
  const auto product = call.id();
  const auto changes = to_json(record_changes(type, call.object()));
  const auto entry = R"({"product":")" + product.to_string() + R"(","changes":)" + changes + '}';
  const auto rows = co_await services.db.write(
      sql::products::Update{.business = call.business(), .product = product, .changes = changes},
      storage::SharedEntry{product, entry}, call.cause());
  if (rows.empty()) throw not_found("product");
  if (!rows.front().keeps_sku) throw invalid("sku", "must not be null");
  if (!rows.front().has_room) throw too_much_metadata();
  co_return Answer::of(json_object(rows.more()));
}

asio::awaitable<Answer> delete_product(Call& call, Services& services) {
  const auto rows = co_await services.db.write(
      sql::products::Remove{.business = call.business(), .product = call.id()}, call.cause());
  if (rows.affected() == 0) throw not_found("product");
  co_return Answer::none();
}

asio::awaitable<Answer> get_settings(Call& call, Services& services) {
  const auto settings = co_await services.db.read(sql::product_settings::Get{.business = call.business()});
  co_return Answer::of(json_object(settings.more()));
}

asio::awaitable<Answer> change_settings(Call& call, Services& services) {
  const auto& body = call.object();
  const auto* const generates = find_value(body, "autoGenerateSku");
  co_await services.db.write(
      sql::product_settings::Change{
          .business = call.business(),
          .generates_skus = generates == nullptr ? std::nullopt : std::optional(generates->get_bool()),
          .length_unit = text_at(body, "defaultUnit"),
          .weight_unit = text_at(body, "defaultWeightUnit")},
      call.cause());
  co_return Answer::none();
}

constexpr Endpoint product_endpoint_table[] = {
    {.method = Method::get,
     .path = "/api/v1/Products",
     .permission = Permission::read,
     .handler = list_products,
     .operation_id = "listProducts",
     .summary = "Lists products, newest first",
     .description = "$filter, $orderby and $search select and sort; own data can be filtered by tags, "
                    "externalReference and metadata/KEY.",
     .tag = "Products",
     .query = list_parameters,
     .answer = &entry_schema,
     .answer_is_array = true,
     .paginated = true,
     .errors = list_errors},
    {.method = Method::post,
     .path = "/api/v1/Products",
     .permission = Permission::operate,
     .handler = create_product,
     .operation_id = "createProduct",
     .summary = "Creates a product",
     .description = "The SKU is unique among products and variants of the business (409). It is required "
                    "unless SKUs are generated.",
     .tag = "Products",
     .body = &create_schema,
     .body_check = check_create,
     .body_kind = BodyKind::object,
     .answer = &summary_schema,
     .status = 201,
     .adds_errors = true},
    {.method = Method::get,
     .path = "/api/v1/Products/{guid}",
     .permission = Permission::read,
     .handler = get_product,
     .operation_id = "getProduct",
     .summary = "Returns a product",
     .description = "With its variants. A deleted product is 404.",
     .tag = "Products",
     .answer = &product_schema},
    {.method = Method::put,
     .path = "/api/v1/Products/{guid}",
     .permission = Permission::operate,
     .handler = update_product,
     .operation_id = "updateProduct",
     .summary = "Updates a product",
     .description = "Fields that are left out keep their values, and so do keys of the metadata.",
     .tag = "Products",
     .body = &update_schema,
     .body_check = check_update,
     .body_kind = BodyKind::object,
     .shown_by = get_product,
     .answer = &name_schema},
    {.method = Method::del,
     .path = "/api/v1/Products/{guid}",
     .permission = Permission::operate,
     .handler = delete_product,
     .operation_id = "deleteProduct",
     .summary = "Deletes a product with its variants",
     .description = "Orders keep their items.",
     .tag = "Products"},
    {.method = Method::get,
     .path = "/api/v1/Products/settings",
     .permission = Permission::read,
     .handler = get_settings,
     .operation_id = "getProductSettings",
     .summary = "Returns the settings of the product catalogue",
     .description = "The default units, and whether SKUs are generated.",
     .tag = "Products",
     .answer = &settings_schema},
    {.method = Method::patch,
     .path = "/api/v1/Products/settings",
     .permission = Permission::operate,
     .handler = change_settings,
     .operation_id = "updateProductSettings",
     .summary = "Updates the settings of the product catalogue",
     .description = "Fields that are left out keep their values. Numbers in records are not converted to a "
                    "new unit.",
     .tag = "Products",
     .body = &settings_schema,
     .body_kind = BodyKind::object,
     .is_audited = true},
};

}  // namespace

const Schema product_dimensions_schema{"ProductDimensions", dimensions_properties};

void check_product_change(const json::object& body, FieldErrors& errors) {
  check_not_blank(body, "name", errors);
  check_not_blank(body, "sku", errors);
}

asio::awaitable<bool> needs_generated_sku(const Call& call, Services& services) {
  const auto* const body = call.body.if_object();
  const bool lacks_sku = body != nullptr && find_value(*body, "sku") == nullptr;
  auto errors = call.errors;
  if (lacks_sku) {
    const auto settings = co_await services.db.read(sql::product_settings::Get{.business = call.business()});
    if (!settings.front().generates_skus) {
      errors.push_back({"sku", "is required unless autoGenerateSku is set"});
    }
  }
  if (!errors.empty()) throw invalid(std::move(errors));
  co_return lacks_sku;
}

std::span<const Endpoint> product_endpoints() { return product_endpoint_table; }

}  // namespace waybill::api
